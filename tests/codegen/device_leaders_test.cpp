// Kernels on GPUs that make the operands of collectives (codegen/cuda/fuse_collectives.h).

#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/support/error.h>

#include <string>
#include <utility>

#include "tests/codegen/pair_plan.h"
#include "tests/codegen/plan_complaint.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::device_leaders_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string plan_of(const std::string& body, const std::string& results = "f32[8] on cuda:0") {
  return test::plan_of_pair(body, results);
}

// The sum over ranks is read by a kernel with loops, which does not follow it.
const std::string kSumOfProducts = R"(
  %0 = mul(%x, %b)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = sum(%2) {axes = [1]}
  return %3
)";

// What it reads is in use up to the wait.
TEST(DeviceLeaders, AKernelThatMakesTheOperandOfASumLeadsIt) {
  const std::string plan = plan_of(kSumOfProducts);
  EXPECT_THAT(plan, HasSubstr("\n     first launch mul k0 (b0, b1) -> b2 on cuda:0 {"));
  EXPECT_THAT(plan, Not(ContainsRegex("[0-9]: launch mul")));
  EXPECT_THAT(plan, HasSubstr("b0 = input 0: f32[8,16] on cuda:0, 512 bytes on cuda:0, until "
                              "step 1\n"));
  EXPECT_THAT(plan, ContainsRegex("b2 = symmetric at [0-9]+ in @pair, 512 bytes on cuda:0, "
                                  "steps 0\\.\\.1\n"));
}

TEST(DeviceLeaders, OneKernelMayLeadAndAnotherFollow) {
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %b)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = add(%2, %b)
  return %3
)",
                      "f32[8,16] on cuda:0"),
              ContainsRegex("\n     first launch mul [^\n]*\n     then launch add [^\n]*\n"));
}

TEST(DeviceLeaders, GathersAndScattersAreLedToo) {
  for (const auto& [call, result] :
       {std::pair{"reduce_scatter(%0) {op = \"sum\", axis = 0, group = @pair}", "f32[4]"},
        std::pair{"all_gather(%0) {axis = 0, group = @pair}", "f32[16]"}}) {
    EXPECT_THAT(plan_of("  %0 = mul(%x, %b)\n  %1 = " + std::string(call) + R"(
  %2 = wait(%1)
  %3 = sum(%2) {axes = [1]}
  return %3
)",
                        std::string(result) + " on cuda:0"),
                HasSubstr("first launch mul"));
  }
}

// Whatever it reads, and in whatever order: that is there before the start.
TEST(DeviceLeaders, OnlyTheOperandIsWrittenInOrder) {
  EXPECT_THAT(plan_of(R"(
  %0 = transpose(%x) {permutation = [1, 0]}
  %1 = add(%0, %0)
  %2 = all_reduce(%1) {op = "sum", group = @pair}
  %3 = wait(%2)
  %4 = sum(%3) {axes = [0]}
  return %4
)"),
              HasSubstr("first launch add"));
}

TEST(DeviceLeaders, AKernelWithLoopsStaysAlone) {
  EXPECT_THAT(plan_of(R"(
  %0 = sum(%x) {axes = [1]}
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = add(%2, %2)
  return %3
)"),
              Not(HasSubstr("first launch")));
}

TEST(DeviceLeaders, WhatOthersReadIsMadeInFrontOfTheStart) {
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %b)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = sum(%2) {axes = [1]}
  return %3, %0
)",
                      "f32[8] on cuda:0, f32[8,16] on cuda:0"),
              Not(HasSubstr("first launch")));
}

// Of none of them a kernel of ours would carry the call out.
TEST(DeviceLeaders, WhatACallerGivesOrGetsOrIsLargeIsNcclsAnyway) {
  EXPECT_THAT(plan_of(R"(
  %0 = all_reduce(%x) {op = "sum", group = @pair}
  %1 = wait(%0)
  %2 = sum(%1) {axes = [1]}
  return %2
)"),
              Not(HasSubstr("first launch")));
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %b)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  return %2
)",
                      "f32[8,16] on cuda:0"),
              Not(HasSubstr("first launch")));
  EXPECT_THAT(plan_of(R"(
  %0 = broadcast_to(%x) {shape = [4096, 8, 16]}
  %1 = mul(%0, %b)
  %2 = all_reduce(%1) {op = "sum", group = @pair}
  %3 = wait(%2)
  %4 = sum(%3) {axes = [0, 2]}
  return %4
)"),
              Not(HasSubstr("first launch")));
}

// Another block may read it when the first one has its part of the result.
TEST(DeviceLeaders, NothingTakesOverWhatTheyRead) {
  const std::string plan = plan_of(R"(
  %0 = mul(%x, %b)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = add(%2, %x)
  return %3
)",
                                   "f32[8,16] on cuda:0");
  EXPECT_THAT(plan, HasSubstr("first launch mul"));
  EXPECT_THAT(plan, HasSubstr("then launch add"));
  EXPECT_THAT(plan, Not(HasSubstr("may take over")));
}

TEST(DeviceLeaders, RulesAreChecked) {
  const std::string plan = plan_of(kSumOfProducts);
  const auto with = [&](const std::string& piece, const std::string& by) {
    return test::complaint(test::with(plan, piece, by));
  };
  EXPECT_THAT(with("(b0, b1) -> b2 on cuda:0", "(b0, b1) -> b3 on cuda:0"),
              HasSubstr("w0 is none that a kernel can lead"));
  for (const std::string by :
       {"first launch mul k0 (b0, b1) -> b2", "first launch mul k0 (b0) -> b2 on cuda:0",
        "first wait mul k0 (b0, b1) -> b2 on cuda:0"}) {
    EXPECT_THROW(with("first launch mul k0 (b0, b1) -> b2 on cuda:0", by), ParseError) << by;
  }
  Plan changed = parse_plan(plan);
  changed.kernels[0].buffers[2].dtype = DType::f16;
  EXPECT_THAT(test::complaint(changed), HasSubstr("w0 takes what mul does not write"));
  EXPECT_FALSE(structurally_equal(
      parse_plan(plan),
      parse_plan(test::with(plan, "(b0, b1) -> b2 on cuda:0", "(b1, b0) -> b2 on cuda:0"))));
}

// From the start to the wait.
TEST(DeviceLeaders, NobodyWritesWhatTheyRead) {
  Plan plan = parse_plan(plan_of(R"(
  %0 = sum(%b) {axes = [0]}
  %1 = add(%x, %0)
  %2 = all_reduce(%1) {op = "sum", group = @pair}
  %3 = wait(%2)
  %4 = sum(%3) {axes = [1]}
  return %4
)"));
  const CollectiveStart& start = *start_of(*test::first_start(plan));
  ASSERT_TRUE(start.leader.has_value());
  const BufferId read = start.leader_reads(plan).at(1);
  test::launch_behind_start(plan, read, read);
  EXPECT_THAT(test::complaint(plan),
              HasSubstr("is written, but what goes with a collective may read it"));
}

}  // namespace
}  // namespace tutti::codegen::device_leaders_test
