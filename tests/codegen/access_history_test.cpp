#include <tutti/codegen/access_history.h>

#include <gtest/gtest.h>

namespace tutti::codegen::access_history_test {
namespace {

constexpr BufferId kX = 0;
constexpr BufferId kY = 1;
constexpr BufferId kZ = 2;

LaunchPart part(std::vector<BufferId> buffers) {
  return {.name = "call", .buffers = std::move(buffers)};
}

Step launch(std::vector<BufferId> buffers) {
  Launch out;
  out.parts.push_back(part(std::move(buffers)));
  return out;
}

Plan three_buffers() {
  Plan plan;
  plan.buffers.resize(3);
  return plan;
}

TEST(AccessHistory, AReaderMayMoveUpToItsWriter) {
  const Plan plan = three_buffers();
  AccessHistory history(plan);
  history.note(launch({kX, kY}), 4);
  history.note(launch({kX, kX}), 2);
  EXPECT_EQ(history.earliest(part({kY, kZ})), 5);
  EXPECT_EQ(history.earliest(part({kX, kZ})), 3);
}

TEST(AccessHistory, AWriterMayNotPassAReader) {
  const Plan plan = three_buffers();
  AccessHistory history(plan);
  history.note(launch({kX, kY}), 0);
  EXPECT_EQ(history.earliest(part({kZ, kX})), 1);
  EXPECT_EQ(history.earliest(part({kX, kZ})), 0);
}

// A carry that a loop computes in place: what read the carry may not be moved behind the loop.
TEST(AccessHistory, ALoopWritesWhereItWorksInPlace) {
  const Plan plan = three_buffers();
  AccessHistory history(plan);
  Control loop;
  loop.operands = {kX};
  loop.results = {kX};
  history.note(loop, 7);
  EXPECT_EQ(history.earliest(part({kX, kZ})), 8);
}

TEST(EraseSteps, KeepsTheOthersInTheirOrder) {
  Plan plan = three_buffers();
  for (const BufferId id : {kX, kY, kZ}) plan.steps.push_back(launch({id}));
  erase_steps(plan, {false, true, false});
  ASSERT_EQ(plan.steps.size(), 2);
  EXPECT_EQ(launch_of(plan.steps[0])->parts[0].buffers[0], kX);
  EXPECT_EQ(launch_of(plan.steps[1])->parts[0].buffers[0], kZ);
}

}  // namespace
}  // namespace tutti::codegen::access_history_test
