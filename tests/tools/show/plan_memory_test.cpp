#include "tests/tools/show/showing.h"
#include <gmock/gmock.h>

namespace tutti::plan_memory_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The loop and its operand, which it holds while a step runs.
TEST(ShowPlanMemory, StepsOfALoopHoldWhatIsHeldAroundIt) {
  const test::TemporaryFolder folder;
  const test::CommandResult result = test::show(folder, test::kLoop, {"--stage", "plan"});
  EXPECT_THAT(result.output, AllOf(HasSubstr("    8 KiB       0 B      0: launch add "),
                                   HasSubstr("    4 KiB       0 B    1: call matmul "),
                                   HasSubstr("    8 KiB       0 B    2: scan ")))
      << result.errors;
}

}  // namespace
}  // namespace tutti::plan_memory_test
