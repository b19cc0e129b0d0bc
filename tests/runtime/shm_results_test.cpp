// Results that processes share: one copy serves all, whoever holds it and for how long.

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::shm_results_test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::int64_t kElements = kMiB / sizeof(float);

ShmOptions with_segment(std::size_t bytes) {
  ShmOptions options;
  options.segment_bytes = bytes;
  return options;
}

// all_reduce without a place for its result.
CollectiveCall sum_of(const void* operand, std::int64_t elements = kElements) {
  CollectiveCall call{.kind = CollectiveKind::all_reduce};
  call.parts = {{.operand = operand, .elements = elements}};
  return call;
}

bool is_full_of(const Buffer& buffer, float value) {
  const auto* const begin = reinterpret_cast<const float*>(buffer.data());
  const auto* const end = begin + buffer.bytes() / sizeof(float);
  return std::all_of(begin, end, [&](float at) { return at == value; });
}

// Blocks of this rank's part until there is no room for another.
std::vector<std::shared_ptr<Buffer>> fill_part(HostBackend& backend, std::size_t bytes = kMiB) {
  std::vector<std::shared_ptr<Buffer>> blocks;
  try {
    for (;;) blocks.push_back(backend.allocate(bytes));
  } catch (const EnvironmentError&) {
    return blocks;
  }
}

// Held for different times and dropped in another order by each rank, they come back to their
// owners: the ranks' parts have room for about a hundred of the five hundred.
TEST(ShmResults, HeldResultsKeepTheirValuesAndComeBack) {
  run_processes_well(
      2,
      [](HostBackend& backend) {
        constexpr int kRounds = 500;
        constexpr std::int64_t kSmall = kElements / 4;
        const auto world = backend.communicator({0, 1}, "world");
        std::minstd_rand random(static_cast<unsigned>(backend.rank()) + 1);
        struct Held {
          std::shared_ptr<Buffer> result;
          float value;
        };
        std::vector<Held> held;
        const auto drop = [&](std::size_t at) {
          EXPECT_TRUE(is_full_of(*held[at].result, held[at].value));
          held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
        };
        std::vector<float> operand(kSmall);
        for (int round = 0; round < kRounds; ++round) {
          const auto value = static_cast<float>(round);
          std::fill(operand.begin(), operand.end(), value + static_cast<float>(backend.rank()));
          const auto work = world->start(sum_of(operand.data(), kSmall));
          work->wait();
          held.push_back({work->result(0), 2 * value + 1});
          if (held.size() > 16) drop(random() % held.size());
        }
        while (!held.empty()) drop(held.size() - 1);
        world->start(barrier_call())->wait();
        world->wait_released(kRounds + 1);
        EXPECT_NO_THROW(backend.allocate(24 * kMiB));  // of about 29
      },
      with_segment(64 * kMiB));
}

TEST(ShmResults, AResultOutlivesBackendAndOwner) {
  const std::string rendezvous = fresh_rendezvous();
  const auto rank = [&](std::int64_t own) {
    return Child([&rendezvous, own]() -> std::string {
      auto fabric = std::make_shared<ShmFabric>(
          ShmOptions{.rendezvous = rendezvous, .rank = own, .ranks = 2});
      std::vector<std::shared_ptr<Buffer>> results;
      {
        HostBackend backend(fabric, own);
        const auto world = backend.communicator({0, 1}, "world");
        const std::vector<float> operand(kElements, 1);
        for (int owner = 0; owner < 2; ++owner) {
          const auto work = world->start(sum_of(operand.data()));
          work->wait();
          results.push_back(work->result(0));
        }
      }
      if (own == 1) return "";  // takes its part of the memory with it
      while (fabric->page(1).presence.load() == kernels::RankPage::kPresent) {
        std::this_thread::yield();
      }
      const std::weak_ptr<CommMemory> memory = fabric->memory(own);
      fabric.reset();
      for (const auto& result : results) EXPECT_TRUE(is_full_of(*result, 2));
      EXPECT_FALSE(memory.expired());
      results.clear();
      EXPECT_TRUE(memory.expired()) << "the segment stays mapped for ever";
      return "";
    });
  };
  Child zero = rank(0);
  Child one = rank(1);
  EXPECT_EQ(zero.end(), "");
  EXPECT_EQ(one.end(), "");
}

// Whoever has lent the memory, and whatever the ranks write there later.
TEST(ShmResults, AForkedProcessKeepsResultsAsTheyWere) {
  run_processes_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const std::vector<float> operand(kElements, 1);
    std::vector<std::shared_ptr<Buffer>> results;
    for (int owner = 0; owner < 2; ++owner) {
      const auto work = world->start(sum_of(operand.data()));
      work->wait();
      results.push_back(work->result(0));
    }
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    Child child([&]() -> std::string {
      close(ends[1]);
      char none = 0;
      EXPECT_EQ(::read(ends[0], &none, 1), 0);  // until they are overwritten
      for (const auto& result : results) EXPECT_TRUE(is_full_of(*result, 2));
      return "";
    });
    close(ends[0]);
    world->start(barrier_call())->wait();
    for (const auto& result : results) {
      std::fill_n(result->data(), result->bytes(), std::byte{0});
    }
    world->start(barrier_call())->wait();
    close(ends[1]);
    EXPECT_EQ(child.end(), "");
  });
}

TEST(ShmResults, AResultMayBeTheNextOperand) {
  run_processes_well(
      3,
      [](HostBackend& backend) {
        const auto world = backend.communicator(first_ranks(3), "world");
        const std::vector<float> first(kElements, static_cast<float>(backend.rank()));
        std::shared_ptr<Work> work = world->start(sum_of(first.data()));
        for (int round = 0; round < 300; ++round) {
          work->wait();
          const std::shared_ptr<Buffer> result = work->result(0);
          ASSERT_TRUE(is_full_of(*result, 3)) << "round " << round;
          CollectiveCall call = sum_of(result->data());
          call.reduction = Reduction::mean;
          work = world->start(std::move(call), {result});
        }
        work->wait();
      },
      with_segment(128 * kMiB));
}

// Whoever should have provided the memory has none: each rank has its own result, in whatever
// memory, with the same bits.
TEST(ShmResults, AFullPartCostsTheSharingNotTheResult) {
  run_processes_well(
      2,
      [](HostBackend& backend) {
        const auto world = backend.communicator({0, 1}, "world");
        const auto operand = backend.allocate(4 * kMiB);
        std::fill_n(reinterpret_cast<float*>(operand->data()), 4 * kElements, 0.1F);
        std::vector<std::shared_ptr<Buffer>> blocks;
        if (backend.rank() == 1) blocks = fill_part(backend);
        for (int owner = 0; owner < 2; ++owner) {
          for (const std::int64_t elements : {4 * kElements, std::int64_t{100}}) {
            const auto work = world->start(sum_of(operand->data(), elements), {operand});
            work->wait();
            EXPECT_TRUE(is_full_of(*work->result(0), 0.2F));
          }
        }
      },
      with_segment(64 * kMiB));
}

TEST(ShmResults, AnOperandThatFindsNoRoomIsAnErrorThatTheOthersHearOf) {
  const auto said = run_processes(
      3,
      [](HostBackend& backend) {
        const auto world = backend.communicator(first_ranks(3), "world");
        const std::vector<float> operand(kElements);
        std::vector<std::shared_ptr<Buffer>> blocks;
        if (backend.rank() == 1) blocks = fill_part(backend);
        world->start(sum_of(operand.data()))->wait();
      },
      with_segment(64 * kMiB));
  EXPECT_THAT(said, Each(HasSubstr("no room for 1048576 bytes in this rank's part of the "
                                   "communication memory")));
  EXPECT_THAT(said[0], HasSubstr("rank 1 left: "));
  EXPECT_THAT(said[2], HasSubstr("rank 1 left: "));
}

TEST(ShmResults, AfterAnOperandFoundNoRoomTheRankMayTryAgain) {
  run_processes_well(
      2,
      [](HostBackend& backend) {
        const auto world = backend.communicator({0, 1}, "world");
        const std::vector<float> operand(kElements, 1);
        if (backend.rank() == 1) {
          const auto blocks = fill_part(backend);
          EXPECT_THROW(world->start(sum_of(operand.data())), EnvironmentError);
        }
        const auto work = world->start(sum_of(operand.data()));
        work->wait();
        EXPECT_TRUE(is_full_of(*work->result(0), 2));
      },
      with_segment(64 * kMiB));
}

// A list is announced before its results are lent: with room for one of the two it goes on.
TEST(ShmResults, AListInAFullPartNeedsRoomForItsTableAlone) {
  run_processes_well(
      2,
      [](HostBackend& backend) {
        const auto world = backend.communicator({0, 1}, "world");
        world->start(barrier_call())->wait();
        world->wait_released(1);  // the results of #2 are rank 0's to lend
        constexpr std::size_t kLent = kMiB + sizeof(kernels::SharedBlock);
        const auto operand = backend.allocate(kMiB);
        std::fill_n(reinterpret_cast<float*>(operand->data()), kElements, 1.0F);
        std::vector<std::shared_ptr<Buffer>> room{backend.allocate(kLent), backend.allocate(kLent)};
        std::vector<std::shared_ptr<Buffer>> blocks;
        for (std::size_t size = kMiB; size >= kBufferAlignment; size /= 2) {
          for (auto& block : fill_part(backend, size)) blocks.push_back(std::move(block));
        }
        room.clear();
        {
          CollectiveCall call = sum_of(operand->data());
          call.parts.push_back(call.parts[0]);
          const auto work = world->start(call, {operand});
          work->wait();
          for (const std::size_t part : {0, 1}) EXPECT_TRUE(is_full_of(*work->result(part), 2));
        }
        world->wait_released(2);
        EXPECT_NO_THROW((room = {backend.allocate(kLent), backend.allocate(kLent)}));
      },
      with_segment(64 * kMiB));
}

}  // namespace
}  // namespace tutti::runtime::shm_results_test
