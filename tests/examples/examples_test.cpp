// Runs the examples as a user would and looks at the lines they teach.

#include <array>

#include "tests/examples/run_example.h"
#include "tests/support/environment_variable.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tutti::test::examples_test {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Examples, HelloPrintsItsProgramAndItsResult) {
  const CommandResult hello = run_example("hello");
  EXPECT_EQ(hello.status, 0) << hello.errors;
  EXPECT_THAT(hello.errors, IsEmpty());
  // Whether the sum is still in the recorded program depends on whether rank 1 waits for it
  // already.
  EXPECT_THAT(hello.output, HasSubstr("func @trace("));
  EXPECT_THAT(hello.output, HasSubstr("// 01_hello.cpp:"));
  EXPECT_THAT(hello.output, EndsWith("f32[4] [3, 3, 3, 3]\n"));
}

TEST(Examples, GradientsFindTheLine) {
  const CommandResult gradients = run_example("gradients");
  EXPECT_EQ(gradients.status, 0) << gradients.errors;
  const std::vector<std::string> lines = lines_of(gradients.output);
  ASSERT_EQ(lines.size(), 2) << gradients.output;
  EXPECT_EQ(lines[0], "at (0, 0): loss 0.835938, gradient (-0.765625, -0.625)");
  EXPECT_THAT(lines[1], HasSubstr("after 200 steps of 1 program: loss "));
  EXPECT_NEAR(number_after(lines[1], "slope"), 3, 1e-2);
  EXPECT_NEAR(number_after(lines[1], "offset"), -1, 1e-2);
}

TEST(Examples, DataParallelLossIsTheSameForAnyNumberOfRanks) {
  const CommandResult data_parallel = run_example("data_parallel");
  EXPECT_EQ(data_parallel.status, 0) << data_parallel.errors;
  const std::vector<std::string> lines = lines_of(data_parallel.output);
  ASSERT_EQ(lines.size(), 9) << data_parallel.output;
  std::array<std::array<double, 3>, 3> losses{};  // of 1, 2 and 4 ranks, at steps 0, 50 and 100
  for (std::size_t i = 0; i < 9; ++i) losses[i / 3][i % 3] = number_after(lines[i], "loss");
  for (std::size_t step = 0; step < 3; ++step) {
    // Printed with four digits, of which rounding may move the last.
    EXPECT_NEAR(losses[1][step], losses[0][step], 1.5e-4) << data_parallel.output;
    EXPECT_NEAR(losses[2][step], losses[0][step], 1.5e-4) << data_parallel.output;
  }
  EXPECT_LT(losses[0][2], losses[0][0] / 10);
}

TEST(Examples, CollectivesGiveWhatTheirCommentsSay) {
  const CommandResult collectives = run_example("collectives");
  EXPECT_EQ(collectives.status, 0) << collectives.errors;
  EXPECT_THAT(collectives.errors, IsEmpty());
  EXPECT_THAT(lines_of(collectives.output),
              ElementsAre("rank 0: all is f32[8]", "rank 1: all is f32[8]", "rank 2: all is f32[8]",
                          "rank 3: all is f32[8]", "rank 0: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]",
                          "rank 1: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]",
                          "rank 2: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]",
                          "rank 3: all f32[8] [0, 0, 1, 1, 2, 2, 3, 3]", "rank 0: part i64[1] [0]",
                          "rank 1: part i64[1] [4]", "rank 2: part i64[1] [8]",
                          "rank 3: part i64[1] [12]", "rank 0: pair + root f32[2] [3, 3]",
                          "rank 1: pair + root f32[2] [3, 3]", "rank 2: pair + root f32[2] [7, 7]",
                          "rank 3: pair + root f32[2] [7, 7]", "total 12"));
}

TEST(Examples, FilesGoesOnWhereItStopped) {
  const CommandResult files = run_example("files");
  EXPECT_EQ(files.status, 0) << files.errors;
  EXPECT_THAT(files.output, AllOf(HasSubstr("resumed at step 20\nthe next loss is the same\n"),
                                  HasSubstr("model of PyTorch's weights: f32[1,1] [[0]]\n"),
                                  HasSubstr("does not fit the tree; missing: '0.bias' f32[8]"),
                                  HasSubstr("first of 2 scores: 7.99"),
                                  HasSubstr("by way of DLPack: f32[] 8\n")));
}

TEST(Examples, CnnLearns) {
  const CommandResult cnn = run_example("cnn");
  EXPECT_EQ(cnn.status, 0) << cnn.errors;
  EXPECT_THAT(cnn.errors, IsEmpty());
  EXPECT_GT(number_after(cnn.output, "right:"), 0.8);
}

TEST(Examples, HeatIsKeptAsAPicture) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "plate.png";
  const CommandResult heat = run_example("heat", {path});
  EXPECT_EQ(heat.status, 0) << heat.errors;
  // Some has left through the cold frame.
  const double before = number_after(heat.output, "heat");
  const double after = number_after(heat.output, "before,");
  EXPECT_GT(before, 1500);
  EXPECT_LT(after, before);
  EXPECT_GT(after, 0.8 * before);
  const std::string picture = folder.read("plate.png");
  EXPECT_THAT(picture, testing::StartsWith("\x89PNG\r\n\x1a\n"));
  EXPECT_THAT(picture, EndsWith(std::string("IEND\xae\x42\x60\x82")));
  EXPECT_GT(picture.size(), 128 * 128 * 3);
}

TEST(Examples, OptionsAgreesWithTheFormulas) {
  const CommandResult options = run_example("options");
  EXPECT_EQ(options.status, 0) << options.errors;
  const std::vector<std::string> lines = lines_of(options.output);
  ASSERT_EQ(lines.size(), 4) << options.output;
  for (const std::string& line : lines) {
    const double exact = number_after(line, "exact");
    EXPECT_NEAR(number_after(line, line.substr(0, line.find(' '))), exact, 0.005 * exact) << line;
  }
}

TEST(Examples, LstmSaysWhatItHasRead) {
  const CommandResult lstm = run_example("lstm");
  EXPECT_EQ(lstm.status, 0) << lstm.errors;
  EXPECT_THAT(lstm.output, EndsWith("says: the quick brown fox jumps over the lazy dog.\n"));
}

TEST(Examples, PipelineHasTheGradientsOfItsStages) {
  const CommandResult pipeline = run_example("pipeline");
  EXPECT_EQ(pipeline.status, 0) << pipeline.errors;
  EXPECT_THAT(pipeline.errors, IsEmpty());
  EXPECT_THAT(pipeline.output, HasSubstr("the gradients are those of the stages in one\n"));
  EXPECT_LT(number_after(pipeline.output, "step 60, loss"), 0.1);
}

TEST(Examples, PartsShowsOpsMadeOfOthers) {
  const CommandResult parts = run_example("parts");
  EXPECT_EQ(parts.status, 0) << parts.errors;
  EXPECT_THAT(parts.errors, IsEmpty());
  EXPECT_THAT(parts.output, HasSubstr("einsum"));
}

TEST(Examples, ValuesLooksAtThemAndNamesTheLinesOfErrors) {
  const CommandResult values = run_example("values");
  EXPECT_EQ(values.status, 0) << values.errors;
  EXPECT_THAT(values.output, AllOf(HasSubstr("h = f32[2] [1, 2.71828]\n"),
                                   HasSubstr("check_finite: h: 1 of 2 elements is not finite"),
                                   HasSubstr("was moved from")));
}

TEST(Examples, LayersShowsEveryLayer) {
  const CommandResult layers = run_example("layers");
  EXPECT_EQ(layers.status, 0) << layers.errors;
  for (const char* part : {"trace", "decompose", "fuse", "kernel", "plan", "run", "two ranks",
                           "mismatch", "gradient"}) {
    EXPECT_THAT(layers.output, HasSubstr("\n==== " + std::string(part) + "\n"));
  }
}

// ---- train_char_gpt

// Of three steps, by the command with the options of the program added.
std::vector<double> losses_of_training(std::vector<std::string> command) {
  const TemporaryFolder folder;
  const std::string json = folder.path() / "losses.json";
  command.insert(command.end(), {"--steps", "3", "--sample", "0", "--json", json});
  const CommandResult training = run_command(command);
  EXPECT_EQ(training.status, 0) << training.errors;
  EXPECT_THAT(training.output, HasSubstr("final: step 3 loss "));
  if (training.status != 0) return {};
  return nlohmann::json::parse(folder.read("losses.json")).at("loss").get<std::vector<double>>();
}

TEST(TrainCharGpt, OneRankTwoThreadsAndTwoProcessesAgree) {
  const std::string bin = std::string(TUTTI_BINARY_DIR) + "/bin/";
  const std::string program = bin + "train_char_gpt";
  const std::vector<double> one = losses_of_training({program});
  const std::vector<double> threads = losses_of_training({program, "--ranks", "2"});
  const std::vector<double> processes =
      losses_of_training({bin + "tutti", "launch", "-n", "2", "--", program});
  ASSERT_EQ(one.size(), 3);
  ASSERT_EQ(threads.size(), 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(one[i], threads[i], 1e-4) << "step " << i;
  }
  EXPECT_EQ(processes, threads);
  EXPECT_LT(one[2], one[0]);
}

TEST(TrainCharGpt, RefusesATextItCannotRead) {
  const CommandResult training = run_example("train_char_gpt", {"--text", "no/such/text"});
  EXPECT_NE(training.status, 0);
  EXPECT_THAT(training.output, IsEmpty());
  EXPECT_THAT(lines_of(training.errors),
              ElementsAre(AllOf(HasSubstr("cannot read"), HasSubstr("no/such/text"))));
}

TEST(TrainCharGpt, RefusesATextThatIsTooShort) {
  const TemporaryFolder folder;
  const CommandResult training =
      run_example("train_char_gpt", {"--text", folder.write("short", "abc")});
  EXPECT_NE(training.status, 0);
  EXPECT_THAT(lines_of(training.errors), ElementsAre(HasSubstr("shorter than the context")));
}

class WrongOptions : public testing::TestWithParam<std::vector<std::string>> {};

// The parser's message, and perhaps its hint at --help.
TEST_P(WrongOptions, AreRefusedByName) {
  const CommandResult training = run_example("train_char_gpt", GetParam());
  EXPECT_NE(training.status, 0);
  EXPECT_THAT(training.output, IsEmpty());
  const std::vector<std::string> lines = lines_of(training.errors);
  ASSERT_THAT(lines, Not(IsEmpty()));
  EXPECT_THAT(lines[0], HasSubstr(GetParam()[0]));
  EXPECT_LE(lines.size(), 2) << training.errors;
}

INSTANTIATE_TEST_SUITE_P(TrainCharGpt, WrongOptions,
                         testing::Values(std::vector<std::string>{"--ranks", "three"},
                                         std::vector<std::string>{"--steps", "0"},
                                         std::vector<std::string>{"--steps", "many"},
                                         std::vector<std::string>{"--sample", "-1"},
                                         std::vector<std::string>{"--heads", "3"},
                                         std::vector<std::string>{"--width", "0"},
                                         std::vector<std::string>{"--no-such-option"}));

#if TUTTI_HAS_CUDA
class OnADoubledGpu : public testing::Test {
  EnvironmentVariable libraries_{"TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda"};
  EnvironmentVariable device_{"TUTTI_DEVICE", "cuda"};
};

// Its work is done as late as it may: some when the process ends.
TEST_F(OnADoubledGpu, LayersRun) {
  const CommandResult result = run_example("layers");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("on cuda:0"));
}

// As it is, by its environment alone; its ranks are threads.
TEST_F(OnADoubledGpu, CollectivesOverNcclGiveWhatTheHostsMemoryDoes) {
  const EnvironmentVariable options("TUTTI_TEST_FAKE_CUDA", "devices=4");
  const auto output = [](const std::string& backends) {
    const EnvironmentVariable backends_variable("TUTTI_BACKENDS", backends);
    const CommandResult result = run_example("data_parallel");
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    return result.output;
  };
  EXPECT_EQ(output("cuda:nccl"), output("cuda:shm"));
}
#endif

}  // namespace

}  // namespace tutti::test::examples_test
