// Ranks of a job that look at different things at different times.

#include "tests/processes/job.h"

namespace tutti::test::looking_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LookingJob : public Job {
 protected:
  static CommandResult run_well(int ranks, const Words& scenario) {
    CommandResult result = run(ranks, scenario);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.errors, IsEmpty());
    return result;
  }
  // (They may be warned that they reduce what is the same on all ranks.)
  static void run_programs(int ranks, int first_seed, int count) {
    const CommandResult result =
        run(ranks, {"divergent", std::to_string(first_seed), std::to_string(count)},
            {"--timeout", "60"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.output, "");
  }
};

TEST_F(LookingJob, OnlyRank0Prints) {
  EXPECT_EQ(run_well(3, {"rank_0_prints"}).output,
            "[0] f32[1] [2]\n[0] f32[1] [4]\n[0] f32[1] [6]\n");
}

TEST_F(LookingJob, OnlyTheLastRankReads) {
  EXPECT_EQ(run_well(2, {"last_rank_reads"}).output, "[1] 50.000000\n");
}

TEST_F(LookingJob, OneRankHasAShortLastBatch) {
  const CommandResult result = run_well(2, {"short_batch"});
  for (const int rank : {0, 1}) {
    EXPECT_EQ(lines_of_rank(result, rank), "16.000000\n16.000000\n16.000000\n9.000000\n");
  }
}

TEST_F(LookingJob, AllMayReturnWithEverythingTraced) {
  EXPECT_EQ(run_well(3, {"traces_and_returns"}).output, "");
}

TEST_F(LookingJob, SomeMayReturnWithEverythingTraced) {
  EXPECT_EQ(run_well(2, {"traces_and_returns", "1"}).output, "[1] 2.000000\n");
}

TEST_F(LookingJob, EveryCollectiveOverFourProcesses) {
  EXPECT_THAT(sorted_lines(run_well(4, {"every_collective"}).output),
              ElementsAre("[0] all right", "[1] all right", "[2] all right", "[3] all right"));
}

// The programs of tests/lazy/divergent_program_test.cpp. A failure prints the seed; this runs one
// again:
//   bin/tutti launch -n 3 -- bin/processes_program divergent SEED 1
TEST_F(LookingJob, AThousandDivergentPrograms) {
  for (const int ranks : {2, 3, 4}) run_programs(ranks, 1000 * ranks, 334);
}

// The world of each ends with the program, which may leave everything to that end.
TEST_F(LookingJob, DivergentProgramsThatEnd) {
  for (const int ranks : {2, 3, 4}) {
    for (int i = 0; i < 4; ++i) run_programs(ranks, 1000 * ranks + 500 + i, 1);
  }
}

TEST_F(LookingJob, TensorsOutliveTheWorld) {
  const CommandResult result = run_well(2, {"outlives"});
  for (const int rank : {0, 1}) {
    EXPECT_THAT(lines_of_rank(result, rank),
                testing::AllOf(testing::StartsWith("UsageError: "),
                               testing::HasSubstr("its World was closed before it was computed")));
  }
}

}  // namespace
}  // namespace tutti::test::looking_test
