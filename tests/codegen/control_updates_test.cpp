// Updates of what loops carry, which are written where it lies.

#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random/random_array.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::control_updates_test {
namespace {

using testing::ContainsRegex;
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

std::string plan_of(const std::string& text) {
  ir::Graph graph = ir::parse(text).functions.at(0);
  ir::run_passes(graph);
  return print(make_plan(graph, 0));
}

// What an imported loop does that stacks what it computes: 100 rows of 16 KiB.
constexpr const char* kStackingLoop = R"(
private func @few(%i: i32[], %ys: f32[100,4096], %x: f32[1,4096]) {
  %0 = constant() {value = i32[] 100}
  %1 = lt(%i, %0)
  return %1
}
private func @step(%i: i32[], %ys: f32[100,4096], %x: f32[1,4096]) {
  %zero = constant() {value = i32[1] [0]}
  %one = constant() {value = i32[] 1}
  %0 = reshape(%i) {shape = [1]}
  %1 = concat(%0, %zero) {axis = 0}
  %2 = dynamic_update_slice(%ys, %x, %1)
  %3 = add(%x, %x)
  %4 = sin(%3)
  %5 = add(%i, %one)
  return %5, %2, %4
}
func @f(%ys: f32[100,4096], %x: f32[1,4096]) {
  %i = constant() {value = i32[] 0}
  %0, %1, %2 = while_loop(%i, %ys, %x) {condition = @few, body = @step, carries = 3}
  return %1, %2
}
)";

// The result of an update takes over the carry, of which one tile changes.
TEST(ControlUpdates, AnUpdateOfACarryIsWrittenInPlace) {
  expect_agreement(kStackingLoop);
  const std::string plan = plan_of(kStackingLoop);
  EXPECT_THAT(plan, ContainsRegex("call dynamic_update_slice .* \\(b[0-9, b]+\\) -> b[0-9]+ "
                                  "\\{tiles = 13, tiles_in_place = 1,"));
  EXPECT_THAT(plan, ContainsRegex("b[0-9]+ may take over parameter 1"));
}

TEST(ControlUpdates, ACarryThatIsReadAfterItsUpdateStaysAsItIs) {
  expect_agreement(R"(
private func @step(%a: f32[6,3], %i: i32[2], %x: f32[1,3]) {
  %0 = dynamic_update_slice(%a, %x, %i)
  %1 = sum(%a) {axes = [0]}
  %2 = mul(%0, %a)
  return %0, %1, %2, %a
}
func @f(%a: f32[6,3], %is: i32[4,2], %xs: f32[4,1,3]) {
  %0, %1, %2, %3 = scan(%a, %is, %xs) {body = @step, carries = 1, sequences = 2, length = 4}
  return %0, %1, %2, %3, %a
}
)");
}

// The second update and those behind it are written where the first one's result lies.
constexpr const char* kUpdatedTwice = R"(
private func @step(%a: f32[6,3], %i: i32[2], %j: i32[2], %x: f32[1,3]) {
  %0 = dynamic_update_slice(%a, %x, %i)
  %1 = neg(%x)
  %2 = dynamic_update_slice(%0, %1, %j)
  %3 = dynamic_slice(%2, %i) {sizes = [2, 2]}
  %4 = dynamic_update_slice(%2, %3, %j)
  return %4, %3
}
func @f(%a: f32[6,3], %is: i32[4,2], %js: i32[4,2], %xs: f32[4,1,3]) {
  %0, %1 = scan(%a, %is, %js, %xs) {body = @step, carries = 1, sequences = 3, length = 4}
  return %0, %1
}
)";

TEST(ControlUpdates, UpdatesOfOneCarryShareItsMemory) {
  expect_agreement(kUpdatedTwice);
  const std::string plan = plan_of(kUpdatedTwice);
  const std::regex update(
      "dynamic_update_slice [^(]*\\((b[0-9]+), [^)]*\\) -> (b[0-9]+)[^\n]*in_place");
  std::vector<std::pair<std::string, std::string>> calls;
  for (std::sregex_iterator at(plan.begin(), plan.end(), update), end; at != end; ++at) {
    calls.emplace_back((*at)[1], (*at)[2]);
  }
  ASSERT_EQ(calls.size(), 3) << plan;
  EXPECT_THAT(plan, HasSubstr(calls[0].second + " may take over parameter 0"));
  EXPECT_EQ(calls[1], std::pair(calls[0].second, calls[0].second));
  EXPECT_EQ(calls[2], calls[1]);
}

TEST(ControlUpdates, AValueThatIsReadBetweenAndAfterItsUpdatesStaysAsItIs) {
  expect_agreement(R"(
private func @step(%a: f32[6,3], %i: i32[2], %x: f32[1,3]) {
  %0 = dynamic_update_slice(%a, %x, %i)
  %1 = neg(%x)
  %2 = dynamic_update_slice(%0, %1, %i)
  %3 = dynamic_update_slice(%0, %x, %i)
  %4 = slice(%0) {start = [0, 0], stop = [3, 3], step = [1, 1]}
  %5 = dynamic_update_slice(%0, %4, %i)
  %6 = add(%2, %3)
  return %5, %6, %0
}
func @f(%a: f32[6,3], %is: i32[4,2], %xs: f32[4,1,3]) {
  %0, %1, %2 = scan(%a, %is, %xs) {body = @step, carries = 1, sequences = 2, length = 4}
  return %0, %1, %2
}
)");
}

// Both operands of an update are parts of one carry, and overlap.
TEST(ControlUpdates, UpdatesByPartsOfTheCarryItself) {
  expect_agreement(R"(
private func @step(%a: f32[6,3], %n: i32[2], %i: i32[2]) {
  %0 = slice(%a) {start = [1, 0], stop = [5, 3], step = [1, 1]}
  %1 = dynamic_update_slice(%a, %0, %i)
  %2 = slice(%1) {start = [0, 1], stop = [6, 3], step = [2, 1]}
  %3 = dynamic_update_slice(%1, %2, %i)
  %4 = dynamic_update_slice(%3, %3, %i)
  %one = slice(%n) {start = [1], stop = [2], step = [1]}
  %zero = constant() {value = i32[] 0}
  %5 = reshape(%one) {shape = [1]}
  %first = reshape(%zero) {shape = [1]}
  %6 = dynamic_update_slice(%n, %5, %first)
  return %4, %6
}
func @f(%a: f32[6,3], %n: i32[2], %is: i32[4,2]) {
  %0, %1 = scan(%a, %n, %is) {body = @step, carries = 2, sequences = 1, length = 4}
  return %0, %1
}
)");
  expect_agreement(R"(
private func @step(%n: i32[1], %m: i32[1]) {
  %0 = dynamic_update_slice(%n, %n, %m)
  %1 = dynamic_update_slice(%m, %n, %m)
  %2 = add(%0, %1)
  return %2, %1
}
func @f(%n: i32[1]) {
  %0, %1 = scan(%n, %n) {body = @step, carries = 2, sequences = 0, length = 3}
  return %0, %1
}
)");
}

// What an inner loop gives may be what it got, which somebody else still reads.
TEST(ControlUpdates, WhatALoopGivesIsNoPlaceForUpdates) {
  expect_agreement(R"(
private func @same(%a: f32[6,3], %x: f32[1,3]) { return %a }
private func @step(%a: f32[6,3], %i: i32[2], %x: f32[1,3]) {
  %0 = exp(%a)
  %1 = scan(%0, %x) {body = @same, carries = 1, sequences = 0, length = 2}
  %2 = dynamic_update_slice(%1, %x, %i)
  %3 = add(%2, %0)
  return %2, %3
}
func @f(%a: f32[6,3], %is: i32[2,2], %xs: f32[2,1,3]) {
  %0, %1 = scan(%a, %is, %xs) {body = @step, carries = 1, sequences = 2, length = 2}
  return %0, %1
}
)");
}

}  // namespace
}  // namespace tutti::codegen::control_updates_test
