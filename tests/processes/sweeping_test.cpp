// Every collective x dtype x form of group x mode, and random programs with mistakes in them, on 2
// to 4 processes.

#include "tests/processes/job.h"

namespace tutti::test::sweeping_test {
namespace {

class SweepOfProcesses : public Job, public testing::WithParamInterface<int> {};

TEST_P(SweepOfProcesses, IsWhatTheInterpreterSays) {
  const CommandResult result = run(GetParam(), {"sweep"});
  EXPECT_EQ(result.status, 0) << result.output;
  for (int rank = 0; rank < GetParam(); ++rank) {
    EXPECT_EQ(lines_of_rank(result, rank), "all right\n");
  }
}

TEST_P(SweepOfProcesses, RandomMistakesAreToldToEveryoneWhoWaits) {
  const CommandResult result = run(GetParam(), {"mistaken", "100"});
  EXPECT_EQ(result.status, 0) << result.output;
  for (int rank = 0; rank < GetParam(); ++rank) {
    EXPECT_EQ(lines_of_rank(result, rank), "all right\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, SweepOfProcesses, testing::Values(2, 3, 4));

}  // namespace
}  // namespace tutti::test::sweeping_test
