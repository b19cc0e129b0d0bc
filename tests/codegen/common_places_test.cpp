// Results that all members have in common, at places of one member's memory: plans that would write
// over what somebody reads, each by one step or number that is not as it should be.

#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/codegen/plan/placement.h>

#include <string>

#include "tests/codegen/plan_complaint.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::common_places_test {
namespace {

using test::complaint;
using test::with;
using testing::HasSubstr;

const std::string kCall =
    R"({dtype = f32, op = "sum", parts = [16], algorithm = "two-shot, always"})";

// One result after the other, at one place.
const std::string kInTurn = R"(// tutti plan 1
group @dp = {ranks = [0, 1], stride = 2}
group @tp = {ranks = [0, 1], stride = 2}
plan @f rank 0 arena 0 bytes, 64 bytes in @dp, 128 bytes in @dp of member 1, 64 bytes in @tp of member 1 {
  b0 = input 0: f32[16], 64 bytes
  b1 = symmetric at 0 in @dp, 64 bytes
  b2 = symmetric at 0 in @dp of member 1, 64 bytes
  b3 = symmetric at 0 in @dp, 64 bytes
  b4 = symmetric at 0 in @dp of member 1, 64 bytes
  b5 = output, 64 bytes
  0: acquire b1
  1: copy b0 -> b1
  2: start w0 = all_reduce "first" over @dp (b1) -> b2 )" +
                            kCall + R"(
  3: wait w0
  4: acquire b3
  5: copy b2 -> b3
  6: start w1 = all_reduce "second" over @dp (b3) -> b4 )" +
                            kCall + R"(
  7: wait w1
  8: allocate b5
  9: copy b4 -> b5
  return b5: f32[16]
}
)";

TEST(CommonPlaces, AreUsedByTurns) { EXPECT_EQ(complaint(kInTurn), ""); }

TEST(CommonPlaces, AreReadBeforeTheNextCallIsAnnounced) {
  EXPECT_THAT(complaint(with(kInTurn, "9: copy b4 -> b5", "9: copy b2 -> b5")),
              HasSubstr("step 6: b4 overlaps a live buffer, b2, which step 9 uses"));
  // Nobody reads the first, but it is completed too late.
  std::string late = with(kInTurn, "3: wait w0\n  4: acquire b3\n  5: copy b2 -> b3",
                          "3: acquire b3\n  4: copy b0 -> b3");
  late =
      with(late, "symmetric at 0 in @dp, 64 bytes\n  b4", "symmetric at 64 in @dp, 64 bytes\n  b4");
  late = with(late, "64 bytes in @dp, 128", "128 bytes in @dp, 128");
  late = with(late, "6: start w1", "5: start w1");
  late = with(late, "7: wait w1\n  8: allocate", "6: wait w0\n  7: wait w1\n  8: allocate");
  EXPECT_THAT(complaint(late), HasSubstr("step 5: b4 overlaps a live buffer, b2, which step 6"));
  // At places of their own they may be under way together.
  const std::string apart = with(late, "b4 = symmetric at 0", "b4 = symmetric at 64");
  EXPECT_EQ(complaint(apart), "");
}

TEST(CommonPlaces, AreWrittenByCollectivesAlone) {
  EXPECT_THAT(complaint(with(kInTurn, "0: acquire b1", "0: acquire b2")),
              HasSubstr("b2 is not to be acquired"));
  EXPECT_THAT(complaint(with(kInTurn, "1: copy b0 -> b1", "1: copy b0 -> b4")),
              HasSubstr("b4 is written, but all members have it in common"));
  EXPECT_THAT(complaint(with(kInTurn, "over @dp (b3)", "over @dp (b2)")),
              HasSubstr("b2 goes to peers, but lies with a result in common"));
}

TEST(CommonPlaces, AreForResultsThatAllHaveInCommon) {
  EXPECT_THAT(complaint(with(kInTurn, "-> b2 " + kCall, "-> b2 {dtype = f32, parts = [16]}")),
              HasSubstr("b2 lies where the results of such a call do not"));
  EXPECT_THAT(complaint(with(kInTurn, "b2 = symmetric at 0 in @dp of member 1",
                             "b2 = symmetric at 0 in @dp")),
              HasSubstr("b2 lies where the results of such a call do not"));
  EXPECT_THAT(complaint(with(kInTurn, "b2 = symmetric at 0 in @dp of member 1",
                             "b2 = symmetric at 0 in @tp of member 1")),
              HasSubstr("b2 lies in another group's memory"));
}

TEST(CommonPlaces, AreWaitedFor) {
  std::string text = with(kInTurn, "  7: wait w1\n  8: allocate b5\n  9: copy b4",
                          "  7: allocate b5\n  8: copy b0");
  EXPECT_THAT(complaint(text), HasSubstr("is not waited for"));
}

TEST(CommonPlaces, LieInsideAndAligned) {
  EXPECT_THAT(complaint(with(kInTurn, "b4 = symmetric at 0", "b4 = symmetric at 128")),
              HasSubstr("b4 lies outside the group's memory"));
  EXPECT_THAT(complaint(with(kInTurn, "b4 = symmetric at 0", "b4 = symmetric at 32")),
              HasSubstr("b4 is not aligned"));
}

TEST(CommonPlaces, WhoHasThemIsPartOfTheLayout) {
  const runtime::Placement before = placement_of(parse_plan(kInTurn), 0);
  EXPECT_EQ(placement_of(parse_plan(kInTurn), 1), before);  // one for all of a group's memory
  const auto changed = [&](const std::string& text) { return placement_of(parse_plan(text), 0); };
  std::string other = kInTurn;
  for (std::size_t at = 0; (at = other.find("@dp of member 1", at)) != other.npos; ++at) {
    other.replace(at, 15, "@dp of member 0");
  }
  EXPECT_EQ(changed(other).skeleton, before.skeleton);
  EXPECT_NE(changed(other).layout, before.layout);
  const std::string moved = with(kInTurn, "b4 = symmetric at 0", "b4 = symmetric at 64");
  EXPECT_EQ(changed(moved).skeleton, before.skeleton);
  EXPECT_NE(changed(moved).layout, before.layout);
  const std::string larger =
      with(kInTurn, "of member 1, 64 bytes\n  b5", "of member 1, 63 bytes\n  b5");
  EXPECT_NE(changed(larger).skeleton, before.skeleton);
}

TEST(CommonPlaces, StandInTheTextAsTheyAre) {
  EXPECT_TRUE(structurally_equal(parse_plan(print(parse_plan(kInTurn))), parse_plan(kInTurn)));
  EXPECT_THAT(print(parse_plan(kInTurn)),
              AllOf(HasSubstr(", 128 bytes in @dp of member 1, "),
                    HasSubstr("b4 = symmetric at 0 in @dp of member 1, 64 bytes")));
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      parse_plan(text);
    } catch (const ParseError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of(with(kInTurn, "b2 = symmetric at 0 in @dp of member 1",
                            "b2 = symmetric at 0 in @dp of member 2")),
              HasSubstr("the group has 2 members"));
  EXPECT_THAT(error_of(with(kInTurn, "b2 = symmetric at 0 in @dp of member 1",
                            "b2 = symmetric at 0 in @dp of member 0")),
              HasSubstr("the plan's head says nothing of its memory"));
}

}  // namespace
}  // namespace tutti::codegen::common_places_test
