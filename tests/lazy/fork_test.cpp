#include <atomic>
#include <cstdint>
#include <string>

#include "tests/lazy/lazy_testing.h"
#include "tests/runtime/processes.h"
#include <unistd.h>

namespace tutti::test::fork_test {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 20;

float three_times_sum(const Tensor& x) { return sum(x * 3.F).item<float>(); }

// It has none of the threads that its parent computes with.
TEST(Forks, AForkedProcessComputesOnTheHost) {
  const Tensor x = ones({kMany});
  EXPECT_EQ(three_times_sum(x), 3.F * kMany);  // compiled: that may take threads, too
  const Tensor y = x + 1.F;
  runtime::Child child([&]() -> std::string {
    alarm(60);
    EXPECT_EQ(three_times_sum(x), 3.F * kMany);
    return "computed";
  });
  EXPECT_EQ(child.end(), "computed");
  EXPECT_EQ(sum(y).item<float>(), 2.F * kMany);
}

// The others' threads are gone, and with them whoever could answer.
TEST(Forks, AForkedProcessOfARankComputesButDoesNotCommunicate) {
  std::atomic<bool> is_still{false};  // rank 1
  std::atomic<bool> has_ended{false};
  simulate(2, [&](World& world) {
    const Tensor x = ones({kMany});
    EXPECT_EQ(three_times_sum(x), 3.F * kMany);
    EXPECT_EQ(all_reduce(tensor({1.F}), world).item<float>(), 2.F);
    if (world.rank() == 1) {
      is_still = true;
      is_still.notify_all();
      has_ended.wait(false);
    } else {
      is_still.wait(false);
      runtime::Child child([&]() -> std::string {
        alarm(60);
        EXPECT_EQ(three_times_sum(x), 3.F * kMany);
        world.abort("for itself");
        try {
          all_reduce(tensor({1.F}), world).item<float>();
        } catch (const UsageError& error) {
          return error.what();
        }
        return "no error";
      });
      EXPECT_THAT(child.end(), testing::HasSubstr("was forked off rank 0 and is no rank itself"));
      has_ended = true;
      has_ended.notify_all();
    }
    EXPECT_EQ(all_reduce(tensor({1.F}), world).item<float>(), 2.F);
  });
}

}  // namespace
}  // namespace tutti::test::fork_test
