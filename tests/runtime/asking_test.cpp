#include <tutti/runtime/comm/asking.h>
#include <tutti/runtime/comm/local.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/allocation_count.h"
#include <gtest/gtest.h>

namespace tutti::runtime::asking_test {
namespace {

class AskingTest : public testing::Test {
 protected:
  AskingTest() {
    for (kernels::RankPage& page : *memory_) pages_.push_back(&page);
  }

  // Of the position's rank.
  std::uint32_t waiting(int position) const {
    return pages_[static_cast<std::size_t>(position)]->waiting_peers.load();
  }
  // Until it has asked.
  static void look_long(Asking& asking, const std::vector<int>& late) {
    for (int look = 0; look < 100; ++look) asking.looked(late);
  }

  const std::unique_ptr<std::array<kernels::RankPage, 3>> memory_ =
      std::make_unique<std::array<kernels::RankPage, 3>>();
  std::vector<kernels::RankPage*> pages_;
  const std::vector<std::int64_t> ranks_{5, 70, 6};
  std::vector<int> spare_;
};

TEST_F(AskingTest, CountsThoseWaitedForUntilTheyCome) {
  {
    Asking asking(pages_, ranks_, 0, 1000, spare_);
    asking.looked({1, 2});
    EXPECT_EQ(waiting(1), 0U);  // after a moment alone
    look_long(asking, {1, 2});
    EXPECT_TRUE(asking.waits_long());
    EXPECT_EQ(waiting(1), 1U);
    EXPECT_EQ(waiting(2), 1U);
    EXPECT_EQ(pages_[0]->asked[0].load(), std::uint64_t{1} << 6);
    EXPECT_EQ(pages_[0]->asked[1].load(), std::uint64_t{1} << 6);
    asking.looked({1});
    EXPECT_EQ(waiting(1), 1U);
    EXPECT_EQ(waiting(2), 0U);
  }
  EXPECT_EQ(waiting(1), 0U);
  EXPECT_EQ(pages_[0]->asked[0].load(), 0U);
  EXPECT_EQ(pages_[0]->asked[1].load(), 0U);
}

// As where memory that is released in a wait waits for something itself.
TEST_F(AskingTest, OneWaitInAnotherLeavesThatOnesCountAlone) {
  const auto asked = [&] { return pages_[0]->asked[1].load() >> 6; };
  {
    Asking outer(pages_, ranks_, 0, 1000, spare_);
    look_long(outer, {1});
    {
      Asking inner(pages_, ranks_, 0, 1000, spare_);
      look_long(inner, {1, 2});
      EXPECT_EQ(waiting(1), 1U);
      EXPECT_EQ(waiting(2), 1U);
      inner.looked({1});
      EXPECT_EQ(waiting(2), 0U);
    }
    EXPECT_EQ(waiting(1), 1U);
    EXPECT_EQ(asked(), 1U);
  }
  EXPECT_EQ(waiting(1), 0U);
  EXPECT_EQ(waiting(2), 0U);
  EXPECT_EQ(asked(), 0U);
}

// What its page says is all that is left of it.
TEST(Asking, ARankThatDiesInOneWaitBehindAnotherWaitsForNobody) {
  LocalFabric fabric(3);
  const std::vector<std::int64_t> ranks{0, 1, 2};
  std::vector<kernels::RankPage*> pages;
  for (const std::int64_t rank : ranks) pages.push_back(&fabric.page(rank));
  std::vector<int> spare;
  std::optional<Asking> outer(std::in_place, pages, ranks, 0, 0, spare);
  outer->looked({1});
  {
    Asking inner(pages, ranks, 0, 0, spare);
    inner.looked({1, 2});
  }
  fabric.note_death(0);
  EXPECT_EQ(pages[1]->waiting_peers.load(), 0U);
  EXPECT_EQ(pages[2]->waiting_peers.load(), 0U);
  ++pages[1]->waiting_peers;  // it does not end here by itself
  outer.reset();
  EXPECT_EQ(pages[1]->waiting_peers.load(), 0U);
}

TEST_F(AskingTest, NeedsNoMemoryWhereThereIsRoom) {
  spare_.reserve(3);
  const int* const room = spare_.data();
  const std::vector<int> late{1, 2};
  const test::AllocationCount before = test::thread_allocations();
  for (int time = 0; time < 2; ++time) {
    Asking asking(pages_, ranks_, 0, 1000, spare_);
    look_long(asking, late);
  }
  EXPECT_EQ((test::thread_allocations() - before).allocations, 0U);
  EXPECT_EQ(spare_.data(), room);
  {
    Asking outer(pages_, ranks_, 0, 1000, spare_);
    look_long(outer, late);
    Asking inner(pages_, ranks_, 0, 1000, spare_);
    look_long(inner, {1});
  }
  EXPECT_EQ(spare_.data(), room);
  EXPECT_TRUE(spare_.empty());
}

}  // namespace
}  // namespace tutti::runtime::asking_test
