#include "tests/processes/cuda_fault_schedules_of.h"

namespace tutti::test::cuda_fault_schedules_slow {
namespace {

TEST_F(FaultSchedules, TwoHundredEndInTheRightErrorOnAllRanks) { run_schedules(1000, 1200); }

}  // namespace
}  // namespace tutti::test::cuda_fault_schedules_slow
