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

// Of the place where most is held: what the other holds for a collective is not there.
TEST(ShowPlanMemory, AStateOfALoopThatIsEnteredTwiceIsOneThatExists) {
  const test::TemporaryFolder folder;
  const std::string program = R"(mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

private func @step(%h: f32[32,32], %w: f32[32,32]) {
  %0 = add(%h, %w)
  return %0
}

func @f(%x: f32[32,32]) {
  %u = matmul(%x, %x)
  %v = matmul(%u, %x)
  %w = matmul(%v, %x)
  %h = scan(%x, %w) {body = @step, carries = 1, sequences = 0, length = 100}
  %m = matmul(%h, %v)
  %n = matmul(%m, %u)
  %s = matmul(%n, %w)
  %r = all_reduce(%s) {op = "sum", group = @dp}
  %i = scan(%x, %x) {body = @step, carries = 1, sequences = 0, length = 100}
  %d = wait(%r)
  %y = vary(%d) {dimensions = "dp"}
  %e = matmul(%i, %y)
  return %e
}
)";
  const test::CommandResult result = test::show(folder, program, {"--stage", "plan"});
  EXPECT_THAT(result.output, AllOf(HasSubstr("   16 KiB       0 B      0: launch add "),
                                   HasSubstr("   16 KiB       0 B    4: scan r0 "),
                                   HasSubstr("    4 KiB     8 KiB    11: scan r0 ")))
      << result.errors;
}

}  // namespace
}  // namespace tutti::plan_memory_test
