#include <tutti/runtime/comm/deadline.h>

#include <gtest/gtest.h>

namespace tutti::runtime::deadline_test {
namespace {

using namespace std::chrono_literals;

const Deadline::Clock::time_point kStart{};

TEST(Deadline, PassesWithTheTime) {
  Deadline deadline(1s, kStart);
  EXPECT_EQ(deadline.left(kStart + 400ms), 600ms);
  EXPECT_FALSE(deadline.has_passed(kStart + 800ms));
  EXPECT_TRUE(deadline.has_passed(kStart + 1000ms));
  EXPECT_TRUE(deadline.has_passed(kStart + 1001ms));
}

TEST(Deadline, DoesNotPassWhileTheProcessIsStopped) {
  Deadline deadline(2s, kStart);
  EXPECT_EQ(deadline.left(kStart + 10ms), 1990ms);
  EXPECT_EQ(deadline.left(kStart + 1h), 1990ms - Deadline::kLongestLook);
  EXPECT_EQ(deadline.left(kStart + 1h + 10ms), 1980ms - Deadline::kLongestLook);
}

TEST(Deadline, OfNoTimeHasPassedAtOnce) { EXPECT_TRUE(Deadline(0s, kStart).has_passed(kStart)); }

}  // namespace
}  // namespace tutti::runtime::deadline_test
