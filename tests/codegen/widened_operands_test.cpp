// Casts that only products read: the products read what is cast.

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/ir/widened_operands.h>

#include <algorithm>
#include <string>

#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::widened_operands_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ir::Graph graph_of(const std::string& lines) {
  ir::Graph graph =
      ir::parse("func @f(%x: f32[20,40], %w: i8[30,40]) {\n" + lines + "}\n").functions.back();
  ir::verify(graph);
  return graph;
}

std::string plan_of(ir::Graph graph) {
  ir::run_passes(graph);
  return print(make_plan(graph, 0));
}

std::int64_t widened(const ir::Graph& graph) {
  return std::ranges::count(ir::find_widened_operands(graph), true);
}

void expect_agreement(const ir::Graph& graph) {
  std::vector<float> x(20 * 40);
  std::vector<std::int8_t> w(30 * 40);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(static_cast<int>(i % 255) - 127);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::int8_t>(i * 37 % 256);
  EXPECT_TRUE(test::modes_agree(graph,
                                {ir::Array::from(std::span<const float>(x), {20, 40}),
                                 ir::Array::from(std::span<const std::int8_t>(w), {30, 40})},
                                8));
}

// They are kernels of their own, and the product reads i32.
void expect_none(const std::string& lines) {
  const ir::Graph graph = graph_of(lines);
  EXPECT_EQ(widened(graph), 0) << lines;
  expect_agreement(graph);
}

// A layer of a quantised network, its weight as PyTorch has it.
constexpr const char* kLayer = R"(
  %scaled = mul(%x, %x)
  %narrow = cast(%x) {dtype = i8}
  %a = cast(%narrow) {dtype = i32}
  %b = cast(%w) {dtype = i32}
  %bt = transpose(%b) {permutation = [1, 0]}
  %0 = matmul(%a, %bt)
)";

TEST(WidenedOperands, AreReadAsTheyAreStored) {
  const ir::Graph graph = graph_of(std::string(kLayer) + "  return %0, %scaled\n");
  EXPECT_EQ(widened(graph), 2);
  const std::string plan = plan_of(graph);
  EXPECT_THAT(plan, HasSubstr("i32 of i8 and i8 20x40x30"));
  // The other kernel gives bytes, and no kernel widens the weight.
  EXPECT_THAT(plan, Not(HasSubstr("b1: i32 written")));
  EXPECT_THAT(plan, Not(HasSubstr("launch cast ")));
  expect_agreement(graph);
}

TEST(WidenedOperands, AreWidenedWhereSomethingElseReadsThem) {
  for (const std::string behind : {"  %1 = sum(%a) {axes = [0]}\n  return %0, %1\n",
                                   "  return %0, %a\n", "  return %a, %0, %bt\n"}) {
    expect_none(kLayer + behind);
  }
}

// Two products share an operand, and one of them has another that is wide.
TEST(WidenedOperands, AreWidenedForAProductWithOneOfThem) {
  expect_none(std::string(kLayer) + R"(
  %c = cast(%x) {dtype = i32}
  %1 = matmul(%c, %bt)
  return %0, %1
)");
}

TEST(WidenedOperands, AreWidenedForFewRows) {
  expect_none(R"(
  %narrow = cast(%x) {dtype = i8}
  %a = cast(%narrow) {dtype = i32}
  %row = slice(%a) {start = [0, 0], stop = [1, 40], step = [1, 1]}
  %b = cast(%w) {dtype = i32}
  %bt = transpose(%b) {permutation = [1, 0]}
  %0 = matmul(%row, %bt)
  return %0
)");
}

// What strides can't say is written out, in bytes.
TEST(WidenedOperands, AreWrittenOutAsTheyAreStored) {
  const ir::Graph graph = graph_of(R"(
  %narrow = cast(%x) {dtype = i8}
  %a = cast(%narrow) {dtype = i32}
  %heads = reshape(%a) {shape = [20, 4, 10]}
  %turned = transpose(%heads) {permutation = [1, 0, 2]}
  %rows = reshape(%turned) {shape = [80, 10]}
  %b = cast(%w) {dtype = i32}
  %bt = transpose(%b) {permutation = [1, 0]}
  %flat = reshape(%bt) {shape = [10, 120]}
  %0 = matmul(%rows, %flat)
  return %0
)");
  EXPECT_EQ(widened(graph), 2);
  EXPECT_THAT(plan_of(graph), HasSubstr("i32 of i8 and i8 80x10x120"));
  expect_agreement(graph);
}

TEST(WidenedOperands, AreNoPartsOfWiderOnes) {
  expect_none(R"(
  %h = cast(%x) {dtype = i64}
  %a = cast(%h) {dtype = i32}
  %b = cast(%w) {dtype = i32}
  %part = slice(%b) {start = [2, 0], stop = [30, 40], step = [3, 1]}
  %bt = transpose(%part) {permutation = [1, 0]}
  %0 = matmul(%a, %bt)
  return %0
)");
}

// What a loop carries, and what it is given.
TEST(WidenedOperands, InBodiesOfLoops) {
  const ir::Module module = ir::parse(R"(
private func @body(%h: i8[8,8], %w: i8[8,8]) {
  %a = cast(%h) {dtype = i32}
  %b = cast(%w) {dtype = i32}
  %0 = matmul(%a, %b)
  %1 = cast(%0) {dtype = i8}
  return %1
}
func @f(%h: i8[8,8], %w: i8[8,8]) {
  %0 = scan(%h, %w) {body = @body, carries = 1, sequences = 0, length = 3}
  return %0
}
)");
  const ir::Graph& graph = module.functions.back();
  std::vector<std::int8_t> data(64);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int8_t>(i * 11 % 9 - 4);
  const ir::Array array = ir::Array::from(std::span<const std::int8_t>(data), {8, 8});
  EXPECT_THAT(plan_of(graph), HasSubstr("i32 of i8 and i8 8x8x8"));
  EXPECT_TRUE(test::modes_agree(graph, {array, array}, 8));
}

}  // namespace
}  // namespace tutti::codegen::widened_operands_test
