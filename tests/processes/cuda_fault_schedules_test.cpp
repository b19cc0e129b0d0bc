#include "tests/processes/cuda_fault_schedules_of.h"

namespace tutti::test::cuda_fault_schedules_test {
namespace {

TEST_F(FaultSchedules, EndInTheRightErrorOnAllRanks) { run_schedules(0, 16); }

TEST_F(FaultSchedules, OfReplaysEndInTheRightErrorOnAllRanks) {
  run_schedules(0, 12, draw_replayed_fault_schedule);
}

TEST_F(FaultSchedules, OfWindowsEndInTheRightResults) {
  run_schedules(0, 6, draw_window_fault_schedule);
}

}  // namespace
}  // namespace tutti::test::cuda_fault_schedules_test
