#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/layout.h>
#include <tutti/runtime/comm/shm/segment.h>

#include <barrier>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::shm_layout_test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;

struct Laid {
  explicit Laid(std::size_t bytes, std::int64_t ranks = 2)
      : segment(Segment::create(bytes)), layout(segment.data()) {
    SegmentLayout::initialise(segment.data(), segment.bytes(), ranks);
  }

  Segment segment;
  SegmentLayout layout;
};

void expect_no_room(const SegmentLayout& layout, const Hash128& key, const std::string& text) {
  try {
    layout.group(key, 1, "one more");
    FAIL() << "there was room";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

TEST(SegmentLayout, EverythingHasAPlaceOfItsOwn) {
  for (const std::int64_t ranks : {1, 2, 3, 8, 21}) {
    const Laid laid(64 * kMiB, ranks);
    const SegmentHeader& header = laid.layout.header();
    EXPECT_EQ(header.magic, SegmentHeader::kMagic);
    EXPECT_EQ(header.ranks, ranks);
    EXPECT_EQ(header.bytes, 64 * kMiB);
    auto* end = laid.segment.data() + sizeof(SegmentHeader);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      auto* const page = reinterpret_cast<std::byte*>(&laid.layout.page(rank));
      EXPECT_GE(page, end);
      EXPECT_EQ((page - laid.segment.data()) % 4096, 0);
      end = page + sizeof(kernels::RankPage);
    }
    EXPECT_GE(laid.segment.data() + header.used.load(), end);
    EXPECT_GT(header.parts_at, header.used.load() + 2 * kMiB);  // groups have room
    end = laid.segment.data() + header.parts_at;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(laid.layout.part(rank), end);
      EXPECT_EQ((end - laid.segment.data()) % (2 * kMiB), 0);
      end += header.part_bytes;
    }
    EXPECT_GE(header.part_bytes, 2 * kMiB);
    EXPECT_LE(end, laid.segment.data() + laid.segment.bytes());
  }
}

TEST(SegmentLayout, TooManyRanksForTheMemoryAreAnError) {
  EXPECT_THROW(Laid(64 * kMiB, 1000), EnvironmentError);
}

TEST(SegmentLayout, OneGroupForOneKey) {
  const Laid laid(64 * kMiB);
  SharedGroup& group = laid.layout.group({1, 2}, 3, "dp");
  EXPECT_EQ(&laid.layout.group({1, 2}, 3, "dp"), &group);
  EXPECT_NE(&laid.layout.group({1, 3}, 3, "dp"), &group);
  EXPECT_NE(&laid.layout.group({2, 2}, 3, "dp"), &group);  // the same place in the table
  EXPECT_EQ(group.members, 3);
  EXPECT_STREQ(group.tag.data(), "dp");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(group.page()) % 64, 0U);
  const kernels::GroupPage page(group.page(), 3);
  EXPECT_EQ(page.done_by_all(), 0U);
  EXPECT_FALSE(page.failed(1));
}

TEST(SegmentLayout, AGroupsPageIsItsOwn) {
  const Laid laid(64 * kMiB);
  std::vector<kernels::GroupPage> pages;
  for (std::uint64_t key = 1; key <= 20; ++key) {
    pages.emplace_back(laid.layout.group({key, key}, 5, "group").page(), 5);
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    for (int member = 0; member < 5; ++member) {
      pages[i].publish(member, 63, {.fingerprint = i, .place = {.operand = i, .result = i}});
      pages[i].progress(member).done_through.store(i);
    }
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(pages[i].done_by_all(), i);
    for (int member = 0; member < 5; ++member) {
      EXPECT_EQ(pages[i].record(member, 63).fingerprint, i);
    }
  }
}

// Keys that fall on the same places, from all sides at once.
TEST(SegmentLayout, ManyThreadsGetTheSameGroups) {
  constexpr std::size_t kThreads = 6;
  constexpr std::uint64_t kKeys = 200;
  const Laid laid(1024 * kMiB);
  std::vector<std::vector<SharedGroup*>> got(kThreads);
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (std::uint64_t key = 0; key < kKeys; ++key) {
        got[thread].push_back(&laid.layout.group({key, key / 50}, 2, "many"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& groups : got) EXPECT_EQ(groups, got[0]);
  std::set<const SharedGroup*> visited;
  laid.layout.each_group([&](SharedGroup& group) { EXPECT_TRUE(visited.insert(&group).second); });
  EXPECT_EQ(visited, std::set<const SharedGroup*>(got[0].begin(), got[0].end()));
  EXPECT_EQ(visited.size(), kKeys);
}

TEST(SegmentLayout, AFullTableIsAnError) {
  const Laid laid(std::size_t{8} << 30);
  SharedGroup& first = laid.layout.group({0, 7}, 1, "first");
  for (std::uint64_t key = 1; key < SegmentHeader::kMostGroups; ++key) {
    laid.layout.group({key, key}, 1, "group");
  }
  const std::uint64_t used = laid.layout.header().used.load();
  expect_no_room(laid.layout, {1, 9999}, "there are more than 8192 groups");
  EXPECT_EQ(laid.layout.header().used.load(), used);
  EXPECT_EQ(&laid.layout.group({0, 7}, 1, "first"), &first);
}

TEST(SegmentLayout, WithoutMemoryForAnotherGroupItIsAnError) {
  const Laid laid(64 * kMiB);
  SharedGroup& first = laid.layout.group({0, 1}, 1, "first");
  const auto fill = [&] {
    for (std::uint64_t key = 1;; ++key) laid.layout.group({key, key}, 50, "large");
  };
  EXPECT_THROW(fill(), EnvironmentError);
  expect_no_room(laid.layout, {9, 9999}, "there are too many groups");
  EXPECT_EQ(&laid.layout.group({0, 1}, 1, "first"), &first);
  laid.layout.each_group([&](SharedGroup& group) {
    auto* const end = reinterpret_cast<std::byte*>(group.page()) +
                      kernels::GroupPage::bytes(static_cast<int>(group.members));
    EXPECT_LE(end, laid.layout.part(0));
  });
}

}  // namespace
}  // namespace tutti::runtime::shm_layout_test
