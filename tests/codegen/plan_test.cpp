#include <tutti/codegen/make_plan.h>
#include <tutti/ir/parse.h>
#include <tutti/ir/passes/passes.h>

#include "tests/support/golden.h"
#include <gtest/gtest.h>

namespace tutti::codegen {
namespace {

Plan plan_of(const std::string& text, std::int64_t rank = 0) {
  ir::Graph graph = ir::parse("// tutti ir 1\n" + text).functions.at(0);
  ir::run_passes(graph);
  return make_plan(graph, rank, KernelCompiler::shared());
}

TEST(MakePlan, LaunchesCallsAndCollectivesStandInOrder) {
  EXPECT_TRUE(test::matches_golden(print(plan_of(R"(
mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

func @step(%x: f32[64,32], %w: f32[32,16] rep(dp)) -> (f32[64,16], f32[16] rep(dp)) {
  %0 = vary(%w) {dimensions = "dp"} : f32[32,16]
  %1 = matmul(%x, %0) : f32[64,16]
  %2 = sum(%1) {axes = [0]} : f32[16]
  %3 = all_reduce(%2) {op = "sum", group = @dp} : async f32[16] rep(dp)
  %4 = relu(%1) : f32[64,16]
  %5 = wait(%3) : f32[16] rep(dp)
  return %4, %5
})")),
                                   "codegen/golden/step.plan"));
}

TEST(MakePlan, TransposesAreFoldedIntoTheProduct) {
  const std::string text = print(plan_of(R"(
func @product(%a: f32[32,64], %b: f32[16,32]) -> (f32[64,16]) {
  %0 = transpose(%a) {permutation = [1, 0]} : f32[64,32]
  %1 = transpose(%b) {permutation = [1, 0]} : f32[32,16]
  %2 = matmul(%0, %1) : f32[64,16]
  return %2
})"));
  EXPECT_EQ(text.find("copy"), std::string::npos) << text;
}

TEST(MakePlan, AResultThatIsAViewIsWrittenOut) {
  const Plan plan = plan_of(R"(
func @turn(%a: f32[32,64]) -> (f32[64,32], f32[32,64]) {
  %0 = transpose(%a) {permutation = [1, 0]} : f32[64,32]
  return %0, %a
})");
  EXPECT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.buffers[static_cast<std::size_t>(plan.results[1].buffer)].kind,
            PlanBuffer::Kind::input);
}

Launch call(BufferId from, BufferId to) {
  Launch launch;
  launch.name = "call";
  launch.buffers = {from, to};
  return launch;
}

// b0 -> b1 -> b2 -> b3, each of `bytes`, through nameless library calls.
Plan chain(std::int64_t bytes) {
  Plan plan;
  plan.name = "chain";
  plan.inputs.push_back({.dtype = DType::f32, .shape = {bytes / 4}});
  plan.buffers.push_back({.kind = PlanBuffer::Kind::input, .bytes = bytes, .index = 0});
  for (int i = 0; i < 3; ++i) {
    plan.buffers.push_back({.kind = PlanBuffer::Kind::local, .bytes = bytes});
    plan.steps.push_back(call(i, i + 1));
  }
  plan.buffers.back().kind = PlanBuffer::Kind::output;
  plan.results.push_back({.buffer = 3, .type = plan.inputs[0]});
  find_live_ranges(plan);
  return plan;
}

TEST(PlanMemory, BuffersThatAreNeverLiveTogetherShareAPlace) {
  Plan plan = chain(1000);
  plan.steps.push_back(call(2, 4));
  plan.steps.push_back(call(4, 3));
  plan.buffers.push_back({.kind = PlanBuffer::Kind::local, .bytes = 1000});
  for (PlanBuffer& buffer : plan.buffers) buffer.defined_at = buffer.last_use = -1;
  find_live_ranges(plan);
  plan_memory(plan);
  EXPECT_NO_THROW(check(plan));
  EXPECT_EQ(plan.buffers[4].offset, plan.buffers[1].offset);
  EXPECT_EQ(plan.arena_bytes, 2048);
}

TEST(CheckPlan, RefusesLiveBuffersThatOverlap) {
  Plan plan = chain(1000);
  plan_memory(plan);
  plan.buffers[2].offset = plan.buffers[1].offset + 64;
  EXPECT_THROW(check(plan), InternalError);
}

TEST(CheckPlan, RefusesAReadBeforeTheWrite) {
  Plan plan = chain(64);
  plan_memory(plan);
  std::swap(plan.steps[0], plan.steps[1]);
  EXPECT_THROW(check(plan), InternalError);
}

TEST(CheckPlan, RefusesAWriteToAnInput) {
  Plan plan = chain(64);
  plan_memory(plan);
  std::get<Launch>(plan.steps[2]).buffers = {1, 0};
  EXPECT_THROW(check(plan), InternalError);
}

TEST(CheckPlan, RefusesAWaitBeforeItsStart) {
  Plan plan = chain(64);
  plan_memory(plan);
  plan.works = 1;
  plan.steps.insert(plan.steps.begin(), CollectiveWait{0});
  EXPECT_THROW(check(plan), InternalError);
}

}  // namespace
}  // namespace tutti::codegen
