#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/comm_memory.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::comm_memory_test {
namespace {

using testing::HasSubstr;

// Room for so many bytes. Counts what it has handed out.
class SmallMemory final : public CommMemory {
 public:
  explicit SmallMemory(std::size_t bytes) : CommMemory(0), room_(std::make_shared<Room>()) {
    room_->bytes = bytes;
  }
  bool reachable(const void* /*data*/, std::size_t /*bytes*/) const override { return true; }
  bool is_forked_off() const override { return forked_off_; }
  void fork_off() { forked_off_ = true; }
  std::size_t used() const { return room_->used; }

 protected:
  std::shared_ptr<Buffer> take(std::size_t bytes, const MemoryLabel& /*label*/) override {
    if (room_->used + bytes > room_->bytes) return nullptr;
    room_->used += bytes;
    std::shared_ptr<Buffer> block = Allocator(0).allocate(bytes);
    return Buffer::wrap(block->data(), bytes,
                        [block, bytes, room = room_](void*) { room->used -= bytes; });
  }
  std::string full(std::size_t bytes) const override {
    return "no room for " + std::to_string(bytes);
  }

 private:
  struct Room {
    std::size_t bytes = 0;
    std::size_t used = 0;
  };
  std::shared_ptr<Room> room_;
  bool forked_off_ = false;
};

constexpr std::size_t kHeader = sizeof(kernels::SharedBlock);

TEST(CommMemory, WithoutRoomItSaysWhatThereIs) {
  const auto memory = std::make_shared<SmallMemory>(100);
  const auto block = memory->allocate(60);
  try {
    memory->allocate(41);
    FAIL() << "allocated";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no room for 41"));
  }
  EXPECT_NO_THROW(memory->allocate(40));
}

TEST(CommMemory, WhatOneRankAloneUsesMayLieAnywhere) {
  const auto memory = std::make_shared<SmallMemory>(100);
  const auto inside = memory->allocate_anywhere(60);
  EXPECT_EQ(memory->used(), 60U);
  const auto outside = memory->allocate_anywhere(60);
  EXPECT_EQ(memory->used(), 60U);
  EXPECT_EQ(outside->bytes(), 60U);
}

TEST(CommMemory, PlacesAndPointersAreTheSameThing) {
  const auto memory = std::make_shared<SmallMemory>(1000);
  const auto block = memory->allocate(100);
  EXPECT_EQ(memory->pointer_to<std::byte>(memory->place_of(block->data())), block->data());
  EXPECT_EQ(memory->pointer_to<std::byte>(0), nullptr);
}

TEST(CommMemory, ALentResultComesBackWithItsLastHolder) {
  const auto memory = std::make_shared<SmallMemory>(kHeader + 500);
  const std::uint64_t place = memory->lend(500, 3);
  ASSERT_NE(place, 0U);
  EXPECT_EQ(place % kBufferAlignment, 0U);
  std::vector<std::shared_ptr<Buffer>> holds;
  for (int i = 0; i < 3; ++i) {
    holds.push_back(memory->hold(place, 500));
    EXPECT_EQ(holds[0]->data(), memory->pointer_to<std::byte>(place));
    EXPECT_EQ(holds[0]->bytes(), 500U);
  }
  std::shared_ptr<Buffer> copy = holds[1];  // no hold of its own
  while (!holds.empty()) {
    holds.pop_back();
    EXPECT_EQ(memory->lend(500, 3), 0U);
    EXPECT_THROW(memory->allocate(500), EnvironmentError);
  }
  copy.reset();
  EXPECT_NE(memory->lend(500, 3), 0U);
}

TEST(CommMemory, AllocateFindsWhatCameBackToo) {
  const auto memory = std::make_shared<SmallMemory>(kHeader + 500);
  memory->hold(memory->lend(500, 1), 500).reset();
  EXPECT_NO_THROW(memory->allocate(500));
}

TEST(CommMemory, WhatNobodyWasToldOfIsTakenBack) {
  const auto memory = std::make_shared<SmallMemory>(kHeader + 500);
  memory->take_back(memory->lend(500, 8));
  EXPECT_NE(memory->lend(500, 8), 0U);
}

// A slower peer may still read what this rank announced, and with it what it held.
TEST(CommMemory, ARankThatLeftHoldsForGood) {
  const auto memory = std::make_shared<SmallMemory>(kHeader + 500);
  auto held = memory->hold(memory->lend(500, 1), 500);
  memory->close();
  held.reset();
  EXPECT_EQ(memory->lend(500, 1), 0U);
}

TEST(CommMemory, AProcessThatWasForkedOffHoldsNothing) {
  const auto memory = std::make_shared<SmallMemory>(kHeader + 500);
  auto held = memory->hold(memory->lend(500, 1), 500);
  memory->fork_off();
  held.reset();
  EXPECT_EQ(memory->lend(500, 1), 0U);
}

TEST(CommMemory, IsKeptAliveByWhatIsHeldAndByNothingElse) {
  auto memory = std::make_shared<SmallMemory>(1000);
  const std::weak_ptr<SmallMemory> watched = memory;
  memory->lend(100, 2);  // never held
  auto held = memory->hold(memory->lend(100, 2), 100);
  memory.reset();
  ASSERT_FALSE(watched.expired());
  std::fill_n(held->data(), 100, std::byte{1});
  held.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(CommMemory, HoldersMayComeFromManyThreads) {
  const auto memory = std::make_shared<SmallMemory>(kHeader + 500);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t place = memory->lend(500, 4);
    ASSERT_NE(place, 0U) << "round " << round;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        const auto held = memory->hold(place, 500);
        EXPECT_NE(held->data(), nullptr);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace tutti::runtime::comm_memory_test
