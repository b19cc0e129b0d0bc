#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/codegen/plan_memory.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

#include "tests/codegen/plan_maker.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::plan_memory_test {
namespace {

using test::PlanMaker;
using ::testing::HasSubstr;

const PlanBuffer& buffer(const Plan& plan, BufferId id) {
  return plan.buffers[static_cast<std::size_t>(id)];
}

// x -> a -> b -> y
struct Chain : PlanMaker {
  BufferId x = input(), a = local(), b = local(), y = output();
  Chain() {
    launch({{x, a}});
    launch({{a, b}});
    launch({{b, y}});
    result(y);
  }
};

TEST(PlanMemory, BuffersThatAreNeverLiveTogetherShareAPlace) {
  PlanMaker maker;
  const BufferId x = maker.input(), a = maker.local(), b = maker.local(), c = maker.local(),
                 y = maker.output();
  maker.launch({{x, a}});
  maker.launch({{a, b}});
  maker.launch({{b, c}});
  maker.launch({{c, y}});
  maker.result(y);
  plan_memory(maker.plan);
  EXPECT_NO_THROW(check(maker.plan));
  EXPECT_EQ(buffer(maker.plan, a).offset, buffer(maker.plan, c).offset);
  EXPECT_NE(buffer(maker.plan, a).offset, buffer(maker.plan, b).offset);
  EXPECT_EQ(maker.plan.arena_bytes, 2048);
}

TEST(PlanMemory, PartsOfALaunchHaveTheirBuffersAtTheSameTime) {
  PlanMaker maker;
  const BufferId x = maker.input(), a = maker.local(), b = maker.local(), y = maker.output();
  maker.launch({{x, a}, {x, b}});
  maker.launch({{a, b, y}});
  maker.result(y);
  plan_memory(maker.plan);
  EXPECT_NO_THROW(check(maker.plan));
  EXPECT_NE(buffer(maker.plan, a).offset, buffer(maker.plan, b).offset);
}

TEST(PlanMemory, WhatPeersReadIsAllocatedBeforeAndFreedAfterItsUse) {
  PlanMaker maker;
  const BufferId x = maker.input(), a = maker.comm(), sum = maker.comm(), y = maker.output();
  maker.launch({{x, a}});
  const int work = maker.start(a, sum);
  maker.wait(work);
  maker.launch({{sum, y}});
  maker.result(y);
  plan_memory(maker.plan);
  EXPECT_NO_THROW(check(maker.plan));
  std::string order;
  for (const Step& step : maker.plan.steps) {
    if (const auto* allocate = std::get_if<Allocate>(&step)) {
      order += "allocate " + std::to_string(allocate->buffer) + ", ";
    } else if (const auto* free = std::get_if<Free>(&step)) {
      order += "free " + std::to_string(free->buffer) + ", ";
    } else {
      order += "step, ";
    }
  }
  EXPECT_EQ(order, "allocate 1, step, step, step, free 1, allocate 3, step, free 2, ");
}

TEST(PlanMemory, AResultTakesOverAnArgumentThatIsReadNoMore) {
  Chain chain;
  plan_memory(chain.plan);
  ASSERT_EQ(chain.plan.donations.size(), 1);
  EXPECT_EQ(chain.plan.donations[0].input, 0);
  EXPECT_EQ(chain.plan.donations[0].buffer, chain.y);
}

TEST(PlanMemory, AnArgumentIsNotTakenOverWhileItIsRead) {
  PlanMaker maker;
  const BufferId x = maker.input(), y = maker.output();
  maker.launch({{x, y}});  // a library call: nobody knows in which order it reads
  maker.result(y);
  plan_memory(maker.plan);
  EXPECT_TRUE(maker.plan.donations.empty());
}

// x -> a, then a changes where it lies.
struct Update : PlanMaker {
  BufferId x = input(), part = input(8), a = output();
  LaunchPart& last() { return std::get<Launch>(plan.steps.back()).parts.back(); }
  Update() {
    launch({{x, a}});
    launch({{a, part, a}});
    last().tiles_in_place = 1;
    result(a);
  }
};

TEST(PlanMemory, WhatIsUpdatedWhereItLiesIsAllocatedOnce) {
  Update update;
  plan_memory(update.plan);
  EXPECT_NO_THROW(check(update.plan));
  EXPECT_EQ(std::ranges::count_if(
                update.plan.steps,
                [](const Step& step) { return std::holds_alternative<Allocate>(step); }),
            1);
}

TEST(PlanMemory, OnlyACallThatMayWritesWhereItReads) {
  const auto expect_refused = [](Plan& plan, const char* why) {
    plan_memory(plan);
    EXPECT_THAT([&] { check(plan); }, ::testing::ThrowsMessage<InternalError>(HasSubstr(why)));
  };
  Update other;
  other.last().tiles_in_place = -1;
  expect_refused(other.plan, "is written twice");
  Update twice;
  twice.last().buffers[1] = twice.a;
  expect_refused(twice.plan, "is written twice");
  Update many;
  many.last().tiles_in_place = 2;
  expect_refused(many.plan, "can't run in place in 2 tiles");
  Update beside;
  beside.launch({{beside.a, beside.output()}});
  std::swap(beside.plan.steps[1], beside.plan.steps[2]);
  auto& launch = std::get<Launch>(beside.plan.steps[1]);
  std::ranges::move(std::get<Launch>(beside.plan.steps[2]).parts, std::back_inserter(launch.parts));
  beside.plan.steps.pop_back();
  beside.result(launch.parts[0].buffers.back());
  expect_refused(beside.plan, "is written twice");
}

TEST(PlanMemory, ArgumentsThatAreReturnedSentOrOfAnotherSizeAreNotTakenOver) {
  PlanMaker maker;
  const BufferId returned = maker.input(), sent = maker.input(), other = maker.input(8),
                 sum = maker.comm(), a = maker.local(), y = maker.output();
  const int work = maker.start(sent, sum);
  maker.wait(work);
  maker.launch({{other, sum, a}});
  maker.launch({{a, y}});
  maker.result(returned);
  maker.result(y);
  plan_memory(maker.plan);
  EXPECT_NO_THROW(check(maker.plan));
  EXPECT_TRUE(maker.plan.donations.empty());
}

TEST(PlanMemory, EveryPairThatMayIsListed) {
  PlanMaker maker;
  const BufferId x = maker.input(), a = maker.local(), y = maker.output(), z = maker.output();
  maker.launch({{x, a}});
  maker.launch({{a, y}});
  maker.launch({{a, z}});
  maker.result(y);
  maker.result(z);
  plan_memory(maker.plan);
  EXPECT_NO_THROW(check(maker.plan));
  ASSERT_EQ(maker.plan.donations.size(), 2);
  EXPECT_EQ(maker.plan.donations[0].buffer, y);
  EXPECT_EQ(maker.plan.donations[1].buffer, z);
}

// ---- check()

void expect_refused(const Plan& plan, const std::string& why) {
  try {
    check(plan);
    ADD_FAILURE() << "accepted: " << print(plan);
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

// The steps that a Chain has become: three launches, the last behind an Allocate.
TEST(CheckPlan, RefusesLiveBuffersThatOverlap) {
  Chain chain;
  plan_memory(chain.plan);
  chain.plan.buffers[static_cast<std::size_t>(chain.b)].offset =
      buffer(chain.plan, chain.a).offset + 64;
  expect_refused(chain.plan, "overlaps a live buffer");
}

TEST(CheckPlan, RefusesPlacesOutsideTheArena) {
  Chain chain;
  plan_memory(chain.plan);
  chain.plan.arena_bytes = 1999;
  expect_refused(chain.plan, "outside the arena");
  // Whose end does not fit in 63 bits.
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  chain.plan.arena_bytes = kMost;
  chain.plan.buffers[static_cast<std::size_t>(chain.b)].offset = kMost - 7;
  expect_refused(chain.plan, "outside the arena");
}

TEST(CheckPlan, RefusesAReadBeforeTheWrite) {
  Chain chain;
  plan_memory(chain.plan);
  std::swap(chain.plan.steps[0], chain.plan.steps[1]);
  expect_refused(chain.plan, "is read before it is written");
}

TEST(CheckPlan, RefusesAResultThatItsCollectiveDoesNotHave) {
  Plan plan = parse_plan(R"(// tutti plan 1
group @dp = {ranks = [0, 1], stride = 2}

plan @f rank 0 arena 0 bytes {
  b0 = input 0: f32[4], 16 bytes, until step 1
  b1 = comm, 16 bytes, steps 0..3
  b2 = output, 16 bytes, steps 3..5
  0: start w0 = all_reduce "sum" over @dp (b0) -> b1 {dtype = f32, parts = [4]}
  1: wait w0
  2: allocate b2
  3: copy b1 -> b2
  4: free b1
  return b2: async f32[4]
}
)");
  EXPECT_NO_THROW(check(plan));
  plan.results[0].work = 0;
  expect_refused(plan, "but is none of its collective's results");
}

TEST(CheckPlan, RefusesToReadWhatAnotherPartWrites) {
  PlanMaker maker;
  const BufferId x = maker.input(), a = maker.local(), y = maker.output();
  maker.launch({{x, a}, {a, y}});
  maker.result(y);
  plan_memory(maker.plan);
  expect_refused(maker.plan, "is read before it is written");
}

TEST(CheckPlan, RefusesAWriteToAnInput) {
  Chain chain;
  plan_memory(chain.plan);
  std::get<Launch>(chain.plan.steps[1]).parts[0].buffers = {chain.a, chain.x};
  expect_refused(chain.plan, "is the caller's");
}

TEST(CheckPlan, RefusesASecondWrite) {
  Chain chain;
  plan_memory(chain.plan);
  chain.plan.steps.push_back(chain.plan.steps[0]);
  expect_refused(chain.plan, "is written twice");
}

TEST(CheckPlan, RefusesResultsWithoutMemory) {
  Chain chain;
  plan_memory(chain.plan);
  std::erase_if(chain.plan.steps,
                [](const Step& s) { return std::holds_alternative<Allocate>(s); });
  expect_refused(chain.plan, "before it is allocated");
}

TEST(CheckPlan, RefusesMemoryThatIsAllocatedOrFreedTwice) {
  Chain chain;
  plan_memory(chain.plan);
  Plan twice = chain.plan;
  twice.steps.insert(twice.steps.begin(), Allocate{chain.y});
  expect_refused(twice, "allocated twice");
  Plan freed = chain.plan;
  freed.steps.emplace_back(Free{chain.y});
  expect_refused(freed, "is freed, but has no memory of its own");
}

struct Exchange : PlanMaker {
  BufferId x = input(), a = comm(), sum = comm(), y = output();
  Exchange() {
    launch({{x, a}});
    wait(start(a, sum));
    launch({{sum, y}});
    result(y);
    plan_memory(plan);
  }
};

TEST(CheckPlan, RefusesMemoryThatIsNeverFreedOrUsedAfterwards) {
  const Exchange exchange;
  EXPECT_NO_THROW(check(exchange.plan));
  Plan kept = exchange.plan;
  kept.steps.pop_back();
  expect_refused(kept, "never freed");
  Plan early = exchange.plan;
  std::rotate(early.steps.begin() + 6, early.steps.end() - 1, early.steps.end());
  expect_refused(early, "after it was freed");
  Plan twice = exchange.plan;
  twice.steps.push_back(twice.steps.back());
  expect_refused(twice, "freed twice");
}

TEST(CheckPlan, RefusesAWriteToWhatPeersMayRead) {
  Exchange exchange;
  exchange.launch({{exchange.x, exchange.a}});
  std::rotate(exchange.plan.steps.begin() + 3, exchange.plan.steps.end() - 1,
              exchange.plan.steps.end());
  expect_refused(exchange.plan, "peers may read it");
}

TEST(CheckPlan, RefusesAWaitBeforeItsStart) {
  Exchange exchange;
  exchange.plan.steps.insert(exchange.plan.steps.begin(), CollectiveWait{});
  expect_refused(exchange.plan, "before its start");
}

TEST(CheckPlan, RefusesAWaitForOtherResultsThanTheStartHas) {
  Exchange exchange;
  for (Step& step : exchange.plan.steps) {
    if (auto* const wait = std::get_if<CollectiveWait>(&step)) wait->results.clear();
  }
  expect_refused(exchange.plan, "for other operands or results than it has");
}

TEST(CheckPlan, RefusesToTakeOverWhatIsStillInUse) {
  PlanMaker maker;
  const BufferId x = maker.input(), a = maker.local(), y = maker.output(), z = maker.output();
  maker.launch({{x, y}});
  maker.launch({{x, a}});
  maker.launch({{a, z}});
  maker.result(y);
  maker.result(z);
  plan_memory(maker.plan);
  ASSERT_EQ(maker.plan.donations.size(), 1);
  EXPECT_NO_THROW(check(maker.plan));
  Plan early = maker.plan;
  early.donations[0].buffer = y;
  expect_refused(early, "while it is in use");
}

TEST(CheckPlan, RefusesToTakeOverWhatPeersRead) {
  Exchange exchange;
  const BufferId z = exchange.output();
  exchange.launch({{exchange.y, z}});
  exchange.result(z);
  exchange.plan.steps.insert(exchange.plan.steps.end() - 1, Allocate{z});
  auto& start = std::get<CollectiveStart>(exchange.plan.steps[2]);
  start.operands = {exchange.a, exchange.x};
  exchange.plan.steps[3] = CollectiveWait::of(start);
  exchange.plan.donations = {{.input = 0, .buffer = z}};
  expect_refused(exchange.plan, "peers may read it");
}

}  // namespace
}  // namespace tutti::codegen::plan_memory_test
