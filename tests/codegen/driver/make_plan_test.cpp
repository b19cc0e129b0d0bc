#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::make_plan_test {
namespace {

Plan plan_of(const std::string& text, std::int64_t rank = 0) {
  ir::Graph graph = ir::parse("// tutti ir 1\n" + text).functions.at(0);
  ir::run_passes(graph);
  return make_plan(graph, rank);
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
  EXPECT_EQ(plan.steps.size(), 2U);  // allocate, copy
  EXPECT_EQ(plan.buffers[static_cast<std::size_t>(plan.results[1].buffer)].kind,
            PlanBuffer::Kind::input);
}

TEST(MakePlan, ACollectiveOfManyTensorsIsWaitedForOnce) {
  const Plan plan = plan_of(R"(
mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

func @f(%x: f32[4], %y: f32[8]) -> (f32[4] rep(dp), f32[8] rep(dp), f32[4] rep(dp)) {
  %0, %1 = all_reduce(%x, %y) {op = "sum", group = @dp} : async f32[4] rep(dp), async f32[8] rep(dp)
  %2 = wait(%0) : f32[4] rep(dp)
  %3 = exp(%2) : f32[4] rep(dp)
  %4 = wait(%1) : f32[8] rep(dp)
  return %3, %4, %2
})");
  EXPECT_EQ(std::ranges::count_if(
                plan.steps,
                [](const Step& step) { return std::holds_alternative<CollectiveWait>(step); }),
            1)
      << print(plan);
}

// Both functions of a level run both of the level below.
std::size_t regions_of_ladder(int levels) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& op, const std::string& more) {
    text += "private func @" + name + "(%h: f32[2], %i: i32[]) -> (f32[2]) {\n  %0 = " + op +
            "(%h, %h) : f32[2]\n" + more + "}\n";
  };
  const auto branch = [](int level) {
    return " {branches = [@a" + std::to_string(level) + ", @b" + std::to_string(level) + "]}";
  };
  add("a0", "add", "  return %0\n");
  add("b0", "mul", "  return %0\n");
  for (int level = 1; level < levels; ++level) {
    const std::string below =
        "  %1 = conditional(%i, %0, %i)" + branch(level - 1) + " : f32[2]\n  return %1\n";
    add("a" + std::to_string(level), "add", below);
    add("b" + std::to_string(level), "mul", below);
  }
  text += "func @main(%h: f32[2], %i: i32[]) -> (f32[2]) {\n  %0 = conditional(%i, %h, %i)" +
          branch(levels - 1) + " : f32[2]\n  return %0\n}\n";
  return plan_of(text).regions.size();
}

TEST(MakePlan, AFunctionThatManyRunIsPlannedOnce) {
  EXPECT_EQ(regions_of_ladder(8), regions_of_ladder(7) + 2);
}

// A halo: the first row lies where the whole begins, the last one behind it.
TEST(MakePlan, OfACarryPeersGetTheRowsThatTheyNeed) {
  const std::string text = print(plan_of(R"(
mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

private func @step(%u: f32[512,1024]) -> (f32[512,1024]) {
  %0 = slice(%u) {start = [0, 0], stop = [1, 1024], step = [1, 1]}
  %1 = slice(%u) {start = [511, 0], stop = [512, 1024], step = [1, 1]}
  %2 = collective_permute(%0) {pairs = [1, 0], group = @dp}
  %3 = collective_permute(%1) {pairs = [0, 1], group = @dp}
  %4 = wait(%2)
  %5 = wait(%3)
  %6 = add(%4, %5)
  %7 = broadcast_to(%6) {shape = [512, 1024]}
  %8 = add(%u, %7)
  return %8
}
func @main(%u: f32[512,1024]) -> (f32[512,1024]) {
  %0 = scan(%u) {body = @step, carries = 1, sequences = 0, length = 3}
  return %0
})"));
  EXPECT_EQ(text.find("copy \"f32[512,1024]\""), text.npos) << text;
  std::size_t copies = 0;
  for (std::size_t at = 0; (at = text.find("reads = 4096, writes = 4096", at)) != text.npos; ++at) {
    ++copies;
  }
  EXPECT_EQ(copies, 2U) << text;
}

TEST(MakePlan, AnAsyncResultThatIsWrittenOutIsThere) {
  const Plan plan = plan_of(R"(
mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

func @f(%a: f32[1,4,4]) {
  %0, %1 = all_to_all(%a, %a) {axis = 1, group = @dp}
  %2 = slice(%1) {start = [0, 0, 0], stop = [1, 4, 2], step = [1, 1, 1]}
  %3 = reshape(%2) {shape = [8]}
  return %3, %0
})");
  EXPECT_EQ(plan.results.at(0).work, -1);
  EXPECT_EQ(plan.results.at(1).work, 0);
}

// How many buffers the launches have that make one of so many values.
std::vector<std::size_t> launches_of_concat(int values, const std::string& device) {
  std::string parameters;
  std::string operands;
  for (int i = 0; i < values; ++i) {
    const std::string name = (i == 0 ? "%x" : ", %x") + std::to_string(i);
    parameters += name + ": f32[2]" + device;
    operands += name;
  }
  const Plan plan = plan_of("func @f(" + parameters + ") {\n  %0 = concat(" + operands +
                            ") {axis = 0}\n  return %0\n}");
  std::vector<std::size_t> out;
  for (const Step& step : plan.steps) {
    const auto* const launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    for (const LaunchPart& part : launch->parts) out.push_back(part.buffers.size());
  }
  return out;
}

// A kernel's parameters are limited.
TEST(MakePlan, OnAGpuManyTensorsArePutTogetherBySeveralLaunches) {
  using testing::ElementsAre;
  EXPECT_THAT(launches_of_concat(500, " on cuda:0"), ElementsAre(501));
  EXPECT_THAT(launches_of_concat(1200, " on cuda:0"), ElementsAre(501, 501, 201, 4));
  EXPECT_THAT(launches_of_concat(1200, ""), ElementsAre(1201));
}

TEST(MakePlan, SaysWhereValuesLie) {
  ir::Graph graph = ir::parse(R"(
func @f(%a: f32[32,64], %b: f32[64,16]) {
  %0 = matmul(%a, %b)
  %1 = transpose(%0) {permutation = [1, 0]}
  %2 = sum(%1) {axes = [1]}
  %3 = exp(%2)
  %4 = add(%3, %2)
  return %4, %1
})")
                        .functions.at(0);
  ir::run_passes(graph);
  std::vector<BufferId> buffers;
  const Plan plan = make_plan(graph, 0, {}, &buffers);
  ASSERT_EQ(buffers.size(), graph.value_count());
  const auto at = [&](ir::Op op) {
    for (std::uint32_t id = 0; id < graph.value_count(); ++id) {
      if (graph.op(ir::Value{id}) == op) return buffers[id];
    }
    return BufferId{-2};
  };
  EXPECT_EQ(buffers[0], 0);        // an argument
  EXPECT_EQ(at(ir::Op::exp), -1);  // inside a kernel
  EXPECT_EQ(at(ir::Op::add), plan.results[0].buffer);
  EXPECT_EQ(at(ir::Op::transpose), plan.results[1].buffer);
  EXPECT_EQ(plan.buffers[static_cast<std::size_t>(at(ir::Op::matmul))].bytes, 32 * 16 * 4);
}

}  // namespace
}  // namespace tutti::codegen::make_plan_test
