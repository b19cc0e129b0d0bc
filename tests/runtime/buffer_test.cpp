#include <tutti/ir/support/error.h>
#include <tutti/runtime/block_cache.h>
#include <tutti/runtime/buffer.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/allocation_count.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::buffer_test {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(Buffer, WrapsForeignMemory) {
  int value = 7;
  int released = 0;
  {
    const auto buffer = Buffer::wrap(&value, sizeof value, [&](void* data) {
      EXPECT_EQ(data, &value);
      ++released;
    });
    const auto second = buffer;
    EXPECT_EQ(static_cast<void*>(buffer->data()), &value);
    EXPECT_EQ(buffer->bytes(), sizeof value);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  Buffer::wrap(&value, sizeof value);  // nothing to release
}

TEST(Buffer, IsBorrowedWhereItsOwnerDoesNotHearOfItsEnd) {
  int value = 7;
  EXPECT_TRUE(Buffer::wrap(&value, sizeof value)->is_borrowed());
  EXPECT_FALSE(Buffer::wrap(&value, sizeof value, [](void*) {})->is_borrowed());
  EXPECT_FALSE(Allocator().allocate(0)->is_borrowed());
}

TEST(Allocator, IsAlignedWritableAndAsLargeAsAskedFor) {
  Allocator allocator;
  for (std::size_t bytes = 0; bytes < 3 * kMegabyte; bytes = bytes * 5 / 3 + 1) {
    const auto buffer = allocator.allocate(bytes);
    EXPECT_EQ(buffer->bytes(), bytes);
    ASSERT_NE(buffer->data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % kBufferAlignment, 0U);
    std::memset(buffer->data(), 1, bytes);
    // Rounding wastes little.
    EXPECT_LE(allocator.used_bytes(), bytes + std::max<std::size_t>(bytes / 7, kBufferAlignment));
  }
}

TEST(Allocator, HandsOutWhatWasFreed) {
  Allocator allocator;
  for (const std::size_t bytes : {std::size_t{100}, 5 * kMegabyte}) {
    auto first = allocator.allocate(bytes);
    const std::byte* address = first->data();
    const auto second = allocator.allocate(bytes);
    EXPECT_NE(second->data(), address);
    first.reset();
    EXPECT_GE(allocator.cached_bytes(), bytes);
    first = allocator.allocate(bytes - 3);  // the same size class
    EXPECT_EQ(first->data(), address);
  }
  EXPECT_EQ(allocator.used_bytes(), 0U);
  allocator.trim();
  EXPECT_EQ(allocator.cached_bytes(), 0U);
}

TEST(Allocator, KeepsNoMoreThanItsBoundAndDropsTheOldest) {
  Allocator allocator(4 * kMegabyte);
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int i = 0; i < 6; ++i) buffers.push_back(allocator.allocate(kMegabyte));
  auto other_size = allocator.allocate(2 * kMegabyte);
  const std::byte* newest = other_size->data();
  buffers.clear();
  EXPECT_EQ(allocator.cached_bytes(), 4 * kMegabyte);
  other_size.reset();
  EXPECT_EQ(allocator.cached_bytes(), 4 * kMegabyte);
  EXPECT_EQ(allocator.allocate(2 * kMegabyte)->data(), newest);
  allocator.trim(kMegabyte);
  EXPECT_LE(allocator.cached_bytes(), kMegabyte);
}

TEST(Allocator, BuffersOutliveIt) {
  auto allocator = std::make_unique<Allocator>();
  const auto buffer = allocator->allocate(1000);
  allocator.reset();
  std::memset(buffer->data(), 2, buffer->bytes());
  EXPECT_EQ(buffer->data()[999], std::byte{2});
}

TEST(Allocator, OutOfMemoryIsAnErrorWithSizes) {
  Allocator allocator;
  const auto held = allocator.allocate(3 * kMegabyte);
  for (const std::size_t bytes : {std::size_t{1} << 60, std::numeric_limits<std::size_t>::max()}) {
    try {
      (void)allocator.allocate(bytes);
      FAIL() << "should have thrown";
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(bytes) + " bytes"));
      EXPECT_THAT(error.what(), testing::HasSubstr("3 MiB are in use"));
    }
  }
  EXPECT_EQ(allocator.used_bytes(), 3 * kMegabyte);
}

TEST(Buffer, WrapsWithAnEmptyFunction) {
  int value = 7;
  {
    const auto buffer = Buffer::wrap(&value, sizeof value, std::function<void(void*)>());
    EXPECT_EQ(static_cast<void*>(buffer->data()), &value);
    EXPECT_EQ(buffer->bytes(), sizeof value);
  }
  EXPECT_EQ(value, 7);  // nothing is called, and nothing is freed
}

// Also what does not lie in a Release itself.
TEST(Buffer, WhatReleasesItIsDestroyedOnce) {
  const auto token = std::make_shared<int>(1);
  for (const bool large : {false, true}) {
    int released = 0;
    const std::array<std::int64_t, 8> padding{};
    std::shared_ptr<Buffer> buffer;
    if (large) {
      buffer = Buffer::wrap(&released, 4, [token, padding, &released](void*) {
        released += 1 + static_cast<int>(padding[0]);
      });
    } else {
      buffer = Buffer::wrap(&released, 4, [token, &released](void*) { ++released; });
    }
    EXPECT_EQ(token.use_count(), 2);
    buffer.reset();
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_EQ(released, 1);
  }
}

TEST(BufferPool, UsesABufferAgain) {
  BufferPool pool;
  const auto token = std::make_shared<int>(1);
  int values[2] = {};
  const Buffer* first = nullptr;
  for (int& value : values) {
    const auto buffer = pool.wrap(&value, 4, [token](void* data) { ++*static_cast<int*>(data); });
    if (first == nullptr) first = buffer.get();
    EXPECT_EQ(buffer.get(), first);
    EXPECT_EQ(static_cast<void*>(buffer->data()), &value);
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
  for (const int value : values) EXPECT_EQ(value, 1);
}

TEST(BufferPool, BuffersOutliveIt) {
  auto pool = std::make_unique<BufferPool>();
  int released = 0;
  auto buffer = pool->wrap(&released, 4, [&](void*) { ++released; });
  pool->wrap(&released, 4, {}).reset();
  pool.reset();
  EXPECT_EQ(released, 0);
  buffer.reset();
  EXPECT_EQ(released, 1);
}

// Sizes below and above that from which blocks are mappings of their own.
TEST(Allocator, OnceWarmItAsksNobodyForAnything) {
  if (!test::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  Allocator allocator;
  const std::size_t sizes[] = {0, 1, 100, 5000, 300'000, kMegabyte, 5 * kMegabyte};
  std::shared_ptr<Buffer> held[std::size(sizes)];
  const auto round = [&] {
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      held[i] = allocator.allocate(sizes[i]);
      std::memset(held[i]->data(), 1, sizes[i]);
    }
    for (auto& buffer : held) buffer = nullptr;
  };
  const test::AllocationCount cold = test::thread_allocations();
  round();
  const test::AllocationCount warm = test::thread_allocations();
  EXPECT_GT((warm - cold).allocations, 0U);
  EXPECT_GT((warm - cold).mappings, 0U);
  EXPECT_GT((warm - cold).minor_faults, 0U);
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(test::thread_allocations() - warm, test::AllocationCount());
}

TEST(Allocator, WeakPointersOutliveBufferAndAllocator) {
  std::weak_ptr<Buffer> watched;
  {
    Allocator allocator;
    auto buffer = allocator.allocate(100);
    watched = buffer;
    buffer.reset();
    EXPECT_TRUE(watched.expired());
    EXPECT_NE(allocator.allocate(100), nullptr);
  }
  EXPECT_EQ(watched.lock(), nullptr);
}

TEST(Allocator, ThreadsShareIt) {
  Allocator allocator(kMegabyte);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      std::vector<std::shared_ptr<Buffer>> held;
      for (int step = 0; step < 1000; ++step) {
        held.push_back(allocator.allocate(random() % 100'000));
        std::memset(held.back()->data(), static_cast<int>(seed), held.back()->bytes());
        if (held.size() > 10) held.erase(held.begin() + random() % 10);
        for (const auto& buffer : held) {
          if (buffer->bytes() > 0) {
            ASSERT_EQ(buffer->data()[buffer->bytes() - 1], static_cast<std::byte>(seed));
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator.used_bytes(), 0U);
}

// It may wait long where there is none.
class NoBlocks final : public BlockSource {
 public:
  explicit NoBlocks(std::string& calls) : calls_(calls) {}
  void* take(std::size_t) override {
    calls_ += "take ";
    return nullptr;
  }
  void* take_again(std::size_t) override {
    calls_ += "again ";
    return nullptr;
  }
  void give_back(void*, std::size_t) noexcept override {}

 private:
  std::string& calls_;
};

TEST(BlockCache, AsksItsSourceToWaitOnceAnAllocation) {
  std::string calls;
  const std::unique_ptr<BlockCache, BlockCache::Close> cache(
      new BlockCache(std::make_unique<NoBlocks>(calls), 0));
  EXPECT_EQ(cache->allocate(1000), nullptr);
  EXPECT_EQ(calls, "take again ");
}

}  // namespace
}  // namespace tutti::runtime::buffer_test
