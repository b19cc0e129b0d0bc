// Plans that would compute something wrong, each by one step or number that is not as it should be.
// (More of them, made by hand from what plan_memory() gives, stand in plan_memory_test.cpp.)

#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/support/error.h>

#include <string>

#include "tests/codegen/plan_complaint.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::check_plan_test {
namespace {

using test::complaint;
using test::with;
using testing::HasSubstr;

// A plan with a host arena of 128 bytes.
std::string plan_text(const std::string& body) {
  return "// tutti plan 1\n"
         "group @dp = {ranks = [0, 1], stride = 2}\n"
         "plan @f rank 0 arena 128 bytes {\n" +
         body + "}\n";
}

// Two local buffers that step 3 reads.
const std::string kLocals = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes, until step 1
  b1 = local at 0, 64 bytes, steps 0..3
  b2 = local at 64, 64 bytes, steps 1..3
  b3 = output, 64 bytes, steps 3..4
  0: copy b0 -> b1
  1: copy b0 -> b2
  2: allocate b3
  3: call add "two" (b1, b2) -> b3 {tiles = 1}
  return b3: f32[16]
)");

// b1 is announced to peers, who give b2.
const std::string kExchange = plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 1
  b1 = comm, 16 bytes, steps 1..3
  b2 = comm, 16 bytes, steps 2..6
  b3 = output, 16 bytes, steps 6..8
  0: allocate b1
  1: copy b0 -> b1
  2: start w0 = all_reduce "sum" over @dp (b1) -> b2 {dtype = f32, parts = [4]}
  3: wait w0
  4: free b1
  5: allocate b3
  6: copy b2 -> b3
  7: free b2
  return b3: f32[4]
)");

TEST(CheckPlan, AcceptsPlansThatKeepTheRules) {
  EXPECT_EQ(complaint(kLocals), "");
  EXPECT_EQ(complaint(kExchange), "");
}

TEST(CheckPlan, FindsLivesByItselfWhateverThePlanSaysOfThem) {
  std::string text = with(kLocals, "local at 64", "local at 0");
  EXPECT_THAT(complaint(text),
              HasSubstr("step 1: b2 overlaps a live buffer, b1, which step 3 uses"));
  // As if b1 were read no more when b2 is written.
  text = with(text, "steps 0..3", "steps 0..0");
  EXPECT_THAT(complaint(text),
              HasSubstr("step 1: b2 overlaps a live buffer, b1, which step 3 uses"));
}

TEST(CheckPlan, BuffersMayNotOverlapInPart) {
  EXPECT_THAT(complaint(with(kLocals, "local at 64", "local at 63")),
              HasSubstr("b2 overlaps a live buffer, b1"));
  std::string text = with(kLocals, "local at 0", "local at 32");
  EXPECT_THAT(complaint(with(text, "local at 64", "local at 0")),
              HasSubstr("b2 overlaps a live buffer, b1"));
}

TEST(CheckPlan, ABufferLivesThroughTheStepThatReadsItLast) {
  // b2 is written where b1 lies, by the step that reads b1.
  const std::string text = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes, until step 0
  b1 = local at 0, 64 bytes, steps 0..1
  b2 = local at 64, 64 bytes, steps 1..3
  b3 = output, 64 bytes, steps 3..4
  0: copy b0 -> b1
  1: copy b1 -> b2
  2: allocate b3
  3: copy b2 -> b3
  return b3: f32[16]
)");
  EXPECT_EQ(complaint(text), "");
  EXPECT_THAT(complaint(with(text, "local at 64", "local at 0")),
              HasSubstr("b2 overlaps a live buffer, b1, which step 1 uses"));
}

TEST(CheckPlan, WhatNobodyReadsLivesWhileItIsWritten) {
  const std::string text = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes, until step 0
  b1 = local at 0, 64 bytes, steps 0..0
  b2 = local at 64, 64 bytes, steps 0..0
  0: together
    call one "one" (b0) -> b1 {tiles = 1}
    call two "two" (b0) -> b2 {tiles = 1}
  return
)");
  EXPECT_EQ(complaint(text), "");
  EXPECT_THAT(complaint(with(text, "local at 64", "local at 0")),
              HasSubstr("b2 overlaps a live buffer, b1"));
}

TEST(CheckPlan, APlaceMayServeOneBufferAfterAnother) {
  EXPECT_EQ(complaint(plan_text(R"(
  b0 = input 0: f32[16], 64 bytes, until step 2
  b1 = local at 0, 32 bytes, steps 0..0
  b2 = local at 32, 64 bytes, steps 1..1
  b3 = local at 0, 128 bytes, steps 2..2
  b4 = local at 64, 64 bytes, steps 3..3
  0: call part "part" (b0) -> b1 {tiles = 1}
  1: call part "part" (b0) -> b2 {tiles = 1}
  2: call part "part" (b0) -> b3 {tiles = 1}
  3: call part "part" () -> b4 {tiles = 1}
  return
)")),
            "");
}

TEST(CheckPlan, BuffersWithoutBytesTakeNoPlace) {
  EXPECT_EQ(complaint(plan_text(R"(
  b0 = input 0: f32[0], 0 bytes, until step 0
  b1 = local at 0, 0 bytes, steps 0..3
  b2 = local at 0, 64 bytes, steps 1..3
  b3 = output, 64 bytes, steps 3..4
  0: copy b0 -> b1
  1: call ones "ones" () -> b2 {tiles = 1}
  2: allocate b3
  3: call both "both" (b1, b2) -> b3 {tiles = 1}
  return b3: f32[16]
)")),
            "");
}

TEST(CheckPlan, APlanSaysWhenItsBuffersLive) {
  EXPECT_THAT(complaint(with(kLocals, "steps 1..3", "steps 1..2")),
              HasSubstr("b2 is said to live in steps 1..2, but lives in steps 1..3"));
  EXPECT_THAT(complaint(with(kLocals, "until step 1", "until step 0")),
              HasSubstr("b0 is said to live until step 0, but lives until step 1"));
  EXPECT_THAT(complaint(with(kExchange, "steps 2..6", "steps 4..6")),
              HasSubstr("b2 is said to live in steps 4..6, but lives in steps 2..6"));
  EXPECT_THAT(complaint(with(kExchange, "steps 6..8", "steps 6..6")),
              HasSubstr("b3 is said to live in steps 6..6, but lives in steps 6..8"));
}

TEST(CheckPlan, AnOperandLivesUntilItsCollectiveIsOver) {
  std::string text = with(kExchange, "3: wait w0", "3: free b1");
  text = with(text, "4: free b1", "4: wait w0");
  EXPECT_THAT(complaint(text),
              HasSubstr("step 4: b1 is freed before the collective that reads it is over"));
  EXPECT_THAT(complaint(with(kExchange, "steps 1..3", "steps 1..2")),
              HasSubstr("b1 is said to live in steps 1..2, but lives in steps 1..3"));
  // Where nobody waits, peers hold it.
  text = with(kExchange, "4: free b1\n  5: allocate b3\n  6: copy b2 -> b3\n  7: free b2\n",
              "4: free b1\n");
  text = with(with(text, "  3: wait w0\n", ""), "  4: free b1\n", "  3: free b1\n");
  text = with(with(text, "steps 1..3", "steps 1..2"), "steps 2..6", "steps 2..4");
  text = with(with(text, "  b3 = output, 16 bytes, steps 6..8\n", ""), "return b3: f32[4]",
              "return b2: f32[4] of w0");
  EXPECT_EQ(complaint(text), "");
}

TEST(CheckPlan, RefusesAWriteToWhatPeersRead) {
  const std::string write = "call fill \"f\" () -> b1 {tiles = 1}\n";
  const std::string before = "3: " + write + "  4: wait w0\n  5: free b1\n  6: allocate b3\n" +
                             "  7: copy b2 -> b3\n  8: free b2\n";
  const std::string behind = with(with(before, "3: " + write + "  4: wait", "3: wait"), "  5: free",
                                  "  4: " + write + "  5: free");
  const std::string rest =
      "3: wait w0\n  4: free b1\n  5: allocate b3\n  6: copy b2 -> b3\n  7: free b2\n";
  for (const std::string& text : {before, behind}) {
    EXPECT_THAT(complaint(with(kExchange, rest, text)),
                HasSubstr("b1 is written, but peers may read it"));
  }
}

TEST(CheckPlan, RefusesTheSameDonationTwice) {
  const std::string text = plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 1
  b1 = output, 16 bytes, steps 1..2
  0: allocate b1
  1: call twice "t" (b0) -> b1 {tiles = 1, tiles_in_place = 1}
  b1 may take over input 0
  return b1: f32[4]
)");
  EXPECT_EQ(complaint(text), "");
  EXPECT_THAT(complaint(with(text, "  return", "  b1 may take over input 0\n  return")),
              HasSubstr("b1 may take the same argument's memory over twice"));
}

TEST(CheckPlan, RefusesASecondWait) {
  const std::string text = plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 0
  b1 = comm, 16 bytes, steps 0..2
  0: start w0 = all_reduce "sum" over @dp (b0) -> b1 {dtype = f32, parts = [4]}
  1: wait w0
  2: wait w0
  3: free b1
  return
)");
  EXPECT_THAT(complaint(text), HasSubstr("step 2: waits for w0 twice"));
}

TEST(CheckPlan, RefusesAResultThatIsReadBeforeTheWait) {
  std::string text = with(kExchange, "3: wait w0", "3: allocate b3");
  text = with(text, "5: allocate b3", "5: copy b2 -> b3");
  text = with(text, "6: copy b2 -> b3", "6: wait w0");
  EXPECT_THAT(complaint(text), HasSubstr("step 5: b2 is read before it is written"));
}

TEST(CheckPlan, RefusesAResultThatIsFreedBeforeTheWait) {
  std::string text = with(kExchange, "3: wait w0", "3: free b2");
  text = with(text, "7: free b2", "7: wait w0");
  EXPECT_THAT(complaint(text), HasSubstr("step 3: b2 is freed, but has no memory of its own"));
}

TEST(CheckPlan, RefusesAResultOfTwoCollectives) {
  EXPECT_THAT(complaint(plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 1
  b1 = comm, 16 bytes, steps 0..3
  0: start w0 = all_reduce "sum" over @dp (b0) -> b1 {dtype = f32, parts = [4]}
  1: start w1 = all_reduce "sum" over @dp (b0) -> b1 {dtype = f32, parts = [4]}
  2: wait w0
  3: wait w1
  4: free b1
  return
)")),
              HasSubstr("step 1: b1 is a result, but written before"));
}

TEST(CheckPlan, RefusesMemoryForWhatComesWithACollective) {
  EXPECT_THAT(complaint(with(kExchange, "5: allocate b3", "5: allocate b2")),
              HasSubstr("b2 is allocated twice"));
  std::string text = with(kExchange, "3: wait w0", "3: allocate b2");
  EXPECT_THAT(complaint(text), HasSubstr("b2 is allocated, but comes with a collective"));
}

// Peers may read an operand when this rank is long done with it, and with its arena.
TEST(CheckPlan, RefusesOperandsAndResultsOfCollectivesInTheArena) {
  std::string operand = with(kExchange, "b1 = comm", "b1 = local at 0");
  operand = with(operand, "0: allocate b1", "0: allocate b3");
  EXPECT_THAT(complaint(operand),
              HasSubstr("step 2: b1 goes to peers, but has no memory of its own"));
  EXPECT_THAT(complaint(with(kExchange, "b2 = comm", "b2 = local at 0")),
              HasSubstr("step 2: b2 comes with a collective, but has a place already"));
}

TEST(CheckPlan, RefusesAWriteToWhatWasFreed) {
  EXPECT_THAT(complaint(plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 2
  b1 = comm, 16 bytes, steps 2..2
  0: allocate b1
  1: free b1
  2: copy b0 -> b1
  return
)")),
              HasSubstr("step 2: b1 is written after it was freed"));
}

TEST(CheckPlan, RefusesResultsThatDoNotOutliveTheRun) {
  EXPECT_THAT(complaint(plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 0
  b1 = local at 0, 16 bytes, steps 0..1
  0: copy b0 -> b1
  return b1: f32[4]
)")),
              HasSubstr("b1 is returned, but has no memory of its own"));
  EXPECT_THAT(complaint(plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 0
  b1 = comm, 16 bytes, steps 0..3
  0: start w0 = all_reduce "sum" over @dp (b0) -> b1 {dtype = f32, parts = [4]}
  1: wait w0
  2: free b1
  return b1: async f32[4] of w0
)")),
              HasSubstr("b1 is returned, but freed"));
}

TEST(CheckPlan, RefusesToTakeMemoryOverByWhatIsNoLaunch) {
  EXPECT_THAT(complaint(plan_text(R"(
  b0 = input 0: f32[4], 16 bytes, until step 1
  b1 = output, 16 bytes, steps 1..2
  0: allocate b1
  1: copy b0 -> b1
  b1 may take over input 0
  return b1: f32[4]
)")),
              HasSubstr("b0 is taken over while it is in use"));
}

// A loop of three steps, whose body has two values of its own.
constexpr const char* kLoop = R"(// tutti plan 1
plan @f rank 0 arena 256 bytes {
  region r0 @cell {
    b0 = parameter 0: f32[4], 16 bytes, until step 1
    b1 = local at 128, 16 bytes, steps 0..2
    b2 = local at 192, 16 bytes, steps 1..2
    b3 = result, 16 bytes, steps 2..3
    0: copy b0 -> b1
    1: copy b0 -> b2
    2: call add "two" (b1, b2) -> b3 {tiles = 1}
    return b3: f32[4]
  }
  b4 = input 0: f32[4], 16 bytes, until step 4
  b5 = output, 16 bytes, steps 4..6
  b6 = local at 0, 16 bytes, steps 4..4
  b7 = local at 64, 16 bytes, steps 5..5
  3: allocate b5
  4: scan r0 @cell (b4) -> b5 with b6 {carries = 1, length = 3}
  5: copy b5 -> b7
  return b5: f32[4]
}
)";

TEST(CheckPlan, LooksIntoRegions) {
  EXPECT_EQ(complaint(kLoop), "");
  const auto refused = [](const std::string& from, const std::string& to) {
    return complaint(with(kLoop, from, to));
  };
  EXPECT_THAT(refused("local at 192", "local at 136"),
              HasSubstr("step 1: b2 overlaps a live buffer, b1"));
  EXPECT_THAT(refused("local at 128", "local at 64"),
              HasSubstr("b1 lies where a caller of its region has its own"));
  EXPECT_THAT(refused("5: copy b5 -> b7", "5: copy b1 -> b7"),
              HasSubstr("b1 is of another region"));
  EXPECT_THAT(refused("return b3: f32[4]\n", "return b1: f32[4]\n"),
              HasSubstr("b3 is not one of the results of its region"));
  EXPECT_THAT(refused("return b3: f32[4]\n", "return b3: f32[4], b3: f32[4]\n"),
              HasSubstr("b3 is not one of the results of its region"));
}

TEST(CheckPlan, RefusesLoopsThatDoNotFitTheirRegions) {
  const auto refused = [](const std::string& from, const std::string& to) {
    return complaint(with(kLoop, from, to));
  };
  EXPECT_THAT(refused("(b4) -> b5", "(b4, b4) -> b5"),
              HasSubstr("step 4: has other operands and results than its kind and regions"));
  EXPECT_THAT(refused("length = 3}", "sequences = 1, length = 3}"), HasSubstr("step 4: has other"));
  EXPECT_THAT(refused("b6 = local at 0, 16 bytes", "b6 = local at 0, 12 bytes"),
              HasSubstr("step 4: has other"));
  EXPECT_THAT(refused("b4 = input 0: f32[4], 16 bytes", "b4 = input 0: f32[3], 12 bytes"),
              HasSubstr("step 4: has other"));
  EXPECT_THAT(refused("with b6", "with b5"),
              HasSubstr("step 4: b5 is written, but has another use in the step"));
  EXPECT_THAT(refused("with b6", "with b4"), HasSubstr("b4 is written, but has another use"));
  // The body reads the carry after it wrote the result's first part: not in place.
  std::string in_place =
      with(kLoop, "    return b3", "    b3 may take over parameter 0\n    return b3");
  EXPECT_EQ(complaint(with(in_place, " with b6", "")).find("in use"), std::string::npos);
  in_place = with(in_place, "(b1, b2) -> b3", "(b0, b2) -> b3");
  EXPECT_THAT(complaint(with(in_place, " with b6", "")),
              HasSubstr("b0 is taken over while it is in use"));
}

// A region may not be entered at all, so who waits stands where the start does.
TEST(CheckPlan, ACollectiveIsWaitedForWhereItIsStarted) {
  const auto barrier = [](const std::string& inside, const std::string& behind) {
    return plan_text("  region r0 @body {\n    0: start w0 = barrier \"b\" over @dp ()\n" + inside +
                     "    return\n  }\n" + behind + "  return\n");
  };
  EXPECT_EQ(complaint(barrier("    1: wait w0\n", "  2: scan r0 @body () {length = 3}\n")), "");
  EXPECT_THAT(complaint(barrier("", "  1: scan r0 @body () {length = 0}\n  2: wait w0\n")),
              HasSubstr("step 2: waits for w0, which another region starts"));
}

// The next step would start it anew.
TEST(CheckPlan, NothingIsUnderWayWhenARegionEnds) {
  const std::string text = plan_text(R"(
  region r0 @body {
    b0 = comm, 16 bytes, steps 1..3
    b1 = comm, 16 bytes, steps 2..3
    0: allocate b0
    1: call fill "f" () -> b0 {tiles = 1}
    2: start w0 = all_reduce "sum" over @dp (b0) -> b1 {dtype = f32, parts = [4]}
    3: wait w0
    4: free b0
    5: free b1
    return
  }
  6: scan r0 @body () {length = 3}
  return
)");
  EXPECT_EQ(complaint(text), "");
  std::string without =
      with(text, "    3: wait w0\n    4: free b0\n    5: free b1\n", "    3: free b0\n");
  without = with(with(without, "6: scan", "4: scan"), "steps 1..3", "steps 1..2");
  EXPECT_THAT(complaint(with(without, "steps 2..3", "steps 2..2")),
              HasSubstr("w0 is under way when its region ends"));
}

// What a region is given may lie where no peer reaches it.
TEST(CheckPlan, PeersDoNotReadWhatARegionIsGiven) {
  EXPECT_THAT(complaint(plan_text(R"(
  region r0 @body {
    b0 = parameter 0: f32[4], 16 bytes, until step 0
    b1 = comm, 16 bytes, steps 0..3
    b2 = result, 16 bytes, steps 2..4
    0: start w0 = all_reduce "sum" over @dp (b0) -> b1 {dtype = f32, parts = [4]}
    1: wait w0
    2: copy b1 -> b2
    3: free b1
    return b2: f32[4]
  }
  return
)")),
              HasSubstr("b0 goes to peers, but has no memory of its own"));
}

}  // namespace
}  // namespace tutti::codegen::check_plan_test
