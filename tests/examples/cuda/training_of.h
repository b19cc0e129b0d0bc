#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/examples/run_example.h"
#include "tests/support/environment_variable.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

// train_char_gpt as a job of processes with a GPU each, on the doubles of CUDA and NCCL. These run
// a GPU's threads one by one, so that the model is small.
namespace tutti::test {

class TrainingOnDoubledGpus : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  // The losses are the host's, and went over NCCL without a complaint of the doubles.
  void expect_the_hosts_losses(int ranks, const Words& sizes, int steps) const {
    const std::vector<double> host = losses(train(ranks, "cpu", sizes, steps));
    const CommandResult training = train(ranks, "cuda", sizes, steps);
    const std::vector<double> gpus = losses(training);
    ASSERT_EQ(host.size(), static_cast<std::size_t>(steps));
    ASSERT_EQ(gpus.size(), host.size());
    for (std::size_t i = 0; i < host.size(); ++i) {
      EXPECT_NEAR(gpus[i], host[i], 1e-3) << "step " << i + 1;
    }
    EXPECT_LT(gpus.back(), gpus.front());
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_THAT(training.errors,
                  testing::ContainsRegex("\\[" + std::to_string(rank) +
                                         "\\] tutti gpu: [0-9]+ bytes for collectives are a "
                                         "window of NCCL's"));
    }
    EXPECT_THAT(training.errors, testing::Not(testing::HasSubstr("through the host")));
    EXPECT_THAT(training.errors, testing::Not(testing::HasSubstr("fake CUDA")));
    EXPECT_THAT(training.errors, testing::Not(testing::HasSubstr("fake NCCL")));
  }

 private:
  CommandResult train(int ranks, const std::string& device, const Words& sizes, int steps) const {
    Words command = {built("tutti"), "launch",
                     "-n",           std::to_string(ranks),
                     "--",           built("train_char_gpt"),
                     "--device",     device,
                     "--steps",      std::to_string(steps),
                     "--sample",     "0",
                     "--text",       folder_.path() / "text",
                     "--json",       folder_.path() / "losses.json"};
    command.insert(command.end(), sizes.begin(), sizes.end());
    return run_command(command);
  }

  // What the training has written before it ended well.
  std::vector<double> losses(const CommandResult& training) const {
    EXPECT_EQ(training.status, 0) << training.output << training.errors;
    if (training.status != 0) return {};
    return nlohmann::json::parse(folder_.read("losses.json")).at("loss").get<std::vector<double>>();
  }

  // Something to learn: numbers and their squares, in words of digits.
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      text += std::to_string(i) + " times itself is " + std::to_string(i * i) + "\n";
    }
    folder_.write("text", text);
  }

  const TemporaryFolder folder_;
  const EnvironmentVariable gpus_{"TUTTI_TEST_FAKE_CUDA", "devices=4"};
  const EnvironmentVariable doubles_{"TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda"};
  const EnvironmentVariable log_{"TUTTI_LOG", "gpu"};
};

}  // namespace tutti::test
