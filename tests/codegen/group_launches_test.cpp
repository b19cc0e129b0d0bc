#include <tutti/codegen/group_launches.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan_memory.h>

#include <gtest/gtest.h>

namespace tutti::codegen::group_launches_test {
namespace {

// Buffers 0.. are inputs, the others local; every launch is one nameless call of some tiles.
class Steps {
 public:
  explicit Steps(int inputs) {
    for (int i = 0; i < inputs; ++i) {
      plan_.buffers.push_back({.kind = PlanBuffer::Kind::input, .bytes = 1 << 20, .index = i});
      plan_.inputs.push_back({.dtype = DType::f32, .shape = {1 << 18}});
    }
  }

  // Adds a launch that reads buffers and writes a new one, which it returns.
  BufferId launch(std::vector<BufferId> reads, std::int64_t tiles = 8) {
    plan_.buffers.push_back({.kind = PlanBuffer::Kind::local, .bytes = 1 << 20});
    LaunchPart part;
    part.name = "call";
    part.tiles = tiles;
    part.buffers = std::move(reads);
    part.buffers.push_back(static_cast<BufferId>(plan_.buffers.size()) - 1);
    Launch launch;
    launch.parts.push_back(std::move(part));
    plan_.steps.push_back(std::move(launch));
    return static_cast<BufferId>(plan_.buffers.size()) - 1;
  }
  void collective() { plan_.steps.push_back(CollectiveWait{0}); }

  // The numbers of parts of the launches after grouping, 0 for a collective.
  std::vector<std::size_t> grouped() {
    group_launches(plan_);
    std::vector<std::size_t> out;
    for (const Step& step : plan_.steps) {
      const auto* const launch = std::get_if<Launch>(&step);
      out.push_back(launch == nullptr ? 0 : launch->parts.size());
    }
    return out;
  }
  Plan& plan() { return plan_; }

 private:
  Plan plan_;
};

using Sizes = std::vector<std::size_t>;

TEST(GroupLaunches, IndependentOnesBecomeOne) {
  Steps steps(3);
  for (BufferId id = 0; id < 3; ++id) steps.launch({id});
  EXPECT_EQ(steps.grouped(), Sizes({3}));
}

TEST(GroupLaunches, AReaderStaysBehindItsWriter) {
  Steps steps(1);
  steps.launch({steps.launch({steps.launch({0})})});
  EXPECT_EQ(steps.grouped(), Sizes({1, 1, 1}));
}

TEST(GroupLaunches, ALaunchMovesUpToOneThatItDoesNotNeed) {
  Steps steps(2);
  const BufferId first = steps.launch({0});
  steps.launch({first});
  steps.launch({1});
  EXPECT_EQ(steps.grouped(), Sizes({1, 2}));
}

// Which is larger than what it changes of it; a copy of little costs less than a launch.
TEST(GroupLaunches, AnUpdateStaysBehindOtherReadersOfWhatItChangesInPlace) {
  const auto beside_a_reader = [](std::int64_t tiles_in_place, std::int64_t bytes) {
    Steps steps(2);
    steps.plan().buffers[0].bytes = bytes;
    steps.launch({0});
    steps.launch({0, 1});
    auto& update = std::get<Launch>(steps.plan().steps.back()).parts.front();
    update.tiles_in_place = tiles_in_place;
    return steps.grouped();
  };
  EXPECT_EQ(beside_a_reader(1, 1 << 20), Sizes({1, 1}));
  EXPECT_EQ(beside_a_reader(8, 1 << 20), Sizes({2}));
  EXPECT_EQ(beside_a_reader(-1, 1 << 20), Sizes({2}));
  EXPECT_EQ(beside_a_reader(1, 1 << 10), Sizes({2}));
}

TEST(GroupLaunches, NothingMovesAcrossACollective) {
  Steps steps(2);
  steps.launch({0});
  steps.collective();
  steps.launch({1});
  EXPECT_EQ(steps.grouped(), Sizes({1, 0, 1}));
}

TEST(GroupLaunches, FewLargeTilesStayApartFromManySmallOnes) {
  Steps steps(2);
  steps.launch({0}, 4);
  steps.launch({1}, 4000);
  EXPECT_EQ(steps.grouped(), Sizes({1, 1}));
}

TEST(GroupLaunches, WhatPartsWriteDoesNotOverlap) {
  Steps steps(1);
  const BufferId a = steps.launch({0});
  const BufferId b = steps.launch({0});
  const BufferId c = steps.launch({a, b});
  steps.launch({c});
  EXPECT_EQ(steps.grouped(), Sizes({2, 1, 1}));
  plan_memory(steps.plan());
  EXPECT_NO_THROW(check(steps.plan()));
  const auto& buffers = steps.plan().buffers;
  EXPECT_NE(buffers[static_cast<std::size_t>(a)].offset,
            buffers[static_cast<std::size_t>(b)].offset);
}

}  // namespace
}  // namespace tutti::codegen::group_launches_test
