// Plans whose operands would be overwritten while peers read them, or whose ranks would wait for
// each other in a circle, each by one step or number that is not as it should be.

#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/codegen/plan/placement.h>
#include <tutti/ir/support/error.h>

#include <string>

#include "tests/codegen/plan_complaint.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::check_places_test {
namespace {

using test::complaint;
using test::with;
using testing::HasSubstr;

std::string plan_text(const std::string& body, const std::string& head = "128 bytes in @dp") {
  return "// tutti plan 1\n"
         "group @dp = {ranks = [0, 1], stride = 2}\n"
         "group @tp = {ranks = [0, 1], stride = 2}\n"
         "group @alone = {ranks = [0, 1], stride = 1}\n"
         "plan @f rank 0 arena 128 bytes, " +
         head + " {\n" + body + "}\n";
}

// Two collectives under way at once.
const std::string kTogether = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes
  b1 = symmetric at 0 in @dp, 64 bytes
  b2 = comm, 64 bytes
  b3 = symmetric at 64 in @dp, 64 bytes
  b4 = comm, 64 bytes
  b5 = output, 64 bytes
  0: acquire b1
  1: copy b0 -> b1
  2: start w0 = all_reduce "first" over @dp (b1) -> b2 {dtype = f32, parts = [16]}
  3: acquire b3
  4: copy b0 -> b3
  5: start w1 = all_reduce "second" over @dp (b3) -> b4 {dtype = f32, parts = [16]}
  6: wait w0
  7: free b2
  8: wait w1
  9: free b4
  10: allocate b5
  11: copy b3 -> b5
  return b5: f32[16]
)");

// One after the other, at one place.
const std::string kInTurn = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes
  b1 = symmetric at 0 in @dp, 64 bytes
  b2 = comm, 64 bytes
  b3 = symmetric at 0 in @dp, 64 bytes
  b4 = comm, 64 bytes
  0: acquire b1
  1: copy b0 -> b1
  2: start w0 = all_reduce "first" over @dp (b1) -> b2 {dtype = f32, parts = [16]}
  3: wait w0
  4: acquire b3
  5: copy b2 -> b3
  6: free b2
  7: start w1 = all_reduce "second" over @dp (b3) -> b4 {dtype = f32, parts = [16]}
  8: wait w1
  9: free b4
  return
)");

// In a loop, beside what the program itself has.
const std::string kLoop = plan_text(R"(
  region r0 @body {
    b0 = parameter 0: f32[16], 64 bytes
    b1 = symmetric at 64 in @dp, 64 bytes
    b2 = comm, 64 bytes
    b3 = result, 64 bytes
    0: acquire b1
    1: copy b0 -> b1
    2: start w0 = all_reduce "inside" over @dp (b1) -> b2 {dtype = f32, parts = [16]}
    3: wait w0
    4: copy b2 -> b3
    5: free b2
    return b3: f32[16]
  }
  b4 = input 0: f32[16], 64 bytes
  b5 = symmetric at 0 in @dp, 64 bytes
  b6 = comm, 64 bytes
  b7 = output, 64 bytes
  b8 = local at 0, 64 bytes
  6: acquire b5
  7: copy b4 -> b5
  8: start w1 = all_reduce "outside" over @dp (b5) -> b6 {dtype = f32, parts = [16]}
  9: allocate b7
  10: scan r0 @body (b4) -> b7 with b8 {carries = 1, length = 3}
  11: wait w1
  12: free b6
  return b7: f32[16]
)");

TEST(CheckPlaces, AcceptsPlansThatKeepTheRules) {
  EXPECT_EQ(complaint(kTogether), "");
  EXPECT_EQ(complaint(kInTurn), "");
  EXPECT_EQ(complaint(kLoop), "");
}

TEST(CheckPlaces, BuffersThatAreInUseTogetherDoNotOverlap) {
  EXPECT_THAT(complaint(with(kTogether, "symmetric at 64", "symmetric at 0")),
              HasSubstr("step 3: b3 overlaps a live buffer, b1, which step 6 uses"));
  const std::string longer =
      with(with(kTogether, "symmetric at 0 in @dp, 64", "symmetric at 0 in @dp, 65"),
           "1: copy b0 -> b1", "1: call make \"it\" (b0) -> b1 {tiles = 1}");
  EXPECT_THAT(complaint(longer), HasSubstr("b3 overlaps a live buffer, b1"));
  // Acquired before the collective of what lies there is waited for.
  std::string early = with(kInTurn, "3: wait w0\n  4: acquire b3", "3: acquire b3\n  4: wait w0");
  EXPECT_THAT(complaint(early),
              HasSubstr("step 3: b3 overlaps a live buffer, b1, which step 4 uses"));
}

TEST(CheckPlaces, APlaceIsInUseUntilItIsReadHereForTheLastTime) {
  EXPECT_THAT(complaint(with(kInTurn, "5: copy b2 -> b3", "5: copy b1 -> b3")),
              HasSubstr("step 4: b3 overlaps a live buffer, b1, which step 5 uses"));
}

TEST(CheckPlaces, PlacesLieInsideAndAligned) {
  EXPECT_THAT(complaint(with(kTogether, "symmetric at 64", "symmetric at 128")),
              HasSubstr("b3 lies outside the group's memory"));
  EXPECT_THAT(complaint(with(kTogether, "128 bytes in", "127 bytes in")),
              HasSubstr("b3 lies outside the group's memory"));
  EXPECT_THAT(complaint(with(kInTurn, "b3 = symmetric at 0", "b3 = symmetric at 32")),
              HasSubstr("b3 is not aligned"));
}

// On GPUs streams order what lies there; what overlaps while it is in use is found all the same.
TEST(CheckPlaces, PlacesOnAGpuAreNotAcquired) {
  const std::string text = plan_text(R"(
  b0 = input 0: f32[16] on cuda:0, 64 bytes on cuda:0
  b1 = symmetric at 0 in @dp, 64 bytes on cuda:0
  b2 = symmetric at 256 in @dp, 64 bytes on cuda:0
  b3 = output, 64 bytes on cuda:0
  0: copy b0 on cuda:0 -> b1 on cuda:0
  1: start w0 = all_reduce "sum" over @dp by nccl (b1) -> b2 {dtype = f32, parts = [16]}
  2: wait w0
  3: allocate b3
  4: copy b2 on cuda:0 -> b3 on cuda:0
  return b3: f32[16] on cuda:0
)",
                                     "320 bytes in @dp on cuda:0");
  EXPECT_EQ(complaint(text), "");
  EXPECT_THAT(complaint(with(text, "symmetric at 256", "symmetric at 0")),
              HasSubstr("step 1: b2 overlaps a live buffer, b1"));
  EXPECT_THAT(complaint(with(text, "symmetric at 256", "symmetric at 64")),
              HasSubstr("b2 is not aligned"));
  EXPECT_THAT(complaint(with(text, "symmetric at 256", "symmetric at 512")),
              HasSubstr("b2 lies outside the group's memory"));
  EXPECT_THAT(complaint(with(text, "3: allocate b3", "3: acquire b2")),
              HasSubstr("b2 is not to be acquired"));
  EXPECT_THROW(parse_plan(with(text, "320 bytes in @dp on cuda:0", "320 bytes in @dp")),
               ParseError);
  EXPECT_THAT(complaint(with(text, "320 bytes in @dp on cuda:0",
                             "320 bytes in @dp of member 1 on cuda:0, 320 bytes in @dp on cuda:0")),
              HasSubstr("has results in common on a GPU"));
}

TEST(CheckPlaces, APlaceIsAcquiredOnceBeforeItIsWritten) {
  EXPECT_THAT(complaint(with(kTogether, "3: acquire b3\n  4: copy b0 -> b3",
                             "3: copy b0 -> b3\n  4: acquire b3")),
              HasSubstr("step 3: b3 is written before its place is acquired"));
  EXPECT_THAT(complaint(with(kTogether, "3: acquire b3", "3: acquire b1")),
              HasSubstr("step 3: b1 is acquired twice"));
  EXPECT_THAT(complaint(with(kTogether, "10: allocate b5", "10: acquire b5")),
              HasSubstr("step 10: b5 is not to be acquired"));
  EXPECT_THAT(complaint(with(kTogether, "3: acquire b3", "3: allocate b3")),
              HasSubstr("step 3: b3 is not to be allocated"));
  EXPECT_THAT(complaint(with(kTogether, "9: free b4", "9: free b1")),
              HasSubstr("step 9: b1 is freed, but has no memory of its own"));
  EXPECT_THAT(
      complaint(with(kTogether,
                     "4: copy b0 -> b3\n  5: start w1 = all_reduce \"second\" over "
                     "@dp (b3)",
                     "4: copy b0 -> b5\n  5: start w1 = all_reduce \"second\" over @dp (b1)")),
      HasSubstr("step 4: b5 is written before it is allocated"));
}

TEST(CheckPlaces, WhatPeersMayReadIsNotWritten) {
  EXPECT_THAT(complaint(with(kTogether, "4: copy b0 -> b3", "4: copy b0 -> b1")),
              HasSubstr("step 4: b1 is written, but peers may read it"));
  EXPECT_THAT(complaint(with(kTogether, "11: copy b3 -> b5", "11: copy b5 -> b3")),
              HasSubstr("step 11: b5 is read before it is written"));
  EXPECT_THAT(complaint(with(kTogether, "11: copy b3 -> b5", "11: copy b0 -> b3")),
              HasSubstr("step 11: b3 is written, but peers may read it"));
}

TEST(CheckPlaces, WhatWasNotWrittenIsNotAnnounced) {
  EXPECT_THAT(complaint(with(kTogether,
                             "1: copy b0 -> b1\n  2: start w0 = all_reduce \"first\" over "
                             "@dp (b1)",
                             "1: acquire b3\n  2: start w0 = all_reduce \"first\" over @dp (b3)")),
              HasSubstr("step 2: b3 is read before it is written"));
}

TEST(CheckPlaces, ThePlanWaitsForWhatReadsAPlace) {
  EXPECT_THAT(complaint(with(kTogether, "8: wait w1\n  9: free b4\n  10: allocate b5\n  11: copy",
                             "8: allocate b5\n  9: copy")),
              HasSubstr("b3 lies in the group's memory, but its collective is not waited for"));
  EXPECT_THAT(complaint(with(kTogether, "8: wait w1", "8: wait w0")),
              HasSubstr("waits for w0 twice"));
  EXPECT_THAT(complaint(with(kInTurn,
                             "7: start w1 = all_reduce \"second\" over @dp (b3) -> b4 {dtype = "
                             "f32, parts = [16]}\n  8: wait w1\n  9: free b4",
                             "7: start w1 = barrier \"second\" over @dp (b3)")),
              HasSubstr("b3 lies in the group's memory, but its collective is not waited for"));
}

TEST(CheckPlaces, EachGroupHasMemoryOfItsOwn) {
  EXPECT_THAT(complaint(with(kTogether, "\"second\" over @dp", "\"second\" over @tp")),
              HasSubstr("step 5: b3 lies in another group's memory"));
  EXPECT_THAT(complaint(with(kTogether, "\"second\" over @dp", "\"second\" over @dp of @tp")),
              HasSubstr("step 5: b3 lies in another group's memory"));
  EXPECT_THAT(complaint(with(kTogether, "\"second\" over @dp", "\"second\" over @dp by gloo")),
              HasSubstr("step 5: b3 lies in another group's memory"));
  const std::string alone = plan_text("  return\n", "64 bytes in @alone");
  EXPECT_THAT(complaint(alone), HasSubstr("has memory, but nobody to share it with"));
}

TEST(CheckPlaces, AreNotTheCallers) {
  EXPECT_THAT(complaint(with(kTogether, "return b5", "return b3")),
              HasSubstr("b3 is returned, but has no memory of its own"));
  EXPECT_THAT(complaint(with(kTogether, "return b5", "b3 may take over input 0\n  return b5")),
              HasSubstr("b3 can't take an argument's memory over"));
}

// A result that peers write.
const std::string kResult = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes
  b1 = symmetric at 0 in @dp, 64 bytes
  b2 = symmetric at 64 in @dp, 64 bytes
  b3 = output, 64 bytes
  0: acquire b1
  1: copy b0 -> b1
  2: acquire b2
  3: start w0 = all_reduce "sum" over @dp (b1) -> b2 {dtype = f32, parts = [16]}
  4: wait w0
  5: allocate b3
  6: copy b2 -> b3
  return b3: f32[16]
)");

// A kernel combines what both ranks have.
const std::string kReading = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes
  b1 = symmetric at 0 in @dp, 64 bytes
  b2 = peer 0, 64 bytes
  b3 = peer 1, 64 bytes
  b4 = output, 64 bytes
  b5 = symmetric at 64 in @dp, 64 bytes
  b6 = comm, 64 bytes
  0: acquire b5
  1: copy b0 -> b5
  2: acquire b1
  3: copy b0 -> b1
  4: start w0 = all_reduce "other" over @dp (b5) -> b6 {dtype = f32, parts = [16]}
  5: start w1 = all_reduce "sum" over @dp (b1) -> b2, b3 {dtype = f32, parts = [16]}
  6: wait w0
  7: free b6
  8: allocate b4
  9: wait w1
  10: call add "both" (b2, b3) -> b4 {tiles = 1}
  11: finish w1
  return b4: f32[16]
)");

TEST(CheckPlaces, OperandsOfPeersAreReadBetweenTheWaitAndTheFinish) {
  EXPECT_EQ(complaint(kReading), "");
  const std::string add = "call add \"both\" (b2, b3) -> b4 {tiles = 1}";
  EXPECT_THAT(
      complaint(with(kReading, "9: wait w1\n  10: " + add, "9: " + add + "\n  10: wait w1")),
      HasSubstr("step 9: b2 is read before it is written"));
  EXPECT_THAT(
      complaint(with(kReading, "10: " + add + "\n  11: finish w1", "10: finish w1\n  11: " + add)),
      HasSubstr("step 11: b2 is read after it was freed"));
  EXPECT_THAT(complaint(with(kReading, "\n  11: finish w1", "")),
              HasSubstr("w1 is read, but never finished"));
  EXPECT_THAT(
      complaint(with(kReading, "8: allocate b4\n  9: wait w1", "8: wait w1\n  9: allocate b4")),
      "");
  EXPECT_THAT(complaint(with(kReading, "11: finish w1", "11: finish w0")),
              HasSubstr("finishes w0, which is not read here"));
  EXPECT_THAT(
      complaint(with(kReading, "8: allocate b4\n  9: wait w1", "8: finish w1\n  9: wait w1")),
      HasSubstr("finishes w1 twice, or before it is waited for"));
}

// What is waited for completes all that was started before it, and a place may have to wait for
// that, too.
TEST(CheckPlaces, WhileOperandsOfPeersAreReadNothingIsWaitedFor) {
  std::string text = with(kReading, "6: wait w0\n  7: free b6\n  8: allocate b4\n  9: wait w1\n",
                          "6: wait w1\n  7: wait w0\n  8: free b6\n  9: allocate b4\n");
  EXPECT_THAT(complaint(text), HasSubstr("step 7: waits for w0 while w1 is read"));
  text = with(kReading, "  b5 = symmetric at 64", "  b5 = symmetric at 0");
  EXPECT_THAT(complaint(text), HasSubstr("step 2: b1 overlaps a live buffer, b5"));
}

TEST(CheckPlaces, AReadingIsOfAllMembersOfOneAllReduce) {
  EXPECT_THAT(
      complaint(with(kReading, "\"sum\" over @dp (b1) -> b2, b3", "\"sum\" over @dp (b1) -> b2")),
      HasSubstr("w1 is not one that a plan can read"));
  EXPECT_THAT(complaint(with(kReading, "b3 = peer 1", "b3 = peer 0")),
              HasSubstr("b3 is not where the member of that place has its operand"));
  EXPECT_THAT(complaint(with(kReading, "b3 = peer 1, 64 bytes", "b3 = peer 1, 128 bytes")),
              HasSubstr("b3 is not where the member of that place has its operand"));
  EXPECT_THAT(complaint(with(kReading, "\"sum\" over @dp (b1) -> b2", "\"sum\" over @dp () -> b2")),
              HasSubstr("w1 is not one that a plan can read"));
  EXPECT_THAT(complaint(with(kReading, "w1 = all_reduce", "w1 = barrier")),
              HasSubstr("w1 is not one that a plan can read"));
  EXPECT_THAT(complaint(with(kReading, "1: copy b0 -> b5", "1: copy b0 -> b2")), testing::Not(""));
  EXPECT_THAT(complaint(with(kReading, "return b4", "return b2")), testing::Not(""));
}

TEST(CheckPlaces, AResultHasAPlaceFromItsStartOn) {
  EXPECT_EQ(complaint(kResult), "");
  EXPECT_THAT(complaint(with(kResult, "symmetric at 64", "symmetric at 0")),
              HasSubstr("step 2: b2 overlaps a live buffer, b1, which step 4 uses"));
  EXPECT_THAT(complaint(with(kResult,
                             "2: acquire b2\n  3: start w0 = all_reduce \"sum\" over @dp "
                             "(b1) -> b2 {dtype = f32, parts = [16]}",
                             "2: start w0 = all_reduce \"sum\" over @dp (b1) -> b2 {dtype = f32, "
                             "parts = [16]}\n  3: acquire b2")),
              HasSubstr("step 2: b2 is written before its place is acquired"));
  EXPECT_THAT(
      complaint(with(kResult, "b1 = symmetric at 0 in @dp, 64 bytes", "b1 = comm, 64 bytes")),
      HasSubstr("step 0: b1 is not to be acquired"));
  EXPECT_THAT(complaint(with(kResult, "over @dp (b1)", "over @tp (b1)")),
              HasSubstr("lies in another group's memory"));
  EXPECT_THAT(complaint(with(kResult, "4: wait w0\n  5: allocate b3\n  6: copy b2 -> b3",
                             "4: allocate b3\n  5: copy b2 -> b3\n  6: wait w0")),
              HasSubstr("step 5: b2 is read before it is written"));
  EXPECT_THAT(complaint(with(kResult, "5: allocate b3", "5: copy b0 -> b2")),
              HasSubstr("step 5: b2 is written twice"));
}

TEST(CheckPlaces, WhatALoopHasLiesBehindWhatItsProgramHas) {
  EXPECT_THAT(complaint(with(kLoop, "symmetric at 64", "symmetric at 0")),
              HasSubstr("b1 lies where a caller of its region has its own"));
}

TEST(CheckPlaces, NothingIsUnderWayWhenAnIterationEnds) {
  EXPECT_THAT(complaint(with(kLoop, "3: wait w0\n    4: copy b2 -> b3\n    5: free b2\n",
                             "3: copy b0 -> b3\n    4: copy b0 -> b3\n    5: copy b0 -> b3\n")),
              HasSubstr("b3 is written twice"));
  const std::string body =
      "    2: start w0 = all_reduce \"inside\" over @dp (b1) -> b2 {dtype = f32, parts = [16]}\n"
      "    3: wait w0\n    4: copy b2 -> b3\n    5: free b2\n";
  EXPECT_THAT(
      complaint(
          with(with(kLoop, "    b2 = comm, 64 bytes\n", "    b2 = local at 0, 64 bytes\n"), body,
               "    2: start w0 = send_recv \"inside\" over @dp (b1) {dtype = f32, parts = [16]}\n"
               "    3: copy b0 -> b2\n    4: copy b2 -> b3\n    5: acquire b1\n")),
      HasSubstr("b1 is acquired twice"));
}

TEST(CheckPlaces, ARegionUsesItsOwn) {
  EXPECT_THAT(complaint(with(kLoop, "7: copy b4 -> b5", "7: copy b4 -> b1")),
              HasSubstr("b1 is of another region"));
  EXPECT_THAT(complaint(with(kLoop, "6: acquire b5", "6: acquire b1")),
              HasSubstr("b1 is of another region"));
}

TEST(CheckPlaces, WhatAHeadSaysOfThemIsTrue) {
  Plan plan = parse_plan(kTogether);
  add_placements(plan);
  EXPECT_NO_THROW(check(plan));
  plan.areas[0].placement.layout ^= 1;
  EXPECT_THROW(check(plan), InternalError);
}

runtime::Placement placement(const std::string& text) { return placement_of(parse_plan(text), 0); }

TEST(Placement, TheSkeletonIsOfWhatAGroupsMemoryAndCallsAreUsedFor) {
  const runtime::Placement before = placement(kTogether);
  EXPECT_NE(before.skeleton, 0U);
  // Numbers of buffers, local ones among them, and what calls are called, are a rank's own.
  std::string text = with(kTogether, "\"first\"", "\"one\"");
  text = with(text, "rank 0", "rank 1");
  EXPECT_EQ(placement(text), before);
  // The order of the calls is not, nor are sizes, readings and waits.
  EXPECT_NE(
      placement(with(kTogether, "b1 = symmetric at 0 in @dp, 64", "b1 = symmetric at 0 in @dp, 60"))
          .skeleton,
      before.skeleton);
  EXPECT_NE(placement(with(kTogether, "11: copy b3 -> b5", "11: copy b0 -> b5")).skeleton,
            before.skeleton);
  text = with(kTogether, "6: wait w0", "6: wait w1");
  EXPECT_NE(placement(with(text, "8: wait w1", "8: wait w0")).skeleton, before.skeleton);
}

// The places that a step writes are acquired before all that it does.
TEST(Placement, WhatOneStepDoesIsDoneTogether) {
  const std::string apart = plan_text(R"(
  b0 = input 0: f32[16], 64 bytes
  b1 = symmetric at 0 in @dp, 64 bytes
  b2 = comm, 64 bytes
  b3 = local at 0, 64 bytes
  b4 = symmetric at 64 in @dp, 64 bytes
  0: acquire b1
  1: copy b0 -> b1
  2: start w0 = all_reduce "sum" over @dp (b1) -> b2 {dtype = f32, parts = [16]}
  3: wait w0
  4: call read "it" (b1) -> b3 {tiles = 1}
  5: call write "it" (b0) -> b4 {tiles = 1}
  return
)");
  const std::string together = with(
      apart,
      "4: call read \"it\" (b1) -> b3 {tiles = 1}\n  5: call write \"it\" (b0) -> b4 {tiles = 1}",
      "4: together\n    call read \"it\" (b1) -> b3 {tiles = 1}\n    call write \"it\" (b0) -> b4 "
      "{tiles = 1}");
  EXPECT_NE(placement(together).skeleton, placement(apart).skeleton);
}

TEST(Placement, TheLayoutIsOfPlacesAndOfWhenTheyAreAcquired) {
  const runtime::Placement before = placement(kTogether);
  const runtime::Placement moved = placement(with(kTogether, "symmetric at 64", "symmetric at 0"));
  EXPECT_EQ(moved.skeleton, before.skeleton);
  EXPECT_NE(moved.layout, before.layout);
  const runtime::Placement later = placement(
      with(kTogether, "3: acquire b3\n  4: copy b0 -> b3", "3: copy b0 -> b3\n  4: acquire b3"));
  EXPECT_EQ(later.skeleton, before.skeleton);
  EXPECT_NE(later.layout, before.layout);
}

TEST(Placement, LoopsStandInBrackets) {
  const runtime::Placement before = placement(kLoop);
  EXPECT_NE(placement(with(kLoop, "length = 3", "length = 4")).skeleton, before.skeleton);
  const runtime::Placement moved = placement(with(kLoop, "symmetric at 64", "symmetric at 0"));
  EXPECT_EQ(moved.skeleton, before.skeleton);
  EXPECT_NE(moved.layout, before.layout);
}

}  // namespace
}  // namespace tutti::codegen::check_places_test
