#include <tutti/ir/verify/verify_spmd.h>

#include "tests/ir/verify/spmd_programs.h"
#include <gmock/gmock.h>

namespace tutti::ir::verify_spmd_test {
namespace {

using test::compare;
using test::compare_files;
using test::receive;
using test::send;
using test::use;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPair = "group @dp = {ranks = [0, 1]}";
const std::string kSum = "%0 = all_reduce(%x) {op = \"sum\", group = @dp} // a.cpp:1\n";

// What two ranks are told whose second collective of a pair differs, behind the place.
std::string difference(const std::string& rank_0, const std::string& rank_1) {
  const SpmdReport report = compare(
      kPair, {kSum + "%1 = " + rank_0 + " // a.cpp:2", kSum + "%1 = " + rank_1 + " // b.cpp:3"});
  const std::string place = "group \"dp\" [0, 1], collective 2: ";
  if (report.findings.size() != 1 || !report.findings[0].starts_with(place)) {
    return "findings: " + testing::PrintToString(report.findings);
  }
  return report.findings[0].substr(place.size());
}

TEST(VerifySpmd, CountsWhatFits) {
  const SpmdReport report = compare(kPair, {kSum, kSum});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.groups, 1U);
  EXPECT_EQ(report.collectives, 1U);
  EXPECT_EQ(report.messages, 0U);
}

TEST(VerifySpmd, ProgramsMayDifferInAllThatIsLocal) {
  EXPECT_THAT(compare(kPair, {kSum,
                              "%9 = neg(%x)\n%8 = all_reduce(%9) {op = \"sum\", group = @dp}"
                              "\n%7 = wait(%8)\n%6 = mul(%7, %9)"})
                  .findings,
              IsEmpty());
}

TEST(VerifySpmd, FunctionsOfARankFollowEachOther) {
  const std::string head = kPair + "\nfunc @a(%x: f32[4]) {\n" + kSum;
  EXPECT_THAT(compare_files({head + "return }\nfunc @b(%x: f32[4]) {\n" + kSum + "return }",
                             head + "%1 = all_reduce(%x) {op = \"sum\", group = @dp}\nreturn }"})
                  .findings,
              IsEmpty());
}

TEST(VerifySpmd, NamesBothCallsWithTheirLines) {
  EXPECT_THAT(difference("scan_ranks(%x) {op = \"sum\", group = @dp, exclusive = true}",
                         "scan_ranks(%x) {op = \"sum\", group = @dp}"),
              HasSubstr("exclusive = true} at a.cpp:2"));
  EXPECT_EQ(difference("all_reduce(%x) {op = \"sum\", group = @dp}",
                       "all_gather(%x) {axis = 0, group = @dp}"),
            "rank 0 calls all_reduce sum f32[4] at a.cpp:2, "
            "rank 1 calls all_gather f32[4] at b.cpp:3");
}

TEST(VerifySpmd, ShowsTheNodeWhereNoLineIsKnown) {
  EXPECT_THAT(
      compare(kPair, {"barrier() {group = @dp}",
                      "%0 = reduce(%x) {op = \"max\", root = 1, "
                      "group = @dp}"})
          .findings,
      ElementsAre("group \"dp\" [0, 1], collective 1: rank 0 calls barrier (barrier() {group "
                  "= @dp}), rank 1 calls reduce max f32[4] (%0 = reduce(%x) {op = \"max\", "
                  "root = 1, group = @dp} : async f32[4])"));
}

TEST(VerifySpmd, DtypesAgree) {
  EXPECT_EQ(difference("all_reduce(%x) {op = \"sum\", group = @dp}",
                       "all_reduce(%y) {op = \"sum\", group = @dp}"),
            "rank 0 calls all_reduce sum f32[4] at a.cpp:2, "
            "rank 1 calls all_reduce sum i32[4] at b.cpp:3");
}

TEST(VerifySpmd, ShapesAgree) {
  const std::string end = "%1 = all_reduce(%0) {op = \"sum\", group = @dp}";
  EXPECT_THAT(compare(kPair, {"%0 = reshape(%x) {shape = [2, 2]}\n" + end,
                              "%0 = reshape(%x) {shape = [4, 1]}\n" + end})
                  .findings,
              ElementsAre(testing::AllOf(HasSubstr("rank 0 calls all_reduce sum f32[2,2] ("),
                                         HasSubstr("rank 1 calls all_reduce sum f32[4,1] ("))));
  const std::string exchange = "%1 = all_to_all(%0) {axis = 0, group = @dp}";
  EXPECT_THAT(compare(kPair, {"%0 = reshape(%x) {shape = [2, 2]}\n" + exchange,
                              "%0 = reshape(%x) {shape = [4, 1]}\n" + exchange})
                  .findings,
              testing::SizeIs(1));
}

TEST(VerifySpmd, ReductionsAgree) {
  EXPECT_EQ(difference("all_reduce(%x) {op = \"sum\", group = @dp}",
                       "all_reduce(%x) {op = \"max\", group = @dp}"),
            "rank 0 calls all_reduce sum f32[4] at a.cpp:2, "
            "rank 1 calls all_reduce max f32[4] at b.cpp:3");
}

TEST(VerifySpmd, RootsAgree) {
  EXPECT_EQ(
      difference("broadcast(%x) {root = 0, group = @dp}", "broadcast(%x) {root = 1, group = @dp}"),
      "rank 0 calls broadcast f32[4] {root = 0} at a.cpp:2, "
      "rank 1 calls broadcast f32[4] {root = 1} at b.cpp:3");
}

TEST(VerifySpmd, AxesAgree) {
  const auto body = [](const std::string& axis) {
    return "%0 = reshape(%x) {shape = [2, 2]}\n%1 = all_gather(%0) {axis = " + axis +
           ", group = @dp} // a.cpp:2";
  };
  EXPECT_THAT(compare(kPair, {body("0"), body("1")}).findings,
              ElementsAre("group \"dp\" [0, 1], collective 1: rank 0 calls all_gather f32[2,2] "
                          "{axis = 0} at a.cpp:2, rank 1 calls all_gather f32[2,2] {axis = 1} at "
                          "a.cpp:2"));
}

TEST(VerifySpmd, PairsOfAPermutationAgree) {
  EXPECT_EQ(difference("collective_permute(%x) {pairs = [0, 1], group = @dp}",
                       "collective_permute(%x) {pairs = [0, 1, 1, 0], group = @dp}"),
            "rank 0 calls collective_permute f32[4] {pairs = [0, 1]} at a.cpp:2, "
            "rank 1 calls collective_permute f32[4] {pairs = [0, 1, 1, 0]} at b.cpp:3");
}

TEST(VerifySpmd, NumbersOfTensorsAgree) {
  const std::string two = "%1, %2 = all_reduce(%x, %x) {op = \"sum\", group = @dp} // b.cpp:3";
  EXPECT_THAT(
      compare(kPair, {kSum, two}).findings,
      ElementsAre("group \"dp\" [0, 1], collective 1: rank 0 calls all_reduce sum f32[4] at "
                  "a.cpp:1, rank 1 calls all_reduce sum f32[4], f32[4] at b.cpp:3"));
}

TEST(VerifySpmd, NumbersOfCallsAgree) {
  EXPECT_THAT(
      compare(kPair, {kSum + "%1 = all_reduce(%x) {op = \"max\", group = @dp} // a.cpp:2", kSum})
          .findings,
      ElementsAre("group \"dp\" [0, 1], collective 2: rank 0 calls all_reduce max f32[4] at "
                  "a.cpp:2, rank 1 calls nothing more"));
  EXPECT_THAT(compare(kPair, {"", kSum}).findings,
              ElementsAre("group \"dp\" [0, 1], collective 1: rank 0 calls nothing there, rank 1 "
                          "calls all_reduce sum f32[4] at a.cpp:1"));
}

TEST(VerifySpmd, TheFirstDifferenceOfAnyMemberCounts) {
  const std::string three = "group @dp = {ranks = [0..3]}";
  const std::string max = "%1 = all_reduce(%x) {op = \"max\", group = @dp} // b.cpp:2\n";
  EXPECT_THAT(
      compare(three, {kSum + max, kSum, max}).findings,
      ElementsAre("group \"dp\" [0, 1, 2], collective 1: rank 0 calls all_reduce sum f32[4] "
                  "at a.cpp:1, rank 2 calls all_reduce max f32[4] at b.cpp:2"));
  EXPECT_THAT(compare(three, {kSum, kSum, kSum + max}).findings,
              ElementsAre("group \"dp\" [0, 1, 2], collective 2: rank 0 calls nothing more, rank 2 "
                          "calls all_reduce max f32[4] at b.cpp:2"));
}

TEST(VerifySpmd, EachGroupHasAFindingOfItsOwn) {
  const std::string two = kPair + "\ngroup @tp = {ranks = [0, 1]}";
  const std::string sum = "%1 = all_reduce(%x) {op = \"sum\", group = @tp} // a.cpp:2\n";
  EXPECT_THAT(compare(two, {kSum + sum, ""}).findings,
              ElementsAre(HasSubstr("group \"dp\""), HasSubstr("group \"tp\"")));
}

TEST(VerifySpmd, GroupsAreTheirMembersInOrderAndTheirTag) {
  const auto body = [](const std::string& group) {
    return "%0 = all_reduce(%x) {op = \"sum\", " + group + "} // a.cpp:1";
  };
  EXPECT_THAT(
      compare("", {body("tag = \"dp\", ranks = [0, 1], stride = 2"),
                   body("tag = \"dp\", ranks = [1, 0], stride = 2")})
          .findings,
      ElementsAre("group \"dp\" [0, 1], collective 1: rank 0 calls all_reduce sum f32[4] at "
                  "a.cpp:1, rank 1 calls nothing there, but in group \"dp\" [1, 0] rank 1 "
                  "calls all_reduce sum f32[4] at a.cpp:1",
                  HasSubstr("group \"dp\" [1, 0], collective 1: rank 1 calls")));
  EXPECT_THAT(compare("", {body("tag = \"dp\", ranks = [0, 1], stride = 2"),
                           body("tag = \"tp\", ranks = [0, 1], stride = 2")})
                  .findings,
              testing::SizeIs(2));
}

TEST(VerifySpmd, RanksOfAPartitionMeetInTheirOwnPart) {
  const std::string parts = "group @dp = {ranks = [0, 2, 1, 3], stride = 2}";
  const std::string max = "%0 = all_reduce(%x) {op = \"max\", group = @dp} // b.cpp:2";
  const SpmdReport report = compare(parts, {kSum, max, kSum, max});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.groups, 2U);
  EXPECT_EQ(report.collectives, 2U);
  EXPECT_THAT(
      compare(parts, {kSum, max, max, max}).findings,
      ElementsAre("group \"dp\" [0, 2], collective 1: rank 0 calls all_reduce sum f32[4] at "
                  "a.cpp:1, rank 2 calls all_reduce max f32[4] at b.cpp:2"));
}

TEST(VerifySpmd, RanksOfAMeshMeetAlongItsDimensions) {
  const std::string mesh =
      "mesh (dp = 2, tp = 2)\ngroup @dp = mesh(dp = 2, tp = 2).dp\n"
      "group @tp = mesh(dp = 2, tp = 2).tp";
  const std::string row = "%1 = all_gather(%y) {axis = 0, group = @tp} // a.cpp:2";
  const SpmdReport report = compare(mesh, {kSum + row, kSum + row, kSum + row, kSum + row});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.groups, 4U);
  EXPECT_THAT(compare(mesh, {kSum + row, kSum + row, kSum + row, kSum}).findings,
              ElementsAre("group \"tp\" [2, 3], collective 1: rank 2 calls all_gather i32[4] at "
                          "a.cpp:2, rank 3 calls nothing there"));
}

TEST(VerifySpmd, GroupsOfOneDoNotCommunicate) {
  const SpmdReport report =
      compare("group @dp = {ranks = [0, 1], stride = 1}", {kSum, "%0 = neg(%x)"});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.groups, 0U);
}

TEST(VerifySpmd, EveryMemberHasAProgram) {
  EXPECT_THAT(compare("group @dp = {ranks = [0, 5]}", {kSum, ""}).findings,
              ElementsAre("group \"dp\" [0, 5]: rank 0 calls all_reduce sum f32[4] at a.cpp:1, but "
                          "there is no program of rank 5, only of 2 ranks"));
  EXPECT_THAT(compare(kPair, {"send(%x) {to = 1, group = @dp} // a.cpp:1"}).findings,
              ElementsAre("messages from rank 0 to rank 1 in group \"dp\" [0, 1]: rank 0 sends "
                          "f32[4] at a.cpp:1, but there is no program of rank 1, only of 1 rank"));
}

TEST(VerifySpmd, CallersAreInTheGroup) {
  EXPECT_THAT(compare(kPair, {kSum, kSum, kSum}).findings,
              ElementsAre("rank 2 calls all_reduce sum f32[4] at a.cpp:1, but is in no group of "
                          "\"dp\""));
}

TEST(VerifySpmd, LongGroupsAreShownShortened) {
  EXPECT_THAT(compare("group @dp = {ranks = [0..12]}", {kSum}).findings,
              ElementsAre(HasSubstr("group \"dp\" [0, 1, 2, 3, ..., 11]: ")));
}

// Gathers a rank's own part along axis 0.
std::string gather(const std::string& size, const std::string& sizes) {
  return "%0 = iota() {dtype = f32, shape = [" + size + ", 2], axis = 0}\n%1 = all_gather(%0) " +
         "{axis = 0, group = @dp, sizes = " + sizes + "} // a.cpp:1";
}

TEST(VerifySpmd, OwnPartsMayDiffer) {
  EXPECT_THAT(compare(kPair, {gather("3", "[3, 1]"), gather("1", "[3, 1]")}).findings, IsEmpty());
  const auto scatter = [](const std::string& part) {
    return "%0 = reduce_scatter(%x) {op = \"sum\", axis = 0, group = @dp, sizes = [3, 1], part = " +
           part + "}";
  };
  EXPECT_THAT(compare(kPair, {scatter("3"), scatter("1")}).findings, IsEmpty());
}

TEST(VerifySpmd, ListsOfSizesAgree) {
  EXPECT_THAT(compare(kPair, {gather("3", "[3, 1]"), gather("2", "[3, 2]")}).findings,
              ElementsAre("group \"dp\" [0, 1], collective 1: rank 0 calls all_gather f32[3,2] "
                          "{sizes = [3, 1]} at a.cpp:1, rank 1 calls all_gather f32[2,2] {sizes = "
                          "[3, 2]} at a.cpp:1"));
}

TEST(VerifySpmd, OwnPartsAreWhatTheListSays) {
  EXPECT_THAT(
      compare(kPair, {gather("1", "[3, 1]"), gather("1", "[3, 1]")}).findings,
      testing::Contains("rank 0 calls all_gather f32[1,2] at a.cpp:1: all_gather: axis 0 of "
                        "f32[1,2] is 1, but sizes[0], which is this rank's, is 3"));
}

TEST(VerifySpmd, WhatMembersExchangeAgreesPairByPair) {
  const auto exchange = [](const std::string& sent, const std::string& received) {
    return "%0 = all_to_all(%x) {axis = 0, group = @dp, send_sizes = " + sent +
           ", receive_sizes = " + received + "} // a.cpp:1";
  };
  EXPECT_THAT(compare(kPair, {exchange("[1, 3]", "[1, 2]"), exchange("[2, 2]", "[3, 2]")}).findings,
              IsEmpty());
  EXPECT_THAT(
      compare(kPair, {exchange("[1, 3]", "[1, 2]"), exchange("[2, 2]", "[1, 2]")}).findings,
      ElementsAre("group \"dp\" [0, 1], collective 1: rank 0 calls all_to_all f32[4] at "
                  "a.cpp:1 and sends 3 to rank 1, rank 1 calls all_to_all f32[4] at a.cpp:1 "
                  "and receives 1 from rank 0"));
  EXPECT_THAT(compare(kPair, {exchange("[2, 2]", "[2, 2]"), exchange("[]", "[]")}).findings,
              ElementsAre(HasSubstr("rank 0 calls all_to_all f32[4] {send_sizes = [2, 2], "
                                    "receive_sizes = [2, 2]} at a.cpp:1, rank 1 calls all_to_all "
                                    "f32[4] {send_sizes = [], receive_sizes = []}")));
}

const std::string kStages = "group @pp = {ranks = [0..3]}\ngroup @dp = {ranks = [0, 2]}";

TEST(VerifySpmd, StagesOfAPipelineRunProgramsOfTheirOwn) {
  const std::string first = send("1", "1") + send("1", "2") + receive("%g", "1", "3") + use("%g") +
                            "%0 = all_reduce(%gn) {op = \"sum\", group = @dp}";
  const std::string middle = receive("%a", "0", "1") + use("%a") + send("2", "2") +
                             receive("%b", "0", "3") + receive("%g", "2", "4") + use("%b") +
                             use("%g") + send("0", "5");
  const std::string last = receive("%a", "1", "1") + use("%a") + send("1", "2") +
                           "%0 = all_reduce(%an) {op = \"sum\", group = @dp}";
  const SpmdReport report = compare(kStages, {first, middle, last});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.groups, 1U);
  EXPECT_EQ(report.collectives, 1U);
  EXPECT_EQ(report.messages, 5U);
}

TEST(VerifySpmd, MessagesOfBatchesMeetSingleOnes) {
  const std::string batch =
      "%0 = batch_send_recv(%x) {to = [1], from = [1], receives = [f32[4]], group = @pp}";
  const SpmdReport report = compare(kStages, {batch, receive("%r", "0", "1") + send("0", "2")});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.messages, 2U);
}

TEST(VerifySpmd, AsManyMessagesAreReceivedAsSent) {
  EXPECT_THAT(
      compare(kStages, {send("1", "1") + send("1", "2"), receive("%r", "0", "3")}).findings,
      ElementsAre("messages from rank 0 to rank 1 in group \"pp\" [0, 1, 2], message 2: rank "
                  "0 sends f32[4] at a.cpp:2, rank 1 receives nothing more"));
  EXPECT_THAT(
      compare(kStages, {"", receive("%r", "0", "3")}).findings,
      ElementsAre("messages from rank 0 to rank 1 in group \"pp\" [0, 1, 2], message 1: rank "
                  "0 sends nothing there, rank 1 receives f32[4] at a.cpp:3"));
}

TEST(VerifySpmd, MessagesAgreeInShape) {
  EXPECT_THAT(
      compare(kStages, {send("1", "1"), receive("%r", "0", "3", "[2, 2]")}).findings,
      ElementsAre("messages from rank 0 to rank 1 in group \"pp\" [0, 1, 2], message 1: rank "
                  "0 sends f32[4] at a.cpp:1, rank 1 receives f32[2,2] at a.cpp:3"));
}

}  // namespace
}  // namespace tutti::ir::verify_spmd_test
