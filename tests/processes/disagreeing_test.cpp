// Ranks of a job that disagree, give up or are told to, and the groups that go on.

#include "tests/processes/job.h"

namespace tutti::test::disagreeing_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class DisagreeingJob : public Job {};

struct Difference {
  const char* what;
  const char* rank_0_calls;
  const char* rank_1_calls;
};

void PrintTo(const Difference& difference, std::ostream* out) { *out << difference.what; }

class MismatchOfProcesses : public Job, public testing::WithParamInterface<Difference> {};

TEST_P(MismatchOfProcesses, NamesBothCallsAndLinesOnEveryRank) {
  const CommandResult result = run(3, {"mismatch", GetParam().what});
  EXPECT_EQ(result.status, 1);
  const std::string place = " \\(disagreeing.cpp:[0-9]+\\)";
  for (const int rank : {0, 1, 2}) {
    EXPECT_THAT(
        lines_of_rank(result, rank),
        AllOf(StartsWith("CommError: disagreeing.cpp:"),
              HasSubstr("collective #1 of group \"world\" does not match: "),
              ContainsRegex("ranks? [02] calls " + std::string(GetParam().rank_0_calls) + place),
              ContainsRegex("rank 1 calls " + std::string(GetParam().rank_1_calls) + place)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, MismatchOfProcesses,
    testing::Values(Difference{"op", "all_reduce sum f32.3.", "broadcast root 0 f32.3."},
                    Difference{"dtype", "all_reduce sum f32.3.", "all_reduce sum f64.3."},
                    Difference{"size", "all_reduce sum f32.3.", "all_reduce sum f32.1."},
                    Difference{"root", "broadcast root 0 f32.3.", "broadcast root 1 f32.3."},
                    Difference{"reduction", "all_reduce sum f32.3.", "all_reduce max f32.3."},
                    Difference{"order", "all_reduce sum f32.3.", "all_gather f32.3."},
                    Difference{"compiled", "all_reduce sum f32.3.", "all_gather f32.3."}),
    [](const auto& of) { return of.param.what; });

TEST_F(DisagreeingJob, AnotherThreadAbortsTheWorld) {
  const CommandResult result = run(3, {"world_is_aborted"});
  for (const int rank : {0, 1, 2}) {
    const std::string said = lines_of_rank(result, rank);
    EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
    EXPECT_THAT(said,
                AllOf(StartsWith("CommError: "), HasSubstr("was aborted: the operator said so"),
                      HasSubstr("\nCommError: "),
                      HasSubstr("group \"later\" was aborted: the operator said so")));
  }
}

TEST_F(DisagreeingJob, AnotherThreadAbortsAGroup) {
  const CommandResult result = run(3, {"group_is_aborted"});
  for (const int rank : {0, 1}) {
    EXPECT_THAT(lines_of_rank(result, rank),
                HasSubstr("group \"world\" was aborted: enough of it"));
  }
  EXPECT_EQ(lines_of_rank(result, 2), "nothing was thrown\n");
  EXPECT_EQ(result.status, 0) << result.errors;
}

TEST_F(DisagreeingJob, OtherGroupsThanThePoisonedGoOn) {
  const CommandResult result = run(2, {"groups_are_poisoned"});
  for (const int rank : {0, 1}) {
    EXPECT_THAT(
        lines_of_rank(result, rank),
        testing::MatchesRegex("CommError: [^\n]*#2 of group \"broken\" does not match[^\n]*\n"
                              "CommError: [^\n]*#2 of group \"broken\" does not match[^\n]*\n"
                              "the others go on\n"));
  }
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
}

class TimeOutOfProcesses : public Job,
                           public testing::WithParamInterface<std::pair<const char*, const char*>> {
};

TEST_P(TimeOutOfProcesses, IsThatOfTheCallTheGroupOrTheWorld) {
  const auto& [whose, milliseconds] = GetParam();
  const CommandResult result = run(2, {"time_out", whose}, {"--timeout", "0.5"});
  for (const int rank : {0, 1}) {  // one has waited, the other is told when it comes
    EXPECT_THAT(lines_of_rank(result, rank),
                AllOf(StartsWith("CommError: "),
                      HasSubstr("time-out after " + std::string(milliseconds) + " ms"),
                      HasSubstr("waits for rank 1")));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, TimeOutOfProcesses,
                         testing::Values(std::pair("call", "400"), std::pair("group", "300"),
                                         std::pair("world", "500"), std::pair("init", "1000")),
                         [](const auto& of) { return of.param.first; });

}  // namespace
}  // namespace tutti::test::disagreeing_test
