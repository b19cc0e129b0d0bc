#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>

#include "tests/support/ops/table.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

// Attention that is taken whole: see ir/ops/attention.cpp for when.
namespace tutti::codegen::attention_test {
namespace {

using ir::Array;
using testing::HasSubstr;
using testing::Not;

ir::Graph parsed(const std::string& text) {
  return ir::parse("// tutti ir 1\n" + text).functions.at(0);
}

std::string with(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
    text.replace(at, name.size(), value);
  }
  return text;
}

Plan plan_of(ir::Graph graph) {
  ir::run_passes(graph);
  return make_plan(graph, 0);
}

// Attention and its gradient over TIME queries and keys, heads beside one another in memory.
std::string heads_program(std::int64_t time, const std::string& dtype = "f32") {
  return with(with(R"(
func @f(%x: DTYPE[2,TIME,3,4], %g: DTYPE[2,3,TIME,4]) {
  %0 = transpose(%x) {permutation = [0, 2, 1, 3]}
  %1 = slice(%0) {start = [0, 0, 0, 0], stop = [2, 2, TIME, 4], step = [1, 1, 1, 1]}
  %2 = attention(%1, %1, %1) {causal = true}
  %3 = slice(%g) {start = [0, 1, 0, 0], stop = [2, 3, TIME, 4], step = [1, 1, 1, 1]}
  %4, %5, %6 = attention_gradient(%1, %1, %1, %3) {causal = true, scale = 0.3}
  return %2, %4, %5, %6
})",
                   "TIME", std::to_string(time)),
              "DTYPE", dtype);
}

std::vector<Array> inputs_of(const ir::Graph& graph) {
  std::vector<Array> out;
  for (const ir::Parameter& parameter : graph.parameters()) {
    const ir::Type& type = graph.type(parameter.value);
    test::Plain numbers(type.shape);
    for (std::int64_t i = 0; i < type.shape.elements(); ++i) {
      numbers[i] = static_cast<double>((i * 37 + 11) % 101) / 50 - 1;
    }
    out.push_back(test::rounded(numbers, type.dtype));
  }
  return out;
}

TEST(WholeAttention, IsOneCallThatReadsThroughStrides) {
  const std::string plan = print(plan_of(parsed(heads_program(80))));
  EXPECT_THAT(plan, HasSubstr("call attention \"f32[2,2,80,4]"));
  EXPECT_THAT(plan, HasSubstr("call attention_gradient \""));
  EXPECT_THAT(plan, Not(HasSubstr("call copy")));
  EXPECT_THAT(plan, Not(HasSubstr("call matmul")));
}

TEST(WholeAttention, PlansNoMemoryForScores) {
  const auto bytes = [](std::int64_t time) {
    std::int64_t total = 0;
    for (const PlanBuffer& buffer : plan_of(parsed(heads_program(time))).buffers) {
      total += buffer.bytes;
    }
    return total;
  };
  EXPECT_EQ(bytes(4096), 4 * bytes(1024));
}

TEST(WholeAttention, MeansWhatItsPartsMean) {
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    SCOPED_TRACE(dtype);
    const ir::Graph graph = parsed(heads_program(71, dtype));
    EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph), 8));
  }
}

TEST(WholeAttention, TakesMasksThatBroadcast) {
  for (const char* mask : {"[]", "[1,70]", "[65,1]", "[2,1,70]", "[3,1,1,70]", "[3,2,65,70]"}) {
    SCOPED_TRACE(mask);
    const ir::Graph graph = parsed(with(R"(
func @f(%q: f32[3,2,65,5], %k: f32[3,2,70,5], %v: f32[3,2,70,3], %m: f32MASK, %g: f32[3,2,65,3]) {
  %0 = constant() {value = f32[] 0.1}
  %1 = gt(%m, %0)
  %2 = attention(%q, %k, %v, %1)
  %3, %4, %5 = attention_gradient(%q, %k, %v, %1, %g)
  return %2, %3, %4, %5
})",
                                        "MASK", mask));
    EXPECT_THAT(print(plan_of(graph)), HasSubstr("call attention \""));
    EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph), 8));
  }
}

TEST(WholeAttention, LeavesOutResultsThatNobodyNeeds) {
  const ir::Graph graph = parsed(R"(
func @f(%q: f32[70,4], %g: f32[70,4]) {
  %0, %1, %2 = attention_gradient(%q, %q, %q, %g)
  return %1
})");
  EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph), 8));
}

TEST(WholeAttention, OfSizesThatAreZeroIsTakenApart) {
  const ir::Graph graph = parsed(R"(
func @f(%q: f32[70,0], %v: f32[70,3], %w: f32[70,0]) {
  %0 = attention(%q, %q, %v)
  %1 = attention(%v, %v, %w)
  return %0, %1
})");
  EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph)));
}

}  // namespace
}  // namespace tutti::codegen::attention_test
