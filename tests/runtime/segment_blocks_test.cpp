#include <tutti/runtime/comm/shm/segment.h>
#include <tutti/runtime/comm/shm/segment_blocks.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime::segment_blocks_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Blocks with a cache in front, in memory that can be asked how much of it is really there.
struct Mapped {
  explicit Mapped(std::size_t bytes, std::size_t cache_bytes = 64 * kMiB)
      : segment(Segment::create(bytes)),
        blocks(new SegmentBlocks(segment.data(), bytes)),
        cache(new BlockCache(std::unique_ptr<BlockSource>(blocks), cache_bytes)) {}

  // The addresses of blocks, which are held until they are freed. From any thread.
  std::byte* allocate(std::size_t bytes) {
    std::shared_ptr<Buffer> buffer = cache->allocate(bytes);
    if (buffer == nullptr) return nullptr;
    std::byte* const block = buffer->data();
    const std::scoped_lock lock(mutex);
    held[block] = std::move(buffer);
    return block;
  }
  void free(std::byte* block) {
    std::unique_lock lock(mutex);
    const auto buffer = held.extract(block);
    lock.unlock();
  }

  std::size_t present_bytes() const {
    struct stat status{};
    EXPECT_EQ(fstat(segment.descriptor(), &status), 0);
    return static_cast<std::size_t>(status.st_blocks) * 512;
  }

  Segment segment;
  SegmentBlocks* blocks;
  std::unique_ptr<BlockCache, BlockCache::Close> cache;
  std::mutex mutex;  // of what follows
  std::map<std::byte*, std::shared_ptr<Buffer>> held;
};

TEST(SegmentBlocks, WhatIsTakenFromTheEndLeavesTheFirstHalfWhole) {
  Segment segment = Segment::create(8 * kMiB);
  SegmentBlocks blocks(segment.data(), 8 * kMiB);
  std::vector<void*> taken;
  while (void* const block = blocks.take_from_end(kMiB / 2)) {
    EXPECT_GE(block, segment.data() + 4 * kMiB);
    taken.push_back(block);
  }
  EXPECT_EQ(taken.size(), 8U);
  EXPECT_EQ(blocks.free_bytes(), 4 * kMiB);
  void* const half = blocks.take(4 * kMiB);
  EXPECT_EQ(half, segment.data());
  blocks.give_back(half, 4 * kMiB);
  for (void* const block : taken) blocks.give_back(block, kMiB / 2);
  EXPECT_EQ(blocks.free_bytes(), 8 * kMiB);
  EXPECT_EQ(blocks.take(8 * kMiB), segment.data());
  EXPECT_EQ(blocks.take_from_end(64), nullptr);
}

TEST(SegmentBlocks, BlocksAreAlignedAndApart) {
  Mapped mapped(8 * kMiB);
  std::map<std::byte*, std::size_t> blocks;
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 4095, 4097, 100'000, 1'000'000}) {
    std::byte* const block = mapped.allocate(bytes);
    ASSERT_NE(block, nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kBufferAlignment, 0U) << bytes;
    blocks[block] = bytes;
  }
  std::byte* end = mapped.segment.data();
  for (const auto& [block, bytes] : blocks) {
    EXPECT_GE(block, end);
    end = block + std::max<std::size_t>(bytes, 1);
  }
  EXPECT_LE(end, mapped.segment.data() + 8 * kMiB);
}

TEST(SegmentBlocks, AFreedBlockServesTheNextOfItsSize) {
  Mapped mapped(8 * kMiB);
  std::byte* const block = mapped.allocate(kMiB);
  std::byte* const other = mapped.allocate(kMiB);
  mapped.free(block);
  EXPECT_EQ(mapped.allocate(kMiB - 5), block);  // of the same class
  EXPECT_NE(mapped.allocate(kMiB), other);
}

TEST(SegmentBlocks, CountsWhatIsHandedOut) {
  Mapped mapped(8 * kMiB);
  std::byte* const block = mapped.allocate(kMiB);
  std::byte* const small = mapped.allocate(1);
  EXPECT_EQ(mapped.cache->used(), kMiB + kBufferAlignment);
  mapped.free(block);
  EXPECT_EQ(mapped.cache->used(), kBufferAlignment);
  mapped.free(small);
  EXPECT_EQ(mapped.cache->used(), 0U);
}

TEST(SegmentBlocks, WithoutRoomTheAnswerIsNull) {
  Mapped mapped(4 * kMiB);
  EXPECT_EQ(mapped.allocate(4 * kMiB + 1), nullptr);
  EXPECT_EQ(mapped.allocate(~std::size_t{0}), nullptr);
  std::byte* const all = mapped.allocate(4 * kMiB);
  EXPECT_NE(all, nullptr);
  EXPECT_EQ(mapped.allocate(1), nullptr);
  EXPECT_EQ(mapped.cache->used(), 4 * kMiB);
  mapped.free(all);
  EXPECT_NE(mapped.allocate(1), nullptr);
}

TEST(SegmentBlocks, NeighboursAreJoinedInAnyOrder) {
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    Mapped mapped(4 * kMiB);
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(mapped.allocate(kMiB));
    for (const std::size_t i : order) mapped.free(blocks[i]);
    EXPECT_EQ(mapped.allocate(4 * kMiB), mapped.segment.data());
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SegmentBlocks, NoBlockIsHandedOutTwice) {
  Mapped mapped(16 * kMiB, 2 * kMiB);
  std::minstd_rand random(1);
  std::map<std::byte*, std::size_t> blocks;
  for (int round = 0; round < 20'000; ++round) {
    if (random() % 2 == 0 && !blocks.empty()) {
      auto victim = blocks.lower_bound(mapped.segment.data() + random() % (16 * kMiB));
      if (victim == blocks.end()) victim = blocks.begin();
      mapped.free(victim->first);
      blocks.erase(victim);
      continue;
    }
    const std::size_t bytes = random() % (random() % 8 == 0 ? 2 * kMiB : 20'000);
    std::byte* const block = mapped.allocate(bytes);
    if (block == nullptr) continue;
    const auto next = blocks.emplace(block, bytes).first;
    if (next != blocks.begin()) {
      const auto before = std::prev(next);
      ASSERT_LE(before->first + before->second, block);
    }
    if (std::next(next) != blocks.end()) {
      ASSERT_LE(block + bytes, std::next(next)->first);
    }
    ASSERT_LE(block + bytes, mapped.segment.data() + 16 * kMiB);
  }
  for (const auto& [block, bytes] : blocks) mapped.free(block);
  EXPECT_EQ(mapped.cache->used(), 0U);
  EXPECT_NE(mapped.allocate(16 * kMiB), nullptr);
}

TEST(SegmentBlocks, PagesAreThereWhenABlockIsHandedOut) {
  Mapped mapped(16 * kMiB);
  EXPECT_EQ(mapped.present_bytes(), 0U);
  mapped.allocate(4 * kMiB);
  EXPECT_GE(mapped.present_bytes(), 4 * kMiB);
  EXPECT_LT(mapped.present_bytes(), 16 * kMiB);
}

// The file ends halfway, so there are none for the rest.
TEST(SegmentBlocks, ABlockThatCanNotHaveAllItsPagesKeepsNone) {
  const Descriptor file(memfd_create("tutti", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(file.number(), kMiB), 0);
  void* const data = mmap(nullptr, 2 * kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  ASSERT_NE(data, MAP_FAILED);
  SegmentBlocks blocks(static_cast<std::byte*>(data), 2 * kMiB);
  EXPECT_EQ(blocks.take(2 * kMiB), nullptr);
  struct stat status{};
  ASSERT_EQ(fstat(file.number(), &status), 0);
  EXPECT_EQ(status.st_blocks, 0);
  EXPECT_EQ(blocks.take(kMiB), data);
  munmap(data, 2 * kMiB);
}

TEST(SegmentBlocks, FreedBlocksKeepTheirPagesUpToTheCacheLimit) {
  Mapped mapped(16 * kMiB, 5 * kMiB);
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(mapped.allocate(2 * kMiB));
  *blocks[3] = std::byte{7};
  mapped.free(blocks[0]);
  mapped.free(blocks[1]);
  EXPECT_GE(mapped.present_bytes(), 8 * kMiB);
  mapped.free(blocks[2]);  // more than the limit
  EXPECT_LT(mapped.present_bytes(), 7 * kMiB);
  mapped.cache->trim(0);
  EXPECT_LT(mapped.present_bytes(), 3 * kMiB);
  EXPECT_EQ(*blocks[3], std::byte{7});
  std::byte* const again = mapped.allocate(6 * kMiB);
  std::fill_n(again, 6 * kMiB, std::byte{1});
  EXPECT_EQ(*blocks[3], std::byte{7});
}

TEST(SegmentBlocks, PagesThatPeersMayReadAreNeverGivenBack) {
  Mapped mapped(16 * kMiB, kMiB);
  std::byte* const block = mapped.allocate(4 * kMiB);
  block[3 * kMiB] = std::byte{7};
  mapped.blocks->keep_pages();
  mapped.free(block);
  EXPECT_EQ(mapped.allocate(16 * kMiB), mapped.segment.data());  // joined all the same
  EXPECT_EQ(block[3 * kMiB], std::byte{7});
}

TEST(SegmentBlocks, SeveralThreadsAtOnce) {
  Mapped mapped(64 * kMiB, 4 * kMiB);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::minstd_rand random(thread + 1);
      const auto mine = static_cast<std::byte>(thread + 1);
      for (int round = 0; round < 500; ++round) {
        const std::size_t bytes = 1 + random() % 300'000;
        std::byte* const block = mapped.allocate(bytes);
        ASSERT_NE(block, nullptr);
        std::fill_n(block, bytes, mine);
        std::this_thread::yield();
        EXPECT_TRUE(std::all_of(block, block + bytes, [&](std::byte at) { return at == mine; }));
        mapped.free(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(mapped.cache->used(), 0U);
}

}  // namespace
}  // namespace tutti::runtime::segment_blocks_test
