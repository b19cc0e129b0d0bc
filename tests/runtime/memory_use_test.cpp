#include <tutti/ir/support/error.h>
#include <tutti/runtime/buffer.h>
#include <tutti/runtime/memory_use.h>

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::memory_use_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kKilobyte = 1024;

MemoryLabel label(const char* what, std::uint32_t line = 0) {
  return {.what = what, .where = line == 0 ? Location() : Location("train.cpp", line)};
}

// An allocator that counts with others.
struct Counting {
  std::shared_ptr<MemoryUse> use = std::make_shared<MemoryUse>();
  Allocator allocator{host_blocks(), Allocator::kDefaultCacheBytes, use};

  std::shared_ptr<Buffer> take(std::size_t bytes, const MemoryLabel& of = {}) {
    return allocator.allocate(bytes, of);
  }
  MemoryReport report() const { return use->report(); }
};

std::vector<std::string> texts(const std::vector<MemoryBlock>& blocks) {
  std::vector<std::string> out;
  for (const MemoryBlock& block : blocks) {
    out.push_back(std::to_string(block.bytes / kKilobyte) + " " + block.label.text());
  }
  return out;
}

TEST(MemoryUse, CountsWhatIsInUseAndWhatIsKept) {
  Counting memory;
  auto first = memory.take(2 * kKilobyte);
  auto second = memory.take(4 * kKilobyte);
  EXPECT_EQ(memory.report().in_use, 6 * kKilobyte);
  EXPECT_EQ(memory.report().cached, 0U);
  second.reset();
  EXPECT_EQ(memory.report().in_use, 2 * kKilobyte);
  EXPECT_EQ(memory.report().cached, 4 * kKilobyte);
  EXPECT_EQ(memory.report().peak, 6 * kKilobyte);
  memory.allocator.trim();
  EXPECT_EQ(memory.report().cached, 0U);
  EXPECT_EQ(memory.report().in_use, 2 * kKilobyte);
}

TEST(MemoryUse, AllocationsOfKeptBlocksAreNotNewOnes) {
  Counting memory;
  for (int i = 0; i < 5; ++i) memory.take(kKilobyte);
  EXPECT_EQ(memory.report().allocations, 5U);
  EXPECT_EQ(memory.report().new_blocks, 1U);
}

TEST(MemoryUse, NamesWhoHasMostTheLargestFirst) {
  Counting memory;
  std::vector<std::shared_ptr<Buffer>> held;
  for (std::size_t size = 1; size <= 10; ++size) {
    held.push_back(memory.take(size * kKilobyte, label("add", static_cast<std::uint32_t>(size))));
  }
  held.erase(held.begin() + 8);  // 9 KiB
  EXPECT_THAT(texts(memory.report().largest),
              ElementsAre("10 add (train.cpp:10)", "8 add (train.cpp:8)", "7 add (train.cpp:7)",
                          "6 add (train.cpp:6)", "5 add (train.cpp:5)", "4 add (train.cpp:4)",
                          "3 add (train.cpp:3)", "2 add (train.cpp:2)"));
  held.clear();
  EXPECT_THAT(memory.report().largest, ElementsAre());
}

TEST(MemoryUse, RemembersThePeakWhenItsBlocksAreGone) {
  Counting memory;
  {
    const auto x = memory.take(2 * kKilobyte, label("data", 1));
    {
      const auto gone = memory.take(kKilobyte, label("exp", 2));
    }
    const auto y = memory.take(4 * kKilobyte, label("matmul", 3));
    const auto z = memory.take(kKilobyte, label("add", 4));
  }
  const auto small = memory.take(3 * kKilobyte, label("mul", 5));
  const MemoryReport report = memory.report();
  EXPECT_EQ(report.peak, 7 * kKilobyte);
  EXPECT_EQ(report.peak_label.text(), "add (train.cpp:4)");
  EXPECT_THAT(texts(report.largest_at_peak),
              ElementsAre("4 matmul (train.cpp:3)", "2 data (train.cpp:1)", "1 add (train.cpp:4)"));
}

TEST(MemoryUse, APeakThatIsRightNowHasTheBlocksOfNow) {
  Counting memory;
  const auto x = memory.take(2 * kKilobyte, label("data", 1));
  const auto y = memory.take(4 * kKilobyte, label("exp", 2));
  EXPECT_THAT(texts(memory.report().largest_at_peak),
              ElementsAre("4 exp (train.cpp:2)", "2 data (train.cpp:1)"));
}

TEST(MemoryUse, AfterAResetThePeakIsWhatIsInUse) {
  Counting memory;
  const auto x = memory.take(2 * kKilobyte, label("data", 1));
  memory.take(8 * kKilobyte, label("exp", 2));
  memory.use->reset_peak();
  EXPECT_EQ(memory.report().peak, 2 * kKilobyte);
  EXPECT_EQ(memory.report().peak_label.text(), "data (train.cpp:1)");
  memory.take(kKilobyte, label("add", 3));
  EXPECT_EQ(memory.report().peak, 3 * kKilobyte);
  EXPECT_EQ(memory.report().peak_label.text(), "add (train.cpp:3)");
}

TEST(MemoryUse, OfSeveralAllocatorsThePeakIsThatOfTheSum) {
  Counting memory;
  Allocator other(host_blocks(), Allocator::kDefaultCacheBytes, memory.use);
  memory.take(8 * kKilobyte);
  other.allocate(8 * kKilobyte);
  EXPECT_EQ(memory.report().peak, 8 * kKilobyte);
  const auto x = memory.take(8 * kKilobyte);
  const auto y = other.allocate(8 * kKilobyte);
  EXPECT_EQ(memory.report().peak, 16 * kKilobyte);
  EXPECT_EQ(memory.allocator.used_bytes(), 8 * kKilobyte);
}

TEST(MemoryUse, CountsMemoryOfNoAllocatorAsItIs) {
  Counting memory;
  {
    const MemoryUse::Counted counted(memory.use, 3000, label("workspace"));
    EXPECT_EQ(memory.report().in_use, 3000U);
    EXPECT_EQ(memory.report().largest.at(0).label.text(), "workspace");
  }
  EXPECT_EQ(memory.report().in_use, 0U);
}

TEST(MemoryUse, BuffersOutliveWhoAsks) {
  auto memory = std::make_unique<Counting>();
  const std::shared_ptr<MemoryUse> use = memory->use;
  auto buffer = memory->take(kKilobyte);
  memory.reset();
  EXPECT_EQ(use->report().in_use, kKilobyte);
  buffer.reset();
  EXPECT_EQ(use->report().in_use, 0U);
}

TEST(MemoryUse, WhatIsOutOfMemoryIsToldWithTheLineAndTheLargest) {
  Counting memory;
  const auto weights = memory.take(3 * kKilobyte, label("data", 7));
  try {
    memory.take(std::size_t{1} << 60, label("matmul", 12));
    FAIL() << "should have thrown";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.where().text(), "train.cpp:12");
    EXPECT_THAT(
        error.what(),
        HasSubstr("train.cpp:12: out of memory: no 1152921504606846976 bytes (1 EiB) to be "
                  "had for matmul; 3 KiB are in use by this rank, most of it 3 KiB for data "
                  "(train.cpp:7); the host has "));
  }
  EXPECT_EQ(memory.report().in_use, 3 * kKilobyte);
  EXPECT_NE(memory.take(kKilobyte), nullptr);
}

TEST(MemoryUse, ABufferMayBeLabelledAnew) {
  Counting memory;
  const auto x = memory.take(kKilobyte, label("add", 1));
  x->set_label(label("add", 2));
  EXPECT_EQ(memory.report().largest.at(0).label.text(), "add (train.cpp:2)");
}

}  // namespace
}  // namespace tutti::runtime::memory_use_test
