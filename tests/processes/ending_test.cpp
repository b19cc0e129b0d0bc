// Ranks of a job that end before the others are done with them: who stays is told, soon.

#include <csignal>

#include "tests/processes/job.h"

namespace tutti::test::ending_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class EndingJob : public Job {
 protected:
  // Rank 0 throws a CommError that says this.
  static void expect_told(const CommandResult& result, const std::string& what) {
    EXPECT_THAT(lines_of_rank(result, 0), AllOf(StartsWith("CommError: "), HasSubstr(what)));
  }
};

TEST_F(EndingJob, ARankThatReturnsHasLeft) {
  const CommandResult result = run(2, {"returns_early"});
  EXPECT_EQ(result.status, 1);
  expect_told(result,
              "rank 1 left: its World was closed; collective #2 of group \"world\" "
              "(all_reduce sum f32[1]) waits for it");
  EXPECT_EQ(lines_of_rank(result, 1), "");
}

TEST_F(EndingJob, ARankThatThrowsHasLeft) {
  const CommandResult result = run(2, {"throws"});
  EXPECT_EQ(result.status, 1);
  expect_told(result, "rank 1 left: an exception ended it");
  EXPECT_EQ(lines_of_rank(result, 1), "other: the data set is empty\n");
}

TEST_F(EndingJob, ARankWhoseExceptionNobodyCatchesHasDied) {
  const CommandResult result = run(2, {"--uncaught", "throws"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("the data set is empty"), HasSubstr(process_text(1) + ") died")));
}

TEST_F(EndingJob, ARankThatExitsHasDied) {
  const CommandResult result = run(2, {"exits"});
  EXPECT_EQ(result.status, 1);
  expect_told(result, process_text(1) + ") died");
}

TEST_F(EndingJob, AWorldMayLastUntilTheProgramEnds) {
  const CommandResult result = run(2, {"static_world"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "[0] 2.000000\n");
}

TEST_F(EndingJob, ARankThatNeverComesIsNamed) {
  const CommandResult result = run(3, {"never_inits"});
  EXPECT_EQ(result.status, 1);
  for (const int rank : {0, 2}) {
    // (Perhaps from the other one, which has left for that.)
    EXPECT_THAT(lines_of_rank(result, rank),
                AllOf(StartsWith("CommError: "),
                      HasSubstr("rank 1 ended without coming to the others (init)\n")));
  }
}

class KilledJob : public EndingJob, public testing::WithParamInterface<const char*> {};

TEST_P(KilledJob, InACollectiveIsNoticedByAllSurvivors) {
  RunningCommand job(command(3, {"loops", GetParam()}));
  ASSERT_TRUE(all_reach("looping", 3));
  kill(process_of(1), SIGKILL);
  const CommandResult result = job.wait();
  EXPECT_EQ(result.status, 128 + SIGKILL);
  for (const int survivor : {0, 2}) {
    EXPECT_THAT(lines_of_rank(result, survivor),
                AllOf(StartsWith("CommError: "), HasSubstr(process_text(1) + ") died")));
  }
  EXPECT_THAT(result.errors, HasSubstr("rank 1 was killed by signal 9"));
}

INSTANTIATE_TEST_SUITE_P(Elements, KilledJob, testing::Values("1", "1000", "1000000"));

TEST_F(EndingJob, ARankThatIsKilledWhileItComputesIsNoticed) {
  RunningCommand job(command(3, {"computes"}));
  ASSERT_TRUE(comes_true([&] { return !folder_.read("computing.1").empty(); }));
  kill(process_of(1), SIGKILL);
  const CommandResult result = job.wait();
  EXPECT_EQ(result.status, 128 + SIGKILL);
  for (const int survivor : {0, 2}) {
    EXPECT_THAT(lines_of_rank(result, survivor), HasSubstr(process_text(1) + ") died"));
  }
}

TEST_F(EndingJob, AStoppedRankIsATimeOutThatSaysSo) {
  RunningCommand job(command(3, {"loops", "1000"}, {"--timeout", "1"}));
  ASSERT_TRUE(all_reach("looping", 3));
  kill(process_of(1), SIGSTOP);
  const CommandResult result = job.wait();
  EXPECT_EQ(result.status, 1);
  for (const int survivor : {0, 2}) {
    EXPECT_THAT(lines_of_rank(result, survivor),
                AllOf(StartsWith("CommError: "), HasSubstr("time-out after 1000 ms"),
                      HasSubstr(process_text(1) + ", stopped)")));
  }
}

TEST_F(EndingJob, ALateRankIsWaitedFor) {
  RunningCommand job(command(2, {"waits"}));
  ASSERT_TRUE(comes_true([&] { return !folder_.read("waiting.0").empty(); }));
  let_go();
  const CommandResult result = job.wait();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(sorted_lines(result.output), testing::ElementsAre("[0] 2.000000", "[1] 2.000000"));
}

TEST_F(EndingJob, AJobThatIsInterruptedEndsAtOnce) {
  RunningCommand job(command(3, {"loops", "1000"}));
  ASSERT_TRUE(all_reach("looping", 3));
  job.send(SIGINT);
  EXPECT_EQ(job.wait().status, 128 + SIGINT);
}

// ---- Flight records

TEST_F(EndingJob, TheLauncherKeepsARecordThatDiagnoseExplains) {
  const std::string record = folder_.path() / "record";
  EXPECT_EQ(run(2, {"returns_early"}, {"--record", record}).status, 1);
  const CommandResult diagnosis = run_command({tutti(), "diagnose", record});
  EXPECT_EQ(diagnosis.status, 0) << diagnosis.errors;
  EXPECT_THAT(diagnosis.output,
              AllOf(ContainsRegex("rank 0 waited in #2 of group \"world\", all_reduce sum f32.1. "
                                  "\\(ending.cpp:[0-9]+\\), for rank 1 \\(last there: #1"),
                    HasSubstr("rank 1, the last 1 of 1 collectives:\n")));
}

TEST_F(EndingJob, RanksKeepTheirOwnRecords) {
  const std::string record = folder_.path() / "record";
  setenv("TUTTI_FLIGHT_RECORDER", record.c_str(), 1);
  const CommandResult result = run(2, {"mismatch", "reduction"});
  unsetenv("TUTTI_FLIGHT_RECORDER");
  EXPECT_EQ(result.status, 1);
  const CommandResult diagnosis = run_command({tutti(), "diagnose", record + ".1", record + ".0"});
  EXPECT_THAT(diagnosis.output,
              StartsWith("ranks differ in #1 of group \"world\": rank 0 called "));
}

TEST_F(EndingJob, DiagnoseLooksIntoAJobThatWaits) {
  RunningCommand job(command(2, {"waits"}));
  ASSERT_TRUE(comes_true([&] { return !folder_.read("waiting.0").empty(); }));
  const Words words = {tutti(), "diagnose", std::to_string(process_of(0))};
  EXPECT_TRUE(comes_true([&] {  // rank 0 starts to wait
    const std::string said = run_command(words).output;
    return said.find("rank 0 waited in #2 of group \"world\"") != std::string::npos;
  }));
  let_go();
  EXPECT_EQ(job.wait().status, 0);
}

}  // namespace
}  // namespace tutti::test::ending_test
