// Ranks with a GPU each, on the doubles of CUDA and NCCL.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "tests/processes/job.h"
#include "tests/support/environment_variable.h"
#include <nlohmann/json.hpp>

namespace tutti::test::cuda_nccl_test {
namespace {

using testing::HasSubstr;

// Real GPUs and NCCL where scripts/gpu-test says so, which lets ranks share a GPU.
class GpuNcclOfAJob : public Job {
 protected:
  static CommandResult expect_all_say(int ranks, const std::string& text, const Words& scenario) {
    CommandResult result = run(ranks, scenario);
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(lines_of_rank(result, rank), text + "\n") << result.errors;
    }
    return result;
  }

  // A folder with a libnccl that lacks what it is to have.
  std::string library_without_symbols() const {
    const std::filesystem::path folder = folder_.path() / "other_library";
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(TUTTI_BINARY_DIR "/fake_cuda/libnvtx_listener.so",
                               folder / "libnccl.so.2",
                               std::filesystem::copy_options::overwrite_existing);
    return folder;
  }

  static bool real() {
    const char* const real = std::getenv("TUTTI_TEST_GPU");
    return real != nullptr && std::string_view(real) == "real";
  }

 private:
  EnvironmentVariable gpus_{"TUTTI_TEST_FAKE_CUDA", "devices=4"};
  EnvironmentVariable sharing_{"NCCL_MULTI_RANK_GPU_ENABLE", "1"};
  std::optional<EnvironmentVariable> double_;

 protected:
  void SetUp() override {
    if (!real()) double_.emplace("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda");
    Job::SetUp();
  }
};

// Whether the doubles keep a log, or not; and whoever takes what they complain of.
TEST_F(GpuNcclOfAJob, WhatTheDoublesComplainOfIsSeen) {
  if (real()) return;
  const std::string of_driver = "cuMemFree";
  const std::string of_nccl = "ncclGroupEnd without a start";
  const auto count = [](const std::string& text, const std::string& what) {
    int out = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++out;
    return out;
  };
  for (const char* const log : {"on", "off"}) {
    SCOPED_TRACE(log);
    const EnvironmentVariable setup("TUTTI_TEST_FAKE_CUDA", std::string("log=") + log);
    const CommandResult taken = run_command(command(1, {"misuses_doubles"}));
    EXPECT_EQ(taken.status, 1);
    EXPECT_THAT(taken.output, HasSubstr("complaint: " + of_nccl + "\n"));
    EXPECT_THAT(taken.output, HasSubstr(of_driver));
    const CommandResult exits = run_command(command(1, {"misuses_doubles", "exit"}));
    EXPECT_EQ(count(exits.errors, "fake CUDA: " + of_driver), 1) << exits.errors;
    EXPECT_EQ(count(exits.errors, "fake NCCL: " + of_nccl), 1) << exits.errors;
  }
}

TEST_F(GpuNcclOfAJob, ServesProgramsOnGpus) { expect_all_say(2, "all right", {"over_nccl"}); }

// Programs that are recorded with their collectives, and kernels behind these. On the doubles
// ReplaysOfAJob and FollowersOfAJob have them, and see how they are launched.
TEST_F(GpuNcclOfAJob, HasTheHostsResultsInReplays) {
  if (!real()) GTEST_SKIP() << "for real GPUs";
  expect_all_say(2, "all right", {"replays", "20"});
  expect_all_say(2, "all right",
                 {"recorded_sweep", "20", "world", "f32", "bf16", "i32", "kernels"});
  expect_all_say(2, "all right", {"follows", "20", "f32", "bf16", "i32"});
  expect_all_say(2, "all right", {"follows_in_a_loop"});
}

// What each stream of a GPU did, as that timed it.
TEST_F(GpuNcclOfAJob, HasItsGpusInItsTrace) {
  const std::string file = (folder_.path() / "trace.json").string();
  const CommandResult result = run(2, {"over_nccl"}, {"--profile", file});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  const auto trace = nlohmann::json::parse(folder_.read("trace.json"));
  std::map<std::int64_t, std::string> threads;
  std::map<std::string, int> slices;  // by "rank: thread: category"
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name") threads[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") != "X" || !threads[event.at("tid")].starts_with("cuda:")) continue;
    EXPECT_GT(event.at("dur"), 0) << event;
    EXPECT_FALSE(event.at("args").contains("roofline_us")) << "that is the host's: " << event;
    const std::string& thread = threads[event.at("tid")];
    const std::string of = thread.substr(std::min(thread.find(' '), thread.size()));
    ++slices[event.at("pid").dump() + of + " " + event.at("cat").get<std::string>()];
  }
  // Three collectives in each of twelve steps, and others.
  for (const std::string rank : {"1", "2"}) {
    EXPECT_GE(slices[rank + " communication collective"], 36) << rank;
    EXPECT_GE(slices[rank + " launch"], 12) << rank;
  }
  EXPECT_EQ(slices.size(), 4U);
}

// Where there is a GPU for each rank.
TEST_F(GpuNcclOfAJob, IsTheUsualEngineBetweenGpus) {
  if (real()) return;  // there may be one for all
  expect_all_say(2, "nccl", {"usual_gpu_engine"});
  const EnvironmentVariable one("TUTTI_TEST_FAKE_CUDA", "devices=1");
  expect_all_say(2, "the host", {"usual_gpu_engine"});
}

// Once for all ranks, and only where they need not.
TEST_F(GpuNcclOfAJob, IsToldThatRanksUseOneGpuWithoutNeed) {
  if (real()) GTEST_SKIP() << "for several GPUs";
  const auto warnings = [](const std::string& gpu) {
    const CommandResult result = run(3, {"uses_gpu", gpu});
    EXPECT_EQ(result.status, 0) << result.errors;
    int count = 0;
    for (std::size_t at = 0;
         (at = result.errors.find(" both use cuda:0, and ", at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(warnings("first"), 0) << "NCCL_MULTI_RANK_GPU_ENABLE says that it is meant";
  const EnvironmentVariable not_meant("NCCL_MULTI_RANK_GPU_ENABLE", "0");
  EXPECT_EQ(warnings("first"), 1);
  EXPECT_EQ(warnings("own"), 0);
  const EnvironmentVariable fewer("TUTTI_TEST_FAKE_CUDA", "devices=2");
  EXPECT_EQ(warnings("own"), 0) << "there are not enough";
}

// Nothing is launched before all know.
TEST_F(GpuNcclOfAJob, ARankWithoutNcclTakesAllThroughTheHost) {
  if (real()) return;
  const EnvironmentVariable log("TUTTI_LOG", "gpu");
  const auto expect_the_host = [&](const Words& apart, const std::string& why) {
    Words scenario = {"usual_gpu_engine"};
    scenario.insert(scenario.end(), apart.begin(), apart.end());
    const CommandResult result = run(3, scenario, {"--timeout", "20"});
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(lines_of_rank(result, rank), "the host\n");
    }
    // Each rank says it.
    const std::string notice = "tutti gpu: collectives of GPU values go through the host: ";
    std::size_t notices = 0;
    for (std::size_t at = 0; (at = result.errors.find(notice, at)) != std::string::npos; ++at) {
      ++notices;
    }
    EXPECT_EQ(notices, 3U) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(why));
  };
  expect_the_host({library_without_symbols()}, "NCCL");
  expect_the_host({library_without_symbols()}, "the host: rank 1: ");
  expect_the_host({TUTTI_BINARY_DIR "/fake_nccl_2.27.7"},
                  "the host: rank 0 has NCCL 2.32.3, rank 1 has 2.27.7");
  expect_the_host({"", "3,2,1,0"}, "the host: rank 0 and rank 1 see different GPUs");
}

// Below NCCL 2.30 they could not share one.
TEST_F(GpuNcclOfAJob, MoreRanksThanGpusGoThroughTheHost) {
  if (real()) return;
  const EnvironmentVariable log("TUTTI_LOG", "gpu");
  const EnvironmentVariable one("TUTTI_TEST_FAKE_CUDA", "devices=1");
  for (const bool older : {true, false}) {
    SCOPED_TRACE(older);
    const EnvironmentVariable libraries("TUTTI_CUDA_LIBRARIES", folders_of_doubles(older));
    const CommandResult result = expect_all_say(3, "the host", {"usual_gpu_engine"});
    EXPECT_THAT(result.errors,
                HasSubstr("tutti gpu: collectives of GPU values go through the host: "
                          "3 ranks see 1 GPUs"));
  }
}

// As under schedulers that show each rank its own, where somebody says so.
TEST_F(GpuNcclOfAJob, RanksThatSeeTheirOwnGpuAloneGoByNcclWithoutKernelsOfOurOwn) {
  if (real()) return;
  const EnvironmentVariable backends("TUTTI_BACKENDS", "cuda:nccl");
  const EnvironmentVariable log("TUTTI_LOG", "gpu");
  const auto run_apart = [](const std::string& scenario, const std::string& says) {
    const CommandResult result =
        run_command({tutti(), "launch", "-n", "2", "--", "/bin/sh", "-c",
                     "CUDA_VISIBLE_DEVICES=$RANK TUTTI_TEST_FAKE_CUDA=devices=1,first=$RANK exec " +
                         built("processes_program") + " " + scenario});
    expect_no_complaints(result);
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    for (int rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(lines_of_rank(result, rank), says + "\n") << result.errors;
    }
    return result.errors;
  };
  run_apart("usual_gpu_engine", "nccl");
  EXPECT_THAT(run_apart("over_nccl", "all right"),
              HasSubstr("collectives go by NCCL, without kernels of our own: rank 0: does not see "
                        "the GPU of rank 1"));
}

TEST_F(GpuNcclOfAJob, WhoAsksForItAndHasNoneIsNamedByAll) {
  if (real()) return;
  for (const std::string& apart :
       {library_without_symbols(), std::string(TUTTI_BINARY_DIR "/fake_nccl_2.27.7")}) {
    const CommandResult result = run(3, {"asks_for_nccl", apart});
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_THAT(lines_of_rank(result, rank), HasSubstr("Error: ")) << result.errors;
      EXPECT_THAT(lines_of_rank(result, rank), HasSubstr("NCCL")) << result.errors;
      if (rank == 1) continue;
      EXPECT_THAT(lines_of_rank(result, rank), HasSubstr("rank 1")) << result.errors;
    }
  }
}

// Its way with memory that is registered is another one.
TEST_F(GpuNcclOfAJob, ServesProgramsWithoutWindows) {
  const EnvironmentVariable off("TUTTI_SET", "windows=off");
  expect_all_say(2, "all right", {"over_nccl"});
}

// All go on, and one says so.
TEST_F(GpuNcclOfAJob, AWindowThatOneRankCanNotMakeIsDoneWithout) {
  if (real()) return;
  const EnvironmentVariable off("TUTTI_SET", "verify=on,comm_kernels=off");
  for (const int ranks : {2, 4}) {
    const CommandResult result =
        run(ranks, {"faults_over_nccl", "nccl_call", "1", "ncclCommWindowRegister", "1", "3"});
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(lines_of_rank(result, rank), "all right\n") << result.errors;
    }
    const std::string warning = "NCCL can't register memory, and goes on without windows";
    const std::size_t first = result.errors.find(warning);
    EXPECT_NE(first, std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find(warning, first + 1), std::string::npos) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("which is slower: rank 1: no window of "));
  }
}

// A sum then has NCCL's order, and still the right numbers.
TEST_F(GpuNcclOfAJob, ServesProgramsWithoutKernelsOfOurOwn) {
  const EnvironmentVariable off("TUTTI_SET", "comm_kernels=off");
  const EnvironmentVariable log("TUTTI_LOG", "gpu");
  const CommandResult result = run(2, {"over_nccl"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("without kernels of our own: rank 0: TUTTI_SET has "
                                       "comm_kernels=off"));
}

// Calls that it lacks, and sums in the order of the ranks.
TEST_F(GpuNcclOfAJob, KernelsMakeOfWhatItMovesWhatTheHostMakes) {
  expect_all_say(3, "all right", {"kernels_around_nccl"});
}

TEST_F(GpuNcclOfAJob, SmallSumsHaveTheHostsBits) {
  const EnvironmentVariable log("TUTTI_LOG", "gpu");
  const CommandResult result = run(3, {"small_sums_on_gpus"});
  // Real ones may be one for all ranks, or not reach each other.
  if (real() && result.errors.find("without kernels of our own") != std::string::npos) return;
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("bytes for collectives are reached by all members' GPUs"));
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(lines_of_rank(result, rank), "all right\n") << result.errors;
  }
}

TEST_F(GpuNcclOfAJob, ExtremesOfFloatsKeepNan) { expect_all_say(3, "all right", {"nan_on_gpus"}); }

TEST_F(GpuNcclOfAJob, ExactSumsHaveTheHostsBits) {
  expect_all_say(3, "all right", {"exact_sums_on_gpus"});
}

TEST_F(GpuNcclOfAJob, ARankThatIsKilledEndsTheKernelsThatWaitForIt) {
  const CommandResult result = run(3, {"dies_in_comm_kernels"});
  EXPECT_EQ(result.status, 128 + SIGKILL);
  for (const int rank : {0, 2}) {
    EXPECT_THAT(lines_of_rank(result, rank), HasSubstr("rank 1")) << result.errors;
  }
  EXPECT_THAT(result.errors, testing::Not(HasSubstr("signal 11")));
}

TEST_F(GpuNcclOfAJob, AgreesWithTheHostAboutAllCollectives) {
  if (real()) {
    expect_all_say(3, "486 agree", {"collectives_over_nccl", "1", "777", "100000"});
  } else {
    expect_all_say(3, "162 agree", {"collectives_over_nccl", "777"});
  }
}

TEST_F(GpuNcclOfAJob, AgreesWithPyTorchAboutAllCollectives) {
  expect_all_say(2, "all right", {"torch_references_on_gpus"});
}

TEST_F(GpuNcclOfAJob, HasManyUnderWay) { expect_all_say(4, "all right", {"many_over_nccl", "5"}); }

TEST_F(GpuNcclOfAJob, ARankThatIsKilledIsNamedByTheOthers) {
  const CommandResult result = run(3, {"dies_over_nccl"});
  EXPECT_EQ(result.status, 128 + SIGKILL);
  for (const int rank : {0, 2}) {
    EXPECT_THAT(lines_of_rank(result, rank), HasSubstr("rank 1")) << result.errors;
  }
  EXPECT_THAT(result.errors, testing::Not(HasSubstr("signal 11")));  // of the others, at their end
}

}  // namespace
}  // namespace tutti::test::cuda_nccl_test
