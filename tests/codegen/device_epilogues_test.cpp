// Matmuls on GPUs that do what the kernel behind them does.

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::device_epilogues_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string plan_of(const std::string& body, const std::string& results = "f32[64,32] on cuda:0") {
  ir::Graph graph =
      ir::parse(
          "// tutti ir 1\nfunc @layer(%x: f32[64,48] on cuda:0, %w: f32[48,32] on cuda:0, "
          "%b: f32[32] on cuda:0) -> (" +
          results + ") {\n  %0 = matmul(%x, %w)\n" + body + "}")
          .functions.at(0);
  ir::run_passes(graph);
  return print(make_plan(graph, 0));
}

TEST(DeviceEpilogues, ABiasIsAddedByTheMatmul) {
  const std::string plan = plan_of("  %1 = add(%0, %b)\n  return %1\n");
  EXPECT_THAT(plan, HasSubstr("call \"matmul then add\""));
  EXPECT_THAT(plan, Not(HasSubstr("launch")));
}

TEST(DeviceEpilogues, AKernelThatTheMatmulDoesIsInThePlanNoMore) {
  EXPECT_THAT(plan_of("  %1 = add(%0, %b)\n  return %1\n"), Not(HasSubstr("= kernel")));
  // The kernel behind it is the first one then.
  const std::string plan = plan_of("  %1 = add(%0, %b)\n  %2 = tanh(%w)\n  return %1, %2\n",
                                   "f32[64,32] on cuda:0, f32[48,32] on cuda:0");
  EXPECT_THAT(plan, HasSubstr("call \"matmul then add\""));
  EXPECT_THAT(plan, HasSubstr("launch tanh k0"));
  EXPECT_THAT(plan, HasSubstr("\nk0 = kernel tanh"));
  EXPECT_THAT(plan, Not(HasSubstr("k1")));
}

TEST(DeviceEpilogues, WhatIsNotWrittenTakesNoMemory) {
  EXPECT_THAT(plan_of("  %1 = add(%0, %b)\n  return %1\n"), HasSubstr(", 0 bytes on cuda:0\n"));
}

TEST(DeviceEpilogues, AKernelOfSomeRowsStaysOne) {
  const std::string plan = plan_of(
      "  %1 = slice(%0) {start = [0, 0], stop = [16, 32], step = [1, 1]}\n"
      "  %2 = add(%1, %b)\n  return %2\n",
      "f32[16,32] on cuda:0");
  EXPECT_THAT(plan, Not(HasSubstr(" then ")));
}

TEST(DeviceEpilogues, ABiasWithAPadAroundItIsAddedBehind) {
  const std::string plan = plan_of(
      "  %1 = constant() {value = f32[] 0}\n"
      "  %2 = slice(%b) {start = [0], stop = [30], step = [1]}\n"
      "  %3 = pad(%2, %1) {low = [0], high = [2], interior = [0]}\n"
      "  %4 = add(%0, %3)\n  return %4\n");
  EXPECT_THAT(plan, Not(HasSubstr(" then ")));
  EXPECT_THAT(plan, HasSubstr("where o1 in 0..30 else 0"));
}

TEST(DeviceEpilogues, AProductThatSomebodyElseReadsIsWritten) {
  EXPECT_THAT(plan_of("  %1 = add(%0, %b)\n  return %1, %0\n",
                      "f32[64,32] on cuda:0, f32[64,32] on cuda:0"),
              Not(HasSubstr(" then ")));
}

TEST(DeviceEpilogues, MaximaKeepNaN) {
  EXPECT_THAT(plan_of("  %1 = add(%0, %b)\n  %2 = relu(%1)\n  return %2\n"),
              Not(HasSubstr(" then ")));
}

}  // namespace
}  // namespace tutti::codegen::device_epilogues_test
