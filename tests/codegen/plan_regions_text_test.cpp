#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/verify_text.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/equal_plans.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <array>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/golden.h"
#include <gmock/gmock.h>

// Loops, branches and the regions that they enter as text.
namespace tutti::codegen::plan_regions_text_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

Plan plan_of(const std::string& text) {
  ir::Graph graph = ir::parse(text).functions.at(0);
  ir::run_passes(graph);
  return make_plan(graph, 0);
}

void expect_round_trip(const Plan& plan) {
  const std::string text = print(plan);
  SCOPED_TRACE(text);
  const Plan read = parse_plan(text);
  EXPECT_EQ(print(read), text);
  EXPECT_TRUE(structurally_equal(read, plan));
  EXPECT_NO_THROW(check(read));
  EXPECT_NO_THROW(verify_text(plan));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

constexpr const char* kScan = R"(
private func @cell(%h: f32[3], %n: i64[], %x: f32[3], %w: f32[3]) {
  %0 = maximum(%h, %x)
  %1 = minimum(%0, %w)
  %one = constant() {value = i64[] 1}
  %2 = add(%n, %one)
  return %1, %2, %0, %h
}
func @f(%h: f32[3], %n: i64[], %xs: f32[5,3], %w: f32[3]) {
  %0, %1, %2, %3 = scan(%h, %n, %xs, %w) {body = @cell, carries = 2, sequences = 1, length = 5}  // a.cpp:3
  %4, %5, %6, %7 = scan(%0, %1, %2, %w)
      {body = @cell, carries = 2, sequences = 1, length = 5, reverse = true}
  return %0, %1, %2, %3, %4, %5, %6, %7
}
)";

constexpr const char* kNested = R"(
private func @inner(%i: i32[], %a: f32[64,1], %w: f32[64,64]) {
  %0 = matmul(%w, %a)
  %1 = tanh(%0)
  %one = constant() {value = i32[] 1}
  %2 = add(%i, %one)
  return %2, %1
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
  %5 = sum(%4) {axes = [0, 1]}
  return %4, %5
}
func @f(%a: f32[64,1], %xs: f32[3,64,1], %w: f32[64,64]) {
  %0 = tanh(%a)
  %1, %2 = scan(%0, %xs, %w) {body = @outer, carries = 1, sequences = 1, length = 3}
  %3 = add(%1, %0)
  return %3, %2
}
)";

constexpr const char* kBranches = R"(
private func @twice(%x: f32[5]) { %0 = add(%x, %x) %1 = sum(%x) {axes = [0]} return %0, %1 }
private func @same(%x: f32[5]) { %0 = constant() {value = f32[] 3} return %x, %0 }
func @f(%x: f32[5], %i: i32[]) {
  %0, %1 = conditional(%i, %x) {branches = [@twice, @same, @twice]}
  %2 = add(%0, %1)
  return %2, %0
}
)";

TEST(PlanRegionsText, GivesBackLoopsAndBranches) {
  for (const char* const text : {kScan, kNested, kBranches}) expect_round_trip(plan_of(text));
}

TEST(PlanRegionsText, RegionsStandAboveWhatEntersThem) {
  const std::string text = print(plan_of(kNested));
  EXPECT_LT(text.find("\n  region r0 @few {"), text.find("\n  region r1 @inner {"));
  EXPECT_LT(text.find("\n  region r1 @inner {"), text.find("\n  region r2 @outer {"));
  EXPECT_LT(text.find("\n  region r2 @outer {"), text.find(" = input 0: "));
  EXPECT_THAT(text, ContainsRegex(": while r0 @few -> b[0-9]+ do r1 @inner \\("));
  EXPECT_THAT(text, HasSubstr(": scan r2 @outer ("));
  EXPECT_THAT(text, HasSubstr("= parameter 2: f32[64,64], "));
  EXPECT_THAT(text, HasSubstr("= result, "));
}

TEST(PlanRegionsText, AFunctionThatSeveralRunIsOneRegion) {
  const std::string text = print(plan_of(kScan));
  EXPECT_EQ(count(text, "region r"), 1U) << text;
  EXPECT_EQ(count(text, "scan r0 @cell "), 2U) << text;
}

std::string control_text() { return test::read_test_file("fuzz/corpus/plan/control.plan"); }

std::string with(const std::string& from, const std::string& to) {
  std::string text = control_text();
  const std::size_t at = text.find(from);
  if (at == text.npos) {
    ADD_FAILURE() << "there is no " << from;
    return text;
  }
  return text.replace(at, from.size(), to);
}

TEST(PlanRegionsText, DifferencesShow) {
  const Plan plan = parse_plan(control_text());
  EXPECT_NO_THROW(check(plan));
  for (const auto& [from, to, place] : std::vector<std::array<std::string, 3>>{
           {"constant 4", "constant 5", "kernel k0"},
           {"reverse = true", "reverse = false", "step 5"},
           {"length = 5", "length = 6", "step 5"},
           {"-> b9 with b10", "-> b9 with b11", "step 5"},
           {"@few -> b5", "@few -> b6", "step 2"},
           {"b5 = local at 64", "b5 = local at 68", "buffer b5"},
           {"return b7: i32[]", "return b7: u32[]", "region r2"},
           {"region r3 @nothing", "region r3 @nobody", "step 8"},
           {"b0 = parameter 0: i32[]", "b0 = parameter 0: u32[]", "region r0"}}) {
    std::string text = with(from, to);
    if (place == "step 8") text = std::regex_replace(text, std::regex("r3 @nothing"), "r3 @nobody");
    const Plan other = parse_plan(text);
    EXPECT_FALSE(structurally_equal(other, plan)) << to;
    EXPECT_EQ(first_difference(other, plan), place == "step 8" ? "region r3" : place) << to;
  }
}

TEST(PlanRegionsText, MistakesAreNamedWithTheirPlace) {
  struct Case {
    std::string from, to, error;
  };
  for (const auto& [from, to, error] : std::vector<Case>{
           {"region r1 @", "region r2 @", ":11:10: regions are numbered in order; the next is r1"},
           {"region r1 @\"the same\" {", "region r1 {", ":11:13: expected the region's name"},
           {"region r1 @\"the same\" {", "region r1 @\"the same\"",
            "before the body of the region"},
           {"while r0 @few", "while r7 @few", ":23:14: there is no region 'r7' above"},
           {"while r0 @few", "while r2 @loop", ":23:14: there is no region 'r2' above"},
           {"while r0 @few", "while r0 @fwe", ":23:17: r0 is @few"},
           {"@few -> b5", "@few", "and where the condition of a loop goes"},
           {"do r1", "od r1", ":23:28: expected 'do'"},
           {"with b10", "with b10, b11",
            "a spare buffer for each carry that its body can't compute"},
           {" with b10", "", "a spare buffer for each carry that its body can't compute"},
           {"-> b11 {", "-> b11 with b10 {", "a spare buffer for each carry that its body can't"},
           {"length = 2", "lenght = 2", "there is no attribute 'lenght' here"},
           {"(b6, b4) -> b7\n", "(b6, b4) -> b7 {carries = 1}\n",
            "there is no attribute 'carries' here"},
           {"b8 = input", "b8 = parameter", "only regions have parameters"},
           {"b9 = output", "b9 = result", "only regions have parameters and results"},
           {"b0 = parameter", "b0 = input", "regions have parameters and results, not inputs"},
           {"b1 = result", "b1 = output", "regions have parameters and results, not inputs"},
           {"b2 = parameter 0", "b2 = parameter 1", "the next is parameter 0"},
           {"take over parameter 0", "take over parameter 1", "there is no parameter 1"},
           {"take over parameter 0", "take over input 0", "expected 'parameter'"},
           {"plan @f rank", "region r0 @f {}\nplan @f rank", "expected 'plan', 'group' or 'mesh'"},
       }) {
    try {
      parse_plan(with(from, to), "step.plan");
      ADD_FAILURE() << "the plan was taken: " << to;
    } catch (const ParseError& mistake) {
      EXPECT_THAT(mistake.what(), HasSubstr(error));
    }
  }
}

// Each is read and let go of by as many calls inside each other.
TEST(PlanRegionsText, NestingHasALimit) {
  const auto nested = [](int levels) {
    std::string text = "plan @f rank 0 arena 0 bytes { region r0 @f { return }\n";
    for (int i = 1; i < levels; ++i) {
      text += "region r" + std::to_string(i) + " @f { " + std::to_string(i - 1) + ": scan r" +
              std::to_string(i - 1) + " @f () return }\n";
    }
    return text + std::to_string(levels - 1) + ": scan r" + std::to_string(levels - 1) +
           " @f () return }\n";
  };
  expect_round_trip(parse_plan(nested(32)));
  EXPECT_THROW(parse_plan(nested(33)), ParseError);
  EXPECT_THROW(parse_plan(nested(100000)), ParseError);
}

}  // namespace
}  // namespace tutti::codegen::plan_regions_text_test
