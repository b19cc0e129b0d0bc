#include "tests/processes/cuda_replays_of.h"

namespace tutti::test::cuda_followers_slow {
namespace {

// More ranks and dtypes than cuda_followers_test.cpp has.
class FollowersOfALargeJob : public ReplaysOfAJob {};

TEST_F(FollowersOfALargeJob, HaveTheHostsResults) {
  std::string all;
  for (int i = 0; i < 6; ++i) all += std::string(i == 0 ? "" : "\n") + "replayed 4 fused";
  for (const int ranks : {2, 4}) {
    expect_all_say(ranks, all, {"follows", "20", "f32", "bf16", "i32", "f64", "f16", "u8"});
  }
}

}  // namespace
}  // namespace tutti::test::cuda_followers_slow
