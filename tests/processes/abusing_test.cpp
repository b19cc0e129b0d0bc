// What a World is not made for: an error that says so, or it works; the job never suffers.

#include "tests/processes/job.h"

namespace tutti::test::abusing_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class AbusedJob : public Job {
 protected:
  // What each of two ranks has said, of a job that ended well.
  static void expect_both_say(const Words& scenario, const testing::Matcher<std::string>& matcher) {
    const CommandResult result = run(2, scenario, {"--timeout", "20"});
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    for (const int rank : {0, 1}) EXPECT_THAT(lines_of_rank(result, rank), matcher);
  }
};

TEST_F(AbusedJob, InitTwiceIsRefused) {
  expect_both_say(
      {"init_twice"},
      MatchesRegex(
          "UsageError: abusing.cpp:[0-9]+: init: this thread records for rank [01] of 2 already\n"
          "2.000000\n"));
  const auto joined = AllOf(StartsWith("UsageError: abusing.cpp:"),
                            HasSubstr(": init: this process has joined its job already, as rank "));
  expect_both_say({"init_again"}, joined);
  expect_both_say({"init_on_another_thread"}, AllOf(joined, HasSubstr("\n2.000000\n")));
}

TEST_F(AbusedJob, SimulateAndInitAreWorldsOfTheirOwn) {
  expect_both_say(
      {"init_inside_simulate"},
      MatchesRegex("UsageError: abusing.cpp:[0-9]+: init: this thread records for rank 0 "
                   "of 2 already\n"));
  expect_both_say({"simulate_inside_init"}, "2.000000 2.000000\n");
}

TEST_F(AbusedJob, AClosedWorldKeepsItsDataAndRefusesCollectives) {
  expect_both_say({"closes_twice"},
                  MatchesRegex("UsageError: [^\n]*rank [01] has left: its World was closed\n"
                               "UsageError: [^\n]*rank [01] has left: its World was closed\n"
                               "UsageError: [^\n]*rank [01] has left: its World was closed\n"));
}

TEST_F(AbusedJob, AnotherThreadHasToAttach) {
  expect_both_say({"uses_another_thread"},
                  MatchesRegex("UsageError: [^\n]*world.attach\\(\\)[^\n]*\n"
                               "UsageError: [^\n]*world.attach\\(\\)[^\n]*\n"
                               "2.000000\n"));
}

// The child may end in any way: it does not leave the world for its parent.
TEST_F(AbusedJob, AForkedChildIsNoRank) {
  for (const std::string how : {"ends", "exits", "returns"}) {
    expect_both_say({"forks", how}, MatchesRegex("the child ended with [05]\n2.000000\n"));
  }
  expect_both_say({"forks", "uses"},
                  MatchesRegex("UsageError: [^\n]*this process was forked off rank [01][^\n]*\n"
                               "the child ended with 5\n2.000000\n"));
}

TEST_F(AbusedJob, DestructorsMayCommunicate) {
  expect_both_say({"communicates_in_destructors"}, "2.000000\n");
  const CommandResult result = run(2, {"communicates_in_destructors", "unwinding"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(lines_of_rank(result, 0), "2.000000\n");
  EXPECT_EQ(lines_of_rank(result, 1), "2.000000\nother: thrown by rank 1\n");
}

TEST_F(AbusedJob, EmptyTensors) { expect_both_say({"is_empty"}, "all right\n"); }

TEST_F(AbusedJob, HugeTensors) {
  expect_both_say({"is_huge", std::to_string(std::int64_t{1} << 26)}, "all right\n");
}

TEST_F(AbusedJob, ManyGroups) { expect_both_say({"many_groups", "1000"}, "all right\n"); }

TEST_F(AbusedJob, TooManyGroupsAreAnError) {
  const CommandResult result = run(2, {"many_groups", "8200"}, {"--timeout", "20"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, testing::ContainsRegex(
                                 "EnvironmentError: groups.cpp:[0-9]+: there are more than 8192"));
}

TEST_F(AbusedJob, FarMoreRanksThanCores) {
  const CommandResult result = run(32, {"is_crowded"}, {"--timeout", "60"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "[0] all right\n");
}

}  // namespace
}  // namespace tutti::test::abusing_test
