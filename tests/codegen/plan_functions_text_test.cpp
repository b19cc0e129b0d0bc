#include <tutti/codegen/make_plan.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/equal_plans.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/codegen/verify_text.h>
#include <tutti/ir/parse.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/golden.h"
#include <gmock/gmock.h>

// Loops, branches and the plans of their functions as text.
namespace tutti::codegen::plan_functions_text_test {
namespace {

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

TEST(PlanFunctionsText, GivesBackLoopsAndBranches) {
  for (const char* const text : {kScan, kNested, kBranches}) expect_round_trip(plan_of(text));
}

TEST(PlanFunctionsText, FunctionsStandAboveWhatRunsThem) {
  const std::string text = print(plan_of(kNested));
  EXPECT_LT(text.find("\nf0 = plan @few "), text.find("\nf1 = plan @inner "));
  EXPECT_LT(text.find("\nf1 = plan @inner "), text.find("\nf2 = plan @outer "));
  EXPECT_LT(text.find("\nf2 = plan @outer "), text.find("\nplan @f "));
  EXPECT_THAT(text, HasSubstr(": while f0 @few do f1 @inner ("));
  EXPECT_THAT(text, HasSubstr(": scan f2 @outer ("));
  EXPECT_THAT(text, HasSubstr("= owned, "));
}

TEST(PlanFunctionsText, EqualFunctionsStandThereOnce) {
  const std::string text = print(plan_of(kScan));
  EXPECT_EQ(count(text, "= plan @cell "), 1U) << text;
  EXPECT_EQ(count(text, "scan f0 @cell "), 2U) << text;

  // The same plan, made twice.
  Plan plan = plan_of(kBranches);
  const std::size_t functions = plan.functions.size();
  auto& branches = std::get<Control>(*std::ranges::find_if(plan.steps, [](const Step& step) {
                     return std::holds_alternative<Control>(step);
                   })).functions;
  plan.functions.push_back(std::make_shared<Plan>(*plan.functions.at(0)));
  branches.back() = static_cast<int>(functions);
  EXPECT_EQ(print(plan), print(plan_of(kBranches)));
  EXPECT_TRUE(structurally_equal(plan, plan_of(kBranches)));
  expect_round_trip(plan);
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

TEST(PlanFunctionsText, DifferencesShow) {
  const Plan plan = parse_plan(control_text());
  EXPECT_NO_THROW(check(plan));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"constant 4", "constant 5"},  // in a function that only a function runs
           {"reverse = true", "reverse = false"},
           {"length = 5", "length = 6"},
           {"scan f1 @\"the same\" (b0)", "scan f2 @loop (b0)"},
           {"b1 = owned", "b1 = output"}}) {
    EXPECT_FALSE(structurally_equal(parse_plan(with(from, to)), plan)) << to;
  }
  EXPECT_EQ(first_difference(parse_plan(with("constant 4", "constant 5")), plan),
            "kernel k0 of @few");
  EXPECT_EQ(first_difference(parse_plan(with("length = 5", "length = 6")), plan), "step 0");
}

TEST(PlanFunctionsText, MistakesAreNamedWithTheirPlace) {
  struct Case {
    std::string from, to, error;
  };
  for (const auto& [from, to, error] : std::vector<Case>{
           {"f1 = plan", "f2 = plan", ":22:1: functions are numbered in order; the next is f1"},
           {"f1 = plan", "f1 = func", ":22:6: expected 'plan'"},
           {"while f0 @few", "while f7 @few", ":31:12: there is no function 'f7' above"},
           {"while f0 @few", "while f2 @loop", ":31:12: there is no function 'f2' above"},
           {"while f0 @few", "while f0 @fwe", ":31:15: f0 is @few"},
           {"do f1", "od f1", ":31:20: expected 'do'"},
           {"length = 2", "lenght = 2", "there is no attribute 'lenght' here"},
           {"(b1, b0) -> b2\n", "(b1, b0) -> b2 {carries = 1}\n",
            "there is no attribute 'carries' here"},
           {"plan @f rank", "mesh (tp = 2)\nplan @f rank", "the mesh comes before the plans"},
       }) {
    try {
      parse_plan(with(from, to), "step.plan");
      ADD_FAILURE() << "the plan was taken: " << to;
    } catch (const ParseError& mistake) {
      EXPECT_THAT(mistake.what(), HasSubstr(error));
    }
  }
}

// What a step gives its functions is what they take, also far inside.
TEST(PlanFunctionsText, RulesAreChecked) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"{carries = 1}  ", "{carries = 2}  "},
           {"{carries = 1, length = 2}", "{carries = 1, sequences = 1, length = 2}"},
           {"(b1, b0) -> b2", "(b1) -> b2"},
           {"scan f1 @\"the same\" (b0)", "scan f3 @nothing (b0)"},
           {"  0: allocate b1\n  1: launch", "  0: allocate b0\n  1: launch"}}) {
    EXPECT_THROW(check(parse_plan(with(from, to))), InternalError) << to;
  }
}

// Each is read and let go of by as many calls inside each other.
TEST(PlanFunctionsText, NestingHasALimit) {
  const auto nested = [](int levels) {
    std::string text = "f0 = plan @f rank 0 arena 0 bytes { return }\n";
    for (int i = 1; i < levels; ++i) {
      text += "f" + std::to_string(i) + " = plan @f rank 0 arena 0 bytes { 0: scan f" +
              std::to_string(i - 1) + " @f () return }\n";
    }
    return text + "plan @f rank 0 arena 0 bytes { 0: scan f" + std::to_string(levels - 1) +
           " @f () return }\n";
  };
  expect_round_trip(parse_plan(nested(32)));
  EXPECT_THROW(parse_plan(nested(33)), ParseError);
  EXPECT_THROW(parse_plan(nested(100000)), ParseError);
}

}  // namespace
}  // namespace tutti::codegen::plan_functions_text_test
