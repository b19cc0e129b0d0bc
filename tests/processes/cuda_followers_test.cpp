#include "tests/processes/cuda_replays_of.h"

namespace tutti::test::cuda_followers_test {
namespace {

// Kernels behind collectives between GPUs, which are a part of them where our own carry those out.
class FollowersOfAJob : public ReplaysOfAJob {};

TEST_F(FollowersOfAJob, HaveTheHostsResultsInReplays) {
  expect_all_say(2, "replayed 4 fused\nreplayed 4 fused", {"follows", "8", "f32", "bf16"});
}

TEST_F(FollowersOfAJob, AreLaunchedBehindWhatNcclCarriesOut) {
  const EnvironmentVariable off("TUTTI_SET", "verify=on,comm_kernels=off");
  expect_all_say(2, "replayed 0 fused", {"follows", "6", "f32"});
}

TEST_F(FollowersOfAJob, AreRightWhereNothingIsRecorded) {
  const EnvironmentVariable off("TUTTI_SET", "verify=on,record=off");
  expect_all_say(2, "launched 4 fused", {"follows", "3", "i32"});
}

TEST_F(FollowersOfAJob, AreLaunchedOnTheirOwnWhereEachLaunchIsWaitedFor) {
  const EnvironmentVariable on("TUTTI_SET", "verify=on,launch_blocking=on");
  expect_all_say(2, "launched 0 fused", {"follows", "3", "i32"});
}

TEST_F(FollowersOfAJob, AreRightInLoops) { expect_all_say(2, "fused", {"follows_in_a_loop"}); }

}  // namespace
}  // namespace tutti::test::cuda_followers_test
