#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/complaints.h"
#include "tests/support/environment_variable.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

// `tutti comm-test`.
namespace tutti::test::comm_test_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CommandResult run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {TUTTI_BINARY_DIR "/bin/tutti", "comm-test"});
  CommandResult result = run_command(arguments);
  expect_no_complaints(result);
  return result;
}

// Without measuring for long.
CommandResult run_quickly(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--seconds", "0"});
  return run(arguments);
}

std::vector<nlohmann::json> rows(const CommandResult& result) {
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  std::vector<nlohmann::json> out;
  std::istringstream in(result.output);
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

TEST(CommTest, PutsTheTracesOfItsRanksTogether) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "trace.json";
  const EnvironmentVariable profile("TUTTI_PROFILE", file);
  const CommandResult result = run_quickly({"--sizes", "1K"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_TRUE(nlohmann::json::parse(folder.read("trace.json")).contains("traceEvents"));
  EXPECT_FALSE(std::filesystem::exists(file + ".rank0"));
}

TEST(CommTest, ChecksTheUsualCollectivesOfTwoRanks) {
  const CommandResult result = run_quickly({"--sizes", "1K"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("2 ranks, cpu:shm, f32; "));
  for (const char* const name :
       {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_recv"}) {
    EXPECT_THAT(result.output, HasSubstr("\n" + std::string(name) + " "));
  }
  EXPECT_THAT(result.output, HasSubstr("\nall results are right\n"));
}

// Bus bandwidth is what nccl-tests say: PERFORMANCE.md there.
TEST(CommTest, TellsBandwidthsAsNcclTestsDefineThem) {
  const auto found = rows(run_quickly(
      {"-n", "4", "--sizes", "4K", "--algorithms", "two_shot", "--json", "--collectives",
       "all_reduce,reduce,all_gather,gather,reduce_scatter,scatter,broadcast,all_to_all,"
       "collective_permute,scan_ranks,send_recv"}));
  ASSERT_EQ(found.size(), 11U);
  const std::map<std::string, double> factors = {
      {"all_reduce", 1.5},       {"reduce", 1},     {"all_gather", 0.75}, {"gather", 0.75},
      {"reduce_scatter", 0.75},  {"scatter", 0.75}, {"broadcast", 1},     {"all_to_all", 0.75},
      {"collective_permute", 1}, {"scan_ranks", 1}, {"send_recv", 1}};
  for (const auto& row : found) {
    const double algorithm = row["algorithm_bandwidth"];
    EXPECT_EQ(row["bytes"], 4096);
    EXPECT_EQ(row["ranks"], 4);
    EXPECT_EQ(row["wrong"], 0) << row;
    EXPECT_DOUBLE_EQ(algorithm, 4096 / row["seconds"].get<double>());
    EXPECT_NEAR(row["bus_bandwidth"], algorithm * factors.at(row["collective"]), algorithm * 1e-9);
  }
}

TEST(CommTest, SizesAreListsAndRanges) {
  const auto found = rows(run_quickly({"--sizes", "8,1K..4K", "--collectives", "all_reduce",
                                       "--algorithms", "one_shot", "--json"}));
  std::vector<std::int64_t> sizes;
  for (const auto& row : found) sizes.push_back(row["bytes"]);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{8, 1024, 2048, 4096}));
}

TEST(CommTest, EveryDtypeOfNumbersIsExact) {
  for (const char* const dtype : {"f64", "f16", "bf16", "f8_e4m3fn", "u8", "i16", "u64"}) {
    for (const auto& row :
         rows(run_quickly({"-n", "3", "--sizes", "100", "--dtype", dtype, "--collectives",
                           "all_reduce,all_to_all", "--json"}))) {
      EXPECT_EQ(row["wrong"], 0) << row;
      EXPECT_EQ(row["dtype"], dtype);
    }
  }
}

TEST(CommTest, OneRankTalksToItself) {
  const CommandResult result = run_quickly({"-n", "1", "--sizes", "64"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\nbroadcast "));
  EXPECT_THAT(result.output, Not(HasSubstr("send_recv")));
  EXPECT_THAT(result.output, HasSubstr("all results are right"));
}

TEST(CommTest, RunsAsTheRanksOfALauncher) {
  const std::string tool = TUTTI_BINARY_DIR "/bin/tutti";
  const CommandResult result =
      run_command({tool, "launch", "--no-prefix", "-n", "3", "--", tool, "comm-test", "--sizes",
                   "64", "--seconds", "0", "--collectives", "all_gather"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("3 ranks, "));
}

TEST(CommTest, WrongUsageSaysWhatWouldBeRight) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& says) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(says));
  };
  refused({"--collectives", "allreduce"}, "there is no 'allreduce'; did you mean 'all_reduce'?");
  refused({"--sizes", "1X"}, "'1X' is no size; say bytes");
  refused({"--sizes", "0"}, "'0' is no size");
  refused({"--sizes", "4K..1K"}, "'4K..1K' ends before it begins");
  refused({"--sizes", "99999999999G"}, "is no size");
  refused({"--dtype", "f31"}, "'f31' is no dtype of numbers");
  refused({"--dtype", "bool"}, "'bool' is no dtype of numbers");
  refused({"--algorithms", "oneshot"}, "there is no 'oneshot'");
  refused({"--algorithms", "nccl"}, "nccl is between GPUs; it takes --device cuda");
  refused({"--backends", "cpu:nowhere"}, "nowhere");
  refused({"-n", "0"}, "--ranks");
  refused({"-n", "1", "--collectives", "send_recv"}, "send_recv is a message of each rank to the");
  refused({"--device", "tpu"}, "--device");
  refused({"--seconds", "-1"}, "--seconds");
}

#if TUTTI_HAS_CUDA

class CommTestOfGpus : public testing::Test {
 private:
  EnvironmentVariable libraries_{"TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda"};
  EnvironmentVariable gpus_{"TUTTI_TEST_FAKE_CUDA", "devices=2"};
};

TEST_F(CommTestOfGpus, GoesOverNcclAndThroughTheHostWhereThatHasNone) {
  const auto found =
      rows(run_quickly({"--device", "cuda", "--sizes", "64", "--json", "--algorithms", "nccl"}));
  ASSERT_EQ(found.size(), 6U);
  for (const auto& row : found) {
    EXPECT_EQ(row["wrong"], 0) << row;
    EXPECT_EQ(row["device"], "cuda");
    EXPECT_EQ(row["engine"], row["collective"] == "send_recv" ? "shm" : "nccl");
  }
}

TEST_F(CommTestOfGpus, GoesByEveryAlgorithmThatThereIs) {
  const CommandResult result = run_quickly({"--device", "cuda", "--sizes", "64", "--json"});
  std::map<std::string, std::vector<std::string>> ways;
  for (const auto& row : rows(result)) {
    EXPECT_EQ(row["wrong"], 0) << row;
    ways[row["collective"]].push_back(row.value("algorithm", ""));
  }
  const std::vector<std::string> by_nccl = {"nccl", "windows"};
  const std::vector<std::string> gathering = {"nccl", "windows", "one_shot"};
  const std::map<std::string, std::vector<std::string>> expected = {
      {"all_reduce", {"nccl", "windows", "one_shot", "two_shot"}},
      {"all_gather", gathering},
      {"reduce_scatter", gathering},
      {"all_to_all", by_nccl},
      {"broadcast", by_nccl},
      {"send_recv", {""}}};
  EXPECT_EQ(ways, expected);
  EXPECT_THAT(result.errors, HasSubstr("none of these goes by multimem between these GPUs"));
}

// From sizes on that kernels do not read whole, and between three and more.
TEST_F(CommTestOfGpus, GoesByTheSwitchBetweenThem) {
  const EnvironmentVariable gpus("TUTTI_TEST_FAKE_CUDA", "devices=3");
  const auto found = rows(run_quickly({"--device", "cuda", "--sizes", "576K", "--json",
                                       "--collectives", "all_reduce", "--algorithms", "multimem"}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["wrong"], 0);
  EXPECT_EQ(found[0]["algorithm"], "multimem");
}

TEST_F(CommTestOfGpus, LeavesOutWhatTheyCanNot) {
  const EnvironmentVariable gpus("TUTTI_TEST_FAKE_CUDA", "devices=2,peers=off");
  const CommandResult result =
      run_quickly({"--device", "cuda", "--sizes", "64", "--json", "--backends", "cuda:nccl",
                   "--collectives", "all_reduce", "--algorithms", "nccl,one_shot"});
  const auto found = rows(result);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["algorithm"], "nccl");
  EXPECT_THAT(result.errors, HasSubstr("none of these goes by one_shot between these GPUs"));
}

// Which the ranks find out together, as they join.
TEST_F(CommTestOfGpus, GoesThroughTheHostWhereRanksSeeDifferentGpus) {
  const std::string tool = TUTTI_BINARY_DIR "/bin/tutti";
  const CommandResult result = run_command(
      {tool, "launch", "--no-prefix", "-n", "2", "--", "/bin/sh", "-c",
       "CUDA_VISIBLE_DEVICES=$RANK,2 exec " + tool +
           " comm-test --device cuda --sizes 64 --seconds 0 --json --collectives all_reduce"});
  expect_no_complaints(result);
  for (const auto& row : rows(result)) {
    EXPECT_EQ(row["wrong"], 0) << row;
    EXPECT_EQ(row["engine"], "shm");
  }
}

TEST_F(CommTestOfGpus, GoesThroughTheHostWhereAskedTo) {
  for (const auto& row : rows(run_quickly({"--device", "cuda", "--backends", "cuda:shm", "--sizes",
                                           "64", "--json", "--collectives", "all_reduce"}))) {
    EXPECT_EQ(row["wrong"], 0) << row;
    EXPECT_EQ(row["engine"], "shm");
  }
}

TEST_F(CommTestOfGpus, AWrongResultIsCountedAndAFailure) {
  const EnvironmentVariable wrong("TUTTI_TEST_FAKE_NCCL_WRONG", "1");
  const CommandResult result = run_quickly(
      {"--device", "cuda", "--sizes", "64", "--collectives", "all_gather", "--algorithms", "nccl"});
  EXPECT_EQ(result.status, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\n4 elements are wrong\n"));  // one a rank and check
}

#endif

}  // namespace
}  // namespace tutti::test::comm_test_test
