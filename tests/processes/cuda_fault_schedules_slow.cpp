#include "tests/processes/cuda_fault_schedules_of.h"

namespace tutti::test::cuda_fault_schedules_slow {
namespace {

TEST_F(FaultSchedules, TwoHundredEndInTheRightErrorOnAllRanks) { run_schedules(1000, 1200); }

TEST_F(FaultSchedules, AHundredOfReplaysEndInTheRightErrorOnAllRanks) {
  run_schedules(1000, 1100, draw_replayed_fault_schedule);
}

TEST_F(FaultSchedules, FiftyOfWindowsEndInTheRightResults) {
  run_schedules(1000, 1050, draw_window_fault_schedule);
}

}  // namespace
}  // namespace tutti::test::cuda_fault_schedules_slow
