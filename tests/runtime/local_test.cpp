#include <tutti/ir/support/error.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/message_of.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::local_test {
namespace {

void on_threads(std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
  run_ranks_well(ranks, body);
}

class LocalExchanges : public testing::TestWithParam<int> {
 protected:
  void expect_right(std::vector<Exchange> (*all)(std::int64_t ranks)) const {
    run_exchanges(on_threads, GetParam(), all(GetParam()));
  }
};

TEST_P(LocalExchanges, EveryKindAndPlace) { expect_right(every_kind_and_place); }
TEST_P(LocalExchanges, EveryKindAndDType) { expect_right(every_kind_and_dtype); }
TEST_P(LocalExchanges, EveryReduction) { expect_right(every_reduction); }
TEST_P(LocalExchanges, EveryRootAndPermutation) { expect_right(every_root_and_permutation); }
TEST_P(LocalExchanges, UnevenParts) { expect_right(uneven_parts); }
TEST_P(LocalExchanges, Lists) { expect_right(lists); }

INSTANTIATE_TEST_SUITE_P(Ranks, LocalExchanges, testing::Range(1, 9));

TEST(Local, TwoGroupsAtATime) { run_exchanges(on_threads, 4, mixed_in_two_groups(4, 100)); }

TEST(Local, EveryRankMayBeTheRoot) {
  run_ranks_well(3, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1, 2}, "world");
    for (int root = 0; root < 3; ++root) {
      const std::vector<float> operand{static_cast<float>(10 * backend.rank())};
      std::vector<float> result;
      CollectiveCall call = all_reduce_call(operand, result);
      call.kind = CollectiveKind::broadcast;
      call.root = root;
      if (root != world->position()) call.parts[0].operand = nullptr;  // nobody reads it
      world->start(call)->wait();
      EXPECT_EQ(result[0], static_cast<float>(10 * root));
      // Our operand lies on this loop's stack: peers have to be done with it.
      world->wait_released(static_cast<std::uint64_t>(root) + 1);
    }
  });
}

TEST(Local, TheMembersOrderIsTheOrderOfTheGroup) {
  std::vector<std::vector<float>> operands = {{0}, {1}, {2}};
  std::vector<std::vector<float>> results(3);
  run_ranks_well(3, [&](HostBackend& backend) {
    const auto group = backend.communicator({2, 0, 1}, "turned");
    const auto rank = static_cast<std::size_t>(backend.rank());
    results[rank].resize(3);
    CollectiveCall call{
        .kind = CollectiveKind::all_gather,
        .parts = {
            {.operand = operands[rank].data(), .result = results[rank].data(), .elements = 1}}};
    group->start(call)->wait();
    EXPECT_EQ(results[rank], (std::vector<float>{2, 0, 1}));
  });
}

// In place: the result is the operand.
TEST(Local, InPlace) {
  for (const std::size_t elements : {3UL, 100'000UL}) {
    std::vector<std::vector<float>> values;
    for (float rank = 0; rank < 4; ++rank) values.emplace_back(elements, rank + 1);
    run_ranks_well(4, [&](HostBackend& backend) {
      const auto world = backend.communicator(first_ranks(4), "world");
      std::vector<float>& own = values[static_cast<std::size_t>(backend.rank())];
      CollectiveCall call = all_reduce_call(own, own);
      world->start(call)->wait();
      call.kind = CollectiveKind::broadcast;
      call.root = 2;
      world->start(call)->wait();
    });
    for (const auto& value : values) EXPECT_EQ(value, std::vector<float>(elements, 10));
  }
}

TEST(Local, AResultMayOverlapItsOperandInAnyWay) {
  // Each rank's part of a reduce_scatter goes over its own operand, a gathered one around it.
  std::vector<std::vector<float>> values(2, {1, 2, 3, 4});
  run_ranks_well(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    float* own = values[static_cast<std::size_t>(backend.rank())].data();
    CollectiveCall scatter{
        .kind = CollectiveKind::reduce_scatter,
        .parts = {{.operand = own, .result = own, .elements = 4, .axis_size = 4}}};
    world->start(scatter)->wait();
    CollectiveCall gather{
        .kind = CollectiveKind::all_gather,
        .parts = {{.operand = own, .result = own, .elements = 2, .axis_size = 2}}};
    world->start(gather)->wait();
  });
  for (const auto& value : values) EXPECT_EQ(value, (std::vector<float>{2, 4, 6, 8}));
}

TEST(Local, AListsResultsMayLieOverItsOtherOperands) {
  for (const std::size_t elements : {3UL, 100'000UL}) {
    std::vector<std::vector<float>> low(2), high(2);
    run_ranks_well(2, [&](HostBackend& backend) {
      const auto world = backend.communicator({0, 1}, "world");
      const auto rank = static_cast<std::size_t>(backend.rank());
      low[rank].assign(elements, 1);
      high[rank].assign(elements, 10);
      CollectiveCall call = all_reduce_call(low[rank], high[rank]);
      call.parts.push_back(all_reduce_call(high[rank], low[rank]).parts[0]);
      world->start(call)->wait();
    });
    EXPECT_EQ(high, std::vector(2, std::vector<float>(elements, 2)));
    EXPECT_EQ(low, std::vector(2, std::vector<float>(elements, 20)));
  }
}

// One that has no elements needs no address either.
TEST(Local, AListMayHaveAPlaceForSomeOfItsResultsAlone) {
  for (const std::size_t elements : {3UL, 100'000UL}) {
    std::vector<std::vector<float>> operands(2), results(2);
    run_ranks_well(2, [&](HostBackend& backend) {
      const auto world = backend.communicator({0, 1}, "world");
      const auto rank = static_cast<std::size_t>(backend.rank());
      operands[rank].assign(elements, 1);
      CollectiveCall call = all_reduce_call(operands[rank], results[rank]);
      call.parts.insert(call.parts.begin(), 2, call.parts[0]);
      call.parts[0].elements = 0;
      call.parts[0].result = nullptr;
      call.parts[1].result = nullptr;
      const auto work = world->start(call);
      work->wait();
      EXPECT_EQ(results[rank], std::vector<float>(elements, 2));
      const auto* const provided = reinterpret_cast<const float*>(work->result(1)->data());
      EXPECT_EQ(std::vector<float>(provided, provided + elements), results[rank]);
    });
  }
}

TEST(Local, AGroupOfOneCopies) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto alone = backend.communicator({backend.rank()}, "alone");
    const std::vector<float> operand{1, 2, 3};
    std::vector<float> result;
    const auto work = alone->start(all_reduce_call(operand, result));
    EXPECT_EQ(result, operand);
    EXPECT_TRUE(work->test());
    EXPECT_EQ(work->sequence(), 0U);
    alone->start(barrier_call())->wait();
  });
}

TEST(Local, AListThatNothingArrivesAtNeedsNoOperandsInAGroupOfOne) {
  HostBackend backend(std::make_shared<LocalFabric>(1), 0);
  const auto alone = backend.communicator({0}, "alone");
  std::vector<float> first(3, 1), second(3, 1);
  CollectiveCall call{.kind = CollectiveKind::collective_permute};
  call.parts = {{.result = first.data(), .elements = 3}, {.result = second.data(), .elements = 3}};
  alone->start(call)->wait();
  EXPECT_EQ(first, std::vector<float>(3, 0));
  EXPECT_EQ(second, std::vector<float>(3, 0));
}

TEST(Local, ABarrierHoldsUntilAllHaveCome) {
  std::atomic<int> came{0};
  run_ranks_well(6, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(6), "world");
    for (int round = 1; round <= 50; ++round) {
      came.fetch_add(1);
      const auto barrier = world->start(barrier_call());
      EXPECT_EQ(barrier->sequence(), static_cast<std::uint64_t>(round));
      barrier->wait();
      EXPECT_GE(came.load(), 6 * round);
    }
  });
}

TEST(Local, AskingForTheSameGroupGivesTheSameEnd) {
  HostBackend backend(std::make_shared<LocalFabric>(3), 1);
  const auto group = backend.communicator({0, 1}, "dp");
  EXPECT_EQ(backend.communicator({0, 1}, "dp"), group);
  EXPECT_NE(backend.communicator({0, 1}, "tp"), group);
  EXPECT_EQ(group->position(), 1);
  EXPECT_EQ(group->size(), 2);
  EXPECT_THROW(backend.communicator({0, 2}, "dp"), UsageError);
  EXPECT_THROW(backend.communicator({1, 1}, "dp"), UsageError);
  EXPECT_THROW(backend.communicator({1, 3}, "dp"), UsageError);
  EXPECT_THROW(backend.communicator({}, "dp"), UsageError);
}

TEST(Local, CallsWithoutMeaningAreRefusedBeforeTheyCount) {
  HostBackend backend(std::make_shared<LocalFabric>(2), 0);
  const auto group = backend.communicator({0, 1}, "dp");
  const std::vector<float> operand(3);
  std::vector<float> result;
  CollectiveCall call = all_reduce_call(operand, result);
  call.reduction = Reduction::bit_xor;
  EXPECT_THROW(group->start(call), TypeError);
  call.kind = CollectiveKind::reduce_scatter;
  call.reduction = Reduction::sum;
  call.parts[0].axis_size = 3;
  EXPECT_THROW(group->start(call), TypeError);
  call.kind = CollectiveKind::broadcast;
  call.root = 2;
  EXPECT_THROW(group->start(call), TypeError);
  EXPECT_EQ(group->start(barrier_call())->sequence(), 1U);
}

// It has none of the other ranks' threads.
TEST(Local, AForkedProcessIsARankOnlyWhereThatIsAlone) {
  for (const std::int64_t ranks : {1, 2}) {
    HostBackend backend(std::make_shared<LocalFabric>(ranks), 0);
    const auto world = backend.communicator(first_ranks(ranks), "world");
    Child child([&]() -> std::string {
      const auto start = [&] { world->start(barrier_call())->wait(); };
      return message_of<UsageError>(start).empty() ? "a rank" : "none";
    });
    EXPECT_EQ(child.end(), ranks == 1 ? "a rank" : "none");
  }
}

// What it would need for that, another thread may have locked.
TEST(Local, AForkedProcessMakesNoGroupsAndAbortsNone) {
  const auto fabric = std::make_shared<LocalFabric>(2);
  HostBackend backend(fabric, 0);
  const auto world = backend.communicator(first_ranks(2), "world");
  Child child([&]() -> std::string {
    backend.abort("for itself");
    backend.abort(first_ranks(2), "world", "for itself");
    EXPECT_FALSE(
        fabric->group({.tag = "world", .purpose = {}, .members = first_ranks(2)})->page.failed(1));
    EXPECT_EQ(backend.communicator(first_ranks(2), "world"), world);
    EXPECT_THROW(backend.messages({0, 1}, "pair", *world), UsageError);
    return message_of<UsageError>([&] { backend.communicator(first_ranks(2), "another"); });
  });
  EXPECT_THAT(child.end(), testing::HasSubstr("was forked off rank 0 and is no rank itself"));
}

}  // namespace
}  // namespace tutti::runtime::local_test
