#include <tutti/runtime/ring.h>

#include <deque>
#include <memory>
#include <random>

#include <gtest/gtest.h>

namespace tutti::runtime::ring_test {
namespace {

TEST(Ring, IsAQueue) {
  Ring<int> ring;
  std::deque<int> expected;
  std::minstd_rand random(1);
  for (int step = 0; step < 5000; ++step) {
    const auto choice = random() % 8;
    if (choice < 4 || expected.empty()) {
      ring.push_back() = step;
      expected.push_back(step);
    } else if (choice < 7) {
      EXPECT_EQ(ring.front(), expected.front());
      ring.pop_front();
      expected.pop_front();
    } else {
      const std::size_t at = random() % expected.size();
      ring.erase(at);
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
    }
    ASSERT_EQ(ring.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(ring[i], expected[i]);
  }
  ring.clear();
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, LetsGoOfWhatLeaves) {
  Ring<std::shared_ptr<int>> ring;
  const auto value = std::make_shared<int>(1);
  for (int i = 0; i < 20; ++i) ring.push_back() = value;
  ring.pop_front();
  ring.erase(7);
  EXPECT_EQ(value.use_count(), 19);
  ring.clear();
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
}  // namespace tutti::runtime::ring_test
