#include <string>

#include "tests/processes/cuda_replays_of.h"

namespace tutti::test::cuda_leaders_test {
namespace {

// Kernels that make the operands of collectives between GPUs, and are a part of them where our own
// carry those out.
class LeadersOfAJob : public ReplaysOfAJob {
 protected:
  // The same of each of the programs, of which there are four for each dtype.
  static void expect_each_says(const std::string& text, const Words& scenario) {
    std::string all;
    for (std::size_t i = 0; i < 4 * (scenario.size() - 2); ++i) all += (i == 0 ? "" : "\n") + text;
    expect_all_say(2, all, scenario);
  }
};

TEST_F(LeadersOfAJob, HaveTheHostsResultsInReplays) {
  expect_each_says("replayed 1 led", {"leads", "8", "f32", "bf16"});
}

TEST_F(LeadersOfAJob, AreLaunchedInFrontOfWhatNcclCarriesOut) {
  const EnvironmentVariable off("TUTTI_SET", "verify=on,comm_kernels=off");
  expect_each_says("replayed 0 led", {"leads", "6", "f32"});
}

TEST_F(LeadersOfAJob, AreRightWhereNothingIsRecorded) {
  const EnvironmentVariable off("TUTTI_SET", "verify=on,record=off");
  expect_each_says("launched 1 led", {"leads", "3", "i32"});
}

TEST_F(LeadersOfAJob, AreLaunchedOnTheirOwnWhereEachLaunchIsWaitedFor) {
  const EnvironmentVariable on("TUTTI_SET", "verify=on,launch_blocking=on");
  expect_each_says("launched 0 led", {"leads", "3", "i32"});
}

}  // namespace
}  // namespace tutti::test::cuda_leaders_test
