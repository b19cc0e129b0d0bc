// Kernels on GPUs that follow collectives (codegen/cuda/fuse_collectives.h).

#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/support/error.h>

#include <string>

#include "tests/codegen/pair_plan.h"
#include "tests/codegen/plan_complaint.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::device_followers_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string plan_of(const std::string& body, const std::string& results = "f32[8,16] on cuda:0") {
  return test::plan_of_pair(body, results);
}

const std::string kSumAndBias = R"(
  %0 = mul(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = add(%2, %b)
  return %3
)";

TEST(DeviceFollowers, AKernelThatAloneReadsASumFollowsIt) {
  const std::string plan = plan_of(kSumAndBias);
  EXPECT_THAT(plan, HasSubstr("\n     then launch add k1 (b3, b1) -> b4 on cuda:0 {"));
  EXPECT_THAT(plan, Not(ContainsRegex("[0-9]: launch add")));
  EXPECT_THAT(plan, HasSubstr("b4 = output, 512 bytes on cuda:0, steps 0..2"));
}

TEST(DeviceFollowers, OfWhatTheTableLeavesToNcclThereAreNone) {
  const auto table = runtime::AlgorithmTable::parse("* * * * 64K never 511 32M 1M\n", "table");
  EXPECT_THAT(test::plan_of_pair(kSumAndBias, "f32[8,16] on cuda:0", table),
              Not(HasSubstr("then launch")));
}

TEST(DeviceFollowers, GathersAndScattersAreFollowedToo) {
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %x)
  %1 = reduce_scatter(%0) {op = "sum", axis = 0, group = @pair}
  %2 = wait(%1)
  %3 = add(%2, %b)
  return %3
)",
                      "f32[4,16] on cuda:0"),
              HasSubstr("then launch add"));
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %x)
  %1 = all_gather(%0) {axis = 0, group = @pair}
  %2 = wait(%1)
  %3 = add(%2, %b)
  return %3
)",
                      "f32[16,16] on cuda:0"),
              HasSubstr("then launch add"));
}

TEST(DeviceFollowers, WhatIsMadeBehindTheStartIsWaitedFor) {
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = sum(%x) {axes = [0]}
  %3 = wait(%1)
  %4 = add(%3, %2)
  return %4
)"),
              Not(HasSubstr("then launch")));
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %x)
  %1 = sum(%x) {axes = [0]}
  %2 = all_reduce(%0) {op = "sum", group = @pair}
  %3 = wait(%2)
  %4 = add(%3, %1)
  return %4
)"),
              HasSubstr("then launch add"));
}

TEST(DeviceFollowers, AKernelWithLoopsOrOfAnotherOrderStaysAlone) {
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = sum(%2) {axes = [1]}
  return %3
)",
                      "f32[8] on cuda:0"),
              Not(HasSubstr("then launch")));
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = transpose(%2) {permutation = [1, 0]}
  %4 = add(%3, %3)
  return %4
)",
                      "f32[16,8] on cuda:0"),
              Not(HasSubstr("then launch")));
}

TEST(DeviceFollowers, AResultThatOthersReadIsWritten) {
  EXPECT_THAT(plan_of(R"(
  %0 = mul(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = add(%2, %b)
  return %3, %2
)",
                      "f32[8,16] on cuda:0, f32[8,16] on cuda:0"),
              Not(HasSubstr("then launch")));
}

TEST(DeviceFollowers, WhatACallerGivesIsNcclsAnyway) {
  EXPECT_THAT(plan_of(R"(
  %0 = all_reduce(%x) {op = "sum", group = @pair}
  %1 = wait(%0)
  %2 = add(%1, %b)
  return %2
)"),
              Not(HasSubstr("then launch")));
}

// It reads each element in front of writing it.
TEST(DeviceFollowers, ResultsTakeOverWhatItReads) {
  const std::string body = R"(
  %0 = mul(%b, %b)
  %1 = broadcast_to(%0) {shape = [8, 16]}
  %2 = mul(%1, %1)
  %3 = all_reduce(%2) {op = "sum", group = @pair}
  %4 = wait(%3)
  %5 = add(%4, %x)
  return %5
)";
  const std::string plan = plan_of(body);
  EXPECT_THAT(plan, HasSubstr("then launch add"));
  EXPECT_THAT(plan, HasSubstr(" may take over input 0\n"));
}

TEST(DeviceFollowers, RulesAreChecked) {
  const std::string plan = plan_of(kSumAndBias);
  const auto with = [&](const std::string& piece, const std::string& by) {
    return test::complaint(test::with(plan, piece, by));
  };
  EXPECT_THAT(with("return b4:", "return b3:"), HasSubstr("b3 is returned, but"));
  EXPECT_THAT(with("(b3, b1) -> b4 on cuda:0", "(b2, b1) -> b4 on cuda:0"),
              HasSubstr("w0 is none that a kernel can follow"));
  EXPECT_THROW(test::complaint(test::with(plan, "then launch add k1 (b3, b1) -> b4 on cuda:0",
                                          "then launch add k1 (b3, b1) -> b4")),
               ParseError);
  EXPECT_THROW(
      test::complaint(test::with(plan, "then launch add k1 (b3, b1)", "then launch add k1 (b3)")),
      ParseError);
  EXPECT_THROW(test::complaint(test::with(plan, "then launch", "then wait")), ParseError);
  Plan as_halves = parse_plan(plan);
  as_halves.kernels[1].buffers[0].dtype = DType::f16;
  EXPECT_THAT(test::complaint(as_halves), HasSubstr("w0 gives what add does not read"));
  as_halves.kernels[1].buffers[0] = {.dtype = DType::f32, .written = true};
  EXPECT_THAT(test::complaint(as_halves), HasSubstr("w0 gives what add does not read"));
  const Plan one = parse_plan(plan);
  const Plan other =
      parse_plan(test::with(plan, "(b3, b1) -> b4 on cuda:0", "(b1, b3) -> b4 on cuda:0"));
  EXPECT_FALSE(structurally_equal(one, other));
}

// From the start to the wait.
TEST(DeviceFollowers, NobodyElseWritesWhatTheyWorkOn) {
  const std::string plan = plan_of(R"(
  %0 = mul(%x, %x)
  %1 = sum(%x) {axes = [0]}
  %2 = all_reduce(%0) {op = "sum", group = @pair}
  %3 = wait(%2)
  %4 = add(%3, %1)
  return %4
)");
  const auto with_a_call = [&](bool of_what_is_read) {
    Plan read = parse_plan(plan);
    const CollectiveStart& start = *start_of(*test::first_start(read));
    const BufferId operand = start.follower_buffers(read, false).at(0);
    const BufferId result = start.follower_buffers(read, true).at(0);
    test::launch_behind_start(read, operand, of_what_is_read ? operand : result);
    return test::complaint(read);
  };
  EXPECT_THAT(with_a_call(true), HasSubstr("is written, but what goes with a collective may read"));
  EXPECT_THAT(with_a_call(false), HasSubstr("is written, but comes with a collective"));
}

}  // namespace
}  // namespace tutti::codegen::device_followers_test
