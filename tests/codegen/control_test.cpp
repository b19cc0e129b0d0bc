// Loops and branches, compiled: what the interpreter says they mean, for every mode.

#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <string>

#include "tests/support/random/random_array.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::control_test {
namespace {

using testing::HasSubstr;

std::vector<ir::Array> inputs_of(const ir::Graph& graph) {
  test::Draw draw(7);
  std::vector<ir::Array> out;
  for (const ir::Parameter& parameter : graph.parameters()) {
    const ir::Type& type = graph.type(parameter.value);
    out.push_back(test::random_array(type.dtype, type.shape, test::Elements::small, draw));
  }
  return out;
}

void expect_agreement(const std::string& text) {
  const ir::Graph graph = ir::parse(text).functions.at(0);
  ir::verify(graph);
  EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph))) << text;
}

std::string with_dtype(std::string text, DType dtype) {
  for (std::size_t at = text.find("DT["); at != text.npos; at = text.find("DT[", at)) {
    text.replace(at, 2, name_of(dtype));
  }
  return text;
}

// Steps of 3 elements lie at addresses of any alignment.
constexpr const char* kScan = R"(
private func @cell(%h: DT[3], %n: i64[], %x: DT[3], %w: DT[3]) {
  %0 = maximum(%h, %x)
  %1 = minimum(%0, %w)
  %one = constant() {value = i64[] 1}
  %2 = add(%n, %one)
  %3 = reverse(%x) {axes = [0]}
  return %1, %2, %3, %h
}
func @f(%h: DT[3], %n: i64[], %xs: DT[5,3], %w: DT[3]) {
  %0, %1, %2, %3 = scan(%h, %n, %xs, %w) {body = @cell, carries = 2, sequences = 1, length = 5}
  %4, %5, %6, %7 = scan(%0, %1, %2, %w)
      {body = @cell, carries = 2, sequences = 1, length = 5, reverse = true}
  return %0, %1, %2, %3, %4, %5, %6, %7
}
)";

TEST(Control, EveryDtypeInAScan) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == DType::boolean) continue;
    expect_agreement(with_dtype(kScan, dtype));
  }
  expect_agreement(R"(
private func @cell(%p: bool[3], %x: bool[3]) { %0 = logical_xor(%p, %x) return %0, %0 }
func @f(%p: bool[3], %xs: bool[5,3]) {
  %0, %1 = scan(%p, %xs) {body = @cell, carries = 1, sequences = 1, length = 5}
  return %0, %1
}
)");
}

// One function has one place in the arena, which is free whoever runs it.
TEST(Control, AFunctionThatIsRunFromSeveralPlaces) {
  expect_agreement(R"(
private func @leaf(%a: f32[8,8]) { %0 = matmul(%a, %a) %1 = matmul(%0, %a) return %1 }
private func @other(%a: f32[8,8]) { %0 = neg(%a) return %0 }
private func @middle(%a: f32[8,8], %i: i32[]) {
  %0 = matmul(%a, %a)
  %1 = conditional(%i, %a) {branches = [@leaf, @other]}
  %2 = matmul(%0, %1)
  return %2
}
private func @beside(%a: f32[8,8], %i: i32[]) { %0 = sub(%a, %a) return %0 }
func @f(%a: f32[8,8]) {
  %i = constant() {value = i32[] 0}
  %0 = matmul(%a, %a)
  %1 = conditional(%i, %a) {branches = [@leaf, @other]}
  %2 = conditional(%i, %a, %i) {branches = [@middle, @beside]}
  %3 = conditional(%i, %2) {branches = [@leaf, @other]}
  %4 = matmul(%0, %1)
  return %4, %3
}
)");
}

// Both functions of a level run both of the level below: to look at every way through them would
// take for ever.
TEST(Control, ALadderOfFunctions) {
  const auto function = [](const std::string& name, const std::string& op,
                           const std::string& below) {
    return "private func @" + name + "(%h: f32[2], %i: i32[]) {\n  %0 = " + op + "(%h, %h)\n" +
           (below.empty() ? "  return %0\n}\n"
                          : "  %1 = conditional(%i, %0, %i) {branches = [@a" + below + ", @b" +
                                below + "]}\n  return %1\n}\n");
  };
  std::string text;
  for (int level = 0; level <= 30; ++level) {
    const std::string below = level == 0 ? "" : std::to_string(level - 1);
    text += function("a" + std::to_string(level), "minimum", below);
    text += function("b" + std::to_string(level), "maximum", below);
  }
  expect_agreement(text + R"(
func @f(%h: f32[2], %i: i32[]) {
  %0 = conditional(%i, %h, %i) {branches = [@a30, @b30]}
  return %0
}
)");
}

TEST(Control, CarriesThatChangePlaces) {
  expect_agreement(R"(
private func @turn(%a: f32[4], %b: f32[4], %c: f32[4]) { %0 = neg(%a) return %b, %c, %0 }
func @f(%a: f32[4], %b: f32[4]) {
  %0, %1, %2 = scan(%a, %b, %a) {body = @turn, carries = 3, sequences = 0, length = 7}
  return %0, %1, %2, %a
}
)");
}

// The body takes over the memory of carries that nobody else holds; nothing else may change.
TEST(Control, WhatGoesInStaysAsItIs) {
  expect_agreement(R"(
private func @step(%a: f32[1000], %w: f32[1000]) { %0 = mul(%a, %w) %1 = add(%0, %w) return %1 }
func @f(%a: f32[1000], %w: f32[1000]) {
  %0 = exp(%a)
  %1 = scan(%0, %w) {body = @step, carries = 1, sequences = 0, length = 3}
  %2 = scan(%1, %0) {body = @step, carries = 1, sequences = 0, length = 3}
  %3 = add(%0, %1)
  %4 = sub(%2, %w)
  return %3, %4, %1
}
)");
}

TEST(Control, ABodyThatGivesWhatItGot) {
  expect_agreement(R"(
private func @same(%a: f32[4], %x: f32[], %w: f32[4]) { return %a, %x, %w }
func @f(%a: f32[4], %xs: f32[3], %w: f32[4]) {
  %0, %1, %2 = scan(%a, %xs, %w) {body = @same, carries = 1, sequences = 1, length = 3}
  %3 = neg(%0)
  return %0, %1, %2, %3
}
)");
}

// Equal functions are one region, which loops inside of each other then share.
TEST(Control, LoopsInsideOfEachOtherWithOneCondition) {
  expect_agreement(R"(
private func @few(%x: i32[], %w: i32[]) { %0 = lt(%x, %w) return %0 }
private func @inner(%y: i32[], %w: i32[]) {
  %three = constant() {value = i32[] 3}
  %0 = add(%y, %three)
  return %0
}
private func @outer(%x: i32[], %w: i32[]) {
  %five = constant() {value = i32[] 5}
  %0 = add(%w, %five)
  %1 = while_loop(%x, %0) {condition = @few, body = @inner, carries = 1}
  %one = constant() {value = i32[] 1}
  %zero = constant() {value = i32[] 0}
  %2 = minimum(%1, %zero)
  %3 = add(%x, %one)
  %4 = add(%3, %2)
  return %4
}
func @f(%a: i32[]) {
  %ten = constant() {value = i32[] 10}
  %zero = constant() {value = i32[] 0}
  %start = mul(%a, %zero)
  %0 = while_loop(%start, %ten) {condition = @few, body = @outer, carries = 1}
  return %0
}
)");
}

TEST(Control, AConditionThatIsTheBody) {
  expect_agreement(R"(
private func @not(%x: bool[]) { %0 = logical_not(%x) return %0 }
func @f(%a: bool[]) {
  %0 = while_loop(%a) {condition = @not, body = @not, carries = 1}
  return %0
}
)");
}

TEST(Control, NoStepsAndNoElements) {
  expect_agreement(R"(
private func @step(%a: f32[4], %x: f32[2]) { return %a, %x }
private func @empty(%a: f32[0], %x: f32[0]) { return %x, %a }
func @f(%a: f32[4], %xs: f32[0,2], %e: f32[0], %es: f32[3,0]) {
  %0, %1 = scan(%a, %xs) {body = @step, carries = 1, sequences = 1, length = 0}
  %2, %3 = scan(%e, %es) {body = @empty, carries = 1, sequences = 1, length = 3}
  return %0, %1, %2, %3
}
)");
}

TEST(Control, ConstantsAndViewsAsOperands) {
  expect_agreement(R"(
private func @step(%a: f32[2,3], %x: f32[3], %s: f32[]) {
  %0 = add(%a, %x)
  %1 = mul(%0, %s)
  return %1, %s
}
func @f(%a: f32[3,2]) {
  %0 = constant() {value = f32[] 0.5}
  %1 = iota() {dtype = f32, shape = [4, 3], axis = 0}
  %2 = transpose(%a) {permutation = [1, 0]}
  %3, %4 = scan(%2, %1, %0) {body = @step, carries = 1, sequences = 1, length = 4}
  %5 = transpose(%3) {permutation = [1, 0]}
  return %5, %4
}
)");
}

TEST(Control, TheBeginningOfALargerValueAsASequence) {
  expect_agreement(R"(
private func @square(%x: f32[3]) {
  %0 = mul(%x, %x)
  return %0
}
func @f(%a: f32[7]) {
  %0 = slice(%a) {start = [0], stop = [6], step = [1]}
  %1 = reshape(%0) {shape = [2, 3]}
  %2 = scan(%1) {body = @square, carries = 0, sequences = 1, length = 2}
  return %2
}
)");
}

// The loops' arenas lie behind that of what runs them.
TEST(Control, NestedLoopsHaveMemoryOfTheirOwn) {
  expect_agreement(R"(
private func @inner(%i: i32[], %a: f32[64,1], %w: f32[64,64]) {
  %0 = matmul(%w, %a)
  %1 = tanh(%0)
  %2 = matmul(%w, %1)
  %3 = tanh(%2)
  %one = constant() {value = i32[] 1}
  %4 = add(%i, %one)
  return %4, %3
}
private func @few(%i: i32[], %a: f32[64,1], %w: f32[64,64]) {
  %0 = constant() {value = i32[] 4}
  %1 = lt(%i, %0)
  return %1
}
private func @outer(%a: f32[64,1], %x: f32[64,1], %w: f32[64,64]) {
  %0 = matmul(%w, %x)
  %1 = tanh(%0)
  %zero = constant() {value = i32[] 0}
  %2 = add(%a, %1)
  %3, %4 = while_loop(%zero, %2, %w) {condition = @few, body = @inner, carries = 2}
  %5 = matmul(%w, %1)
  %6 = add(%4, %5)
  %7 = sum(%6) {axes = [0, 1]}
  return %6, %7
}
func @f(%a: f32[64,1], %xs: f32[3,64,1], %w: f32[64,64]) {
  %0 = constant() {value = f32[] 0.01}
  %1 = mul(%w, %0)
  %2 = matmul(%1, %a)
  %3 = tanh(%2)
  %4, %5 = scan(%3, %xs, %1) {body = @outer, carries = 1, sequences = 1, length = 3}
  %6 = matmul(%1, %3)
  %7 = add(%4, %6)
  return %7, %5
}
)");
}

TEST(Control, Branches) {
  for (const char* const index : {"-3", "0", "1", "2", "9"}) {
    expect_agreement(R"(
private func @twice(%x: f32[5]) { %0 = add(%x, %x) %1 = sum(%x) {axes = [0]} return %0, %1 }
private func @same(%x: f32[5]) { %0 = constant() {value = f32[] 3} return %x, %0 }
private func @sorted(%x: f32[5]) {
  %0, %1 = sort(%x) {axis = 0}
  %2 = max(%x) {axes = [0]}
  return %0, %2
}
func @f(%x: f32[5]) {
  %i = constant() {value = i32[] )" +
                     std::string(index) + R"(}
  %0, %1 = conditional(%i, %x) {branches = [@twice, @same, @sorted]}
  %2 = add(%0, %1)
  return %2, %0
}
)");
  }
}

TEST(Control, BranchesWithoutArguments) {
  expect_agreement(R"(
private func @one() { %0 = constant() {value = f32[2] [1, 1]} return %0 }
private func @two() { %0 = constant() {value = f32[2] [2, 2]} return %0 }
func @f(%i: i32[]) { %0 = conditional(%i) {branches = [@one, @two]} return %0 }
)");
}

// Each pass by itself may be left out.
TEST(Control, WithPassesDisabled) {
  const ir::Graph graph = ir::parse(with_dtype(kScan, DType::f32)).functions[0];
  const std::vector<ir::Array> inputs = inputs_of(graph);
  const std::vector<ir::Array> expected = test::run_compiled(graph, inputs);
  for (const ir::Pass& pass : ir::all_passes()) {
    CompileOptions options;
    options.disabled = {std::string(pass.name)};
    EXPECT_EQ(test::run_compiled(graph, std::span(&inputs, 1), options)[0], expected) << pass.name;
  }
}

TEST(Control, ThePlanNamesItsRegions) {
  ir::Graph graph = ir::parse(with_dtype(kScan, DType::f32)).functions[0];
  ir::run_passes(graph);
  const std::string text = print(make_plan(graph, 0));
  EXPECT_THAT(text, HasSubstr("scan r0 @cell ("));
  EXPECT_THAT(text, HasSubstr("{carries = 2, sequences = 1, length = 5}"));
  EXPECT_THAT(text, HasSubstr("{carries = 2, sequences = 1, length = 5, reverse = true}"));
  EXPECT_THAT(text, HasSubstr("\n  region r0 @cell {"));
}

}  // namespace
}  // namespace tutti::codegen::control_test
