// Calls that are checked once and started many times.

#include <tutti/ir/support/error.h>

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include "tests/support/allocation_count.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::prepared_call_test {
namespace {

using testing::Each;
using testing::HasSubstr;

CollectiveCall call_of(CollectiveKind kind, std::int64_t elements) {
  return {.kind = kind, .parts = {{.elements = elements, .axis_size = elements}}};
}

std::shared_ptr<Buffer> floats(Backend& backend, std::int64_t elements, float value) {
  auto buffer = backend.allocate(static_cast<std::size_t>(elements) * sizeof(float));
  std::fill_n(reinterpret_cast<float*>(buffer->data()), elements, value);
  return buffer;
}

bool is_full_of(const Buffer& buffer, std::int64_t elements, float value) {
  const auto* const begin = reinterpret_cast<const float*>(buffer.data());
  return buffer.bytes() == static_cast<std::size_t>(elements) * sizeof(float) &&
         std::all_of(begin, begin + elements, [&](float at) { return at == value; });
}

// What `start` throws.
template <class Error>
std::string error_of(const std::function<void()>& start) {
  try {
    start();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

// Small ones (each rank computes its own result), large ones, lists, with several under way.
TEST(PreparedCall, IsStartedAgainAndAgain) {
  const auto body = [](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    for (const std::int64_t elements : {std::int64_t{4}, std::int64_t{100'000}}) {
      CollectiveCall list = call_of(CollectiveKind::all_reduce, elements);
      list.parts.push_back({.elements = 3});
      const auto call = world->prepare(list);
      EXPECT_EQ(call->call().description, describe(list));
      std::vector<std::shared_ptr<Work>> works;
      for (int round = 0; round < 200; ++round) {
        const auto value = static_cast<float>(round + backend.rank());
        works.push_back(
            world->start(call, {{floats(backend, elements, value), floats(backend, 3, -value)}}));
        if (round % 7 != 6) continue;
        for (std::size_t i = 0; i < works.size(); ++i) {
          works[i]->wait();
          const auto sum = static_cast<float>(3 * (round - 6 + static_cast<int>(i)) + 3);
          EXPECT_TRUE(is_full_of(*works[i]->result(0), elements, sum));
          EXPECT_TRUE(is_full_of(*works[i]->result(1), 3, -sum));
        }
        works.clear();
      }
    }
  };
  run_ranks_well(3, body);
  run_processes_well(3, body);
}

TEST(PreparedCall, MatchesTheSameCallMadeOnce) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto operand = floats(backend, 4, 1);
    std::shared_ptr<Work> work;
    if (backend.rank() == 0) {
      work = world->start(world->prepare(call_of(CollectiveKind::all_reduce, 4)), {{operand}});
    } else {
      CollectiveCall call = call_of(CollectiveKind::all_reduce, 4);
      call.parts[0].operand = operand->data();
      work = world->start(call, {operand});
    }
    work->wait();
    EXPECT_TRUE(is_full_of(*work->result(0), 4, 2));
  });
}

TEST(PreparedCall, OperandsAreHeldUntilEveryRankIsDone) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto call = world->prepare(call_of(CollectiveKind::all_reduce, 4));
    const auto operand = floats(backend, 4, 1);
    const auto work = world->start(call, {{operand}});
    EXPECT_GT(operand.use_count(), 1);
    work->wait();
    world->wait_released(work->sequence());
    EXPECT_EQ(operand.use_count(), 1);
  });
}

// Its operand is read as soon as it is announced: one that were made later would be too late.
TEST(PreparedCall, OverTheHostsMemoryNothingLeadsIt) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto call = world->prepare(call_of(CollectiveKind::all_reduce, 4));
    const auto work = world->start(call, {{floats(backend, 4, 1)}});
    EXPECT_THROW(work->lead_with(nullptr), InternalError);
    work->wait();
  });
}

// Rank 0 changes what it gave as soon as it is done itself, and before rank 1 has read it.
TEST(PreparedCall, AnOperandWhoseOwnerHearsOfNothingIsCopiedForPeers) {
  std::barrier both(2);
  run_ranks_well(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto call = world->prepare(call_of(CollectiveKind::all_reduce, 4));
    std::vector<float> values(4, 1);
    const auto operand = Buffer::wrap(values.data(), values.size() * sizeof(float));
    const auto work = world->start(call, {{operand}});
    both.arrive_and_wait();
    if (backend.rank() == 0) {
      work->wait();
      values.assign(4, 10);
    }
    both.arrive_and_wait();
    work->wait();
    EXPECT_TRUE(is_full_of(*work->result(0), 4, 2));
    world->wait_released(work->sequence());
  });
}

TEST(PreparedCall, InAGroupOfOneOperandsAreTheResults) {
  HostBackend backend(std::make_shared<LocalFabric>(1), 0);
  const auto alone = backend.communicator({0}, "alone");
  auto operand = floats(backend, 4, 5);
  auto work = alone->start(alone->prepare(call_of(CollectiveKind::all_reduce, 4)), {{operand}});
  EXPECT_EQ(work->result(0), operand);
  EXPECT_EQ(operand.use_count(), 2);
  work.reset();
  EXPECT_EQ(operand.use_count(), 1);  // free to be donated
  // Nothing arrives: zeros.
  const auto nowhere = alone->prepare(call_of(CollectiveKind::collective_permute, 4));
  EXPECT_TRUE(is_full_of(*alone->start(nowhere, {{nullptr}})->result(0), 4, 0));
}

// Small ones, large ones whose result is common to all, ones whose results each has for itself, and
// lists; one by one and several under way; in comm memory and not.
TEST(PreparedCall, OnceWarmStartsAllocateNothing) {
  if (!test::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  const auto body = [](HostBackend& backend) {
    constexpr std::int64_t kLarge = 100'000;
    const auto world = backend.communicator({0, 1}, "world");
    const auto alone = backend.communicator({backend.rank()}, "alone");
    const auto barrier = world->prepare({.kind = CollectiveKind::barrier});
    Allocator ordinary;
    std::vector<std::shared_ptr<Work>> works;
    works.reserve(8);
    const auto run = [&](Communicator& group, const std::shared_ptr<const PreparedCall>& call,
                         std::span<const std::shared_ptr<Buffer>> operands, int under_way) {
      for (int i = 0; i < under_way; ++i) works.push_back(group.start(call, operands));
      for (const auto& work : works) {
        work->wait();
        EXPECT_NE(work->result(0), nullptr);
      }
      works.clear();
      // In step, so that as much memory is needed in every round.
      const auto met = world->start(barrier, {});
      met->wait();
      world->wait_released(met->sequence());
    };
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
      for (const std::int64_t elements : {std::int64_t{4}, kLarge}) {
        for (const bool list : {false, true}) {
          CollectiveCall call = call_of(kind, elements);
          if (list) call.parts.push_back(call.parts[0]);
          const auto among_peers = world->prepare(call);
          const auto by_itself = alone->prepare(call);
          const std::vector<std::shared_ptr<Buffer>> near(call.parts.size(),
                                                          floats(backend, elements, 1));
          const std::vector<std::shared_ptr<Buffer>> far(
              call.parts.size(),
              ordinary.allocate(static_cast<std::size_t>(elements) * sizeof(float)));
          const auto round = [&] {
            for (const int under_way : {1, 8}) {
              run(*world, among_peers, near, under_way);
              run(*world, among_peers, far, under_way);
              run(*alone, by_itself, near, under_way);
            }
          };
          for (int i = 0; i < 3; ++i) round();
          // The least of several rounds: how far ranks run apart, and with it how much is under way
          // at a time, is chance. Page faults are the flight recorder's, whose pages last.
          test::AllocationCount least{.allocations = 1000, .frees = 1000, .mappings = 1000};
          for (int i = 0; i < 8; ++i) {
            const test::AllocationCount before = test::thread_allocations();
            round();
            const test::AllocationCount more = test::thread_allocations() - before;
            least.allocations = std::min(least.allocations, more.allocations);
            least.frees = std::min(least.frees, more.frees);
            least.mappings = std::min(least.mappings, more.mappings);
          }
          EXPECT_EQ(least, test::AllocationCount()) << describe(call);
        }
      }
    }
  };
  run_ranks_well(2, body);
  run_processes_well(2, body);
}

TEST(PreparedCall, CallsWithoutMeaningAreRefused) {
  HostBackend backend(std::make_shared<LocalFabric>(2), 0);
  const auto group = backend.communicator({0, 1}, "dp");
  CollectiveCall call = call_of(CollectiveKind::reduce_scatter, 3);
  EXPECT_THROW(group->prepare(call), TypeError);
  call.kind = CollectiveKind::broadcast;
  call.root = 2;
  EXPECT_THROW(group->prepare(call), TypeError);
}

TEST(PreparedCall, OperandsThatDoNotFitAreRefusedBeforeTheyCount) {
  HostBackend backend(std::make_shared<LocalFabric>(2), 0);
  const auto group = backend.communicator({0, 1}, "dp");
  const auto call = group->prepare(call_of(CollectiveKind::all_reduce, 4));
  EXPECT_THAT(error_of<TypeError>([&] { group->start(call, {}); }),
              HasSubstr("all_reduce sum f32[4]: takes 1 operands, not 0"));
  EXPECT_THAT(error_of<TypeError>([&] { group->start(call, {{nullptr}}); }),
              HasSubstr("an operand is missing"));
  EXPECT_THAT(error_of<TypeError>([&] { group->start(call, {{backend.allocate(12)}}); }),
              HasSubstr("an operand has 12 bytes of 16"));
  EXPECT_THAT(error_of<TypeError>([&] { group->start(call->call()); }),
              HasSubstr("an operand is missing"));
  const auto other = backend.communicator({1, 0}, "other");
  EXPECT_THAT(error_of<UsageError>([&] { other->start(call, {{floats(backend, 4, 1)}}); }),
              HasSubstr("was prepared for another group than \"other\""));
  EXPECT_EQ(group->start(barrier_call())->sequence(), 1U);
}

TEST(PreparedCall, AnOperandThatNobodyReadsNeedNotBeThere) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto call = world->prepare(call_of(CollectiveKind::broadcast, 4));
    const auto operand = backend.rank() == 0 ? floats(backend, 4, 6) : nullptr;
    const auto work = world->start(call, {{operand}});
    work->wait();
    EXPECT_TRUE(is_full_of(*work->result(0), 4, 6));
  });
}

// Each start has a line and a time-out of its own.
TEST(PreparedCall, ErrorsNameTheLineOfTheStart) {
  const auto said = run_ranks(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    CollectiveCall made = call_of(CollectiveKind::all_reduce, 4 + backend.rank());
    made.location = Location("prepared.cpp", 1);
    const auto call = world->prepare(made);
    world
        ->start(call, {{floats(backend, 5, 1)}},
                {.location = Location("started.cpp", static_cast<std::uint32_t>(backend.rank()))})
        ->wait();
  });
  EXPECT_THAT(said, Each(HasSubstr("rank 0 calls all_reduce sum f32[4] (started.cpp:0), rank 1 "
                                   "calls all_reduce sum f32[5] (started.cpp:1)")));
}

TEST(PreparedCall, AStartMayHaveATimeOutOfItsOwn) {
  HostBackend backend(std::make_shared<LocalFabric>(2), 0);
  const auto world = backend.communicator({0, 1}, "world");
  const auto call = world->prepare({.kind = CollectiveKind::barrier});
  const auto work = world->start(call, {}, {.timeout = std::chrono::milliseconds(3)});
  EXPECT_THAT(error_of<CommError>([&] { work->wait(); }), HasSubstr("time-out after 3 ms"));
}

}  // namespace
}  // namespace tutti::runtime::prepared_call_test
