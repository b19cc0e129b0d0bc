#include <tutti/codegen/plan/memory_labels.h>
#include <tutti/codegen/plan/step.h>

#include <string>
#include <vector>

#include "tests/codegen/plan_maker.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::memory_labels_test {
namespace {

using test::PlanMaker;
using testing::ElementsAre;

// x -> a -> b -> y, by a product, a kernel and another one.
struct Steps : PlanMaker {
  BufferId x = input(), a = local(4000), b = local(2000), y = output();
  Steps() {
    plan.name = "step";
    launch({{x, a}});
    launch({{a, b}});
    launch({{b, y}});
    result(y);
    name(0, "matmul", 41);
    name(1, "exp_mul", 42);
    name(2, "add", 43);
  }
  void name(std::size_t step, const char* kernel, std::uint32_t line) {
    LaunchPart& part = launch_of(plan.steps[step])->parts[0];
    part.name = kernel;
    part.location = Location("train.cpp", line);
  }
};

std::vector<std::string> texts(const std::vector<runtime::MemoryLabel>& labels) {
  std::vector<std::string> out;
  for (const runtime::MemoryLabel& label : labels) out.push_back(label.text());
  return out;
}

TEST(MemoryLabels, AreWhatTheFirstStepThatWritesDoes) {
  const Steps steps;
  EXPECT_THAT(texts(memory_labels(steps.plan)),
              ElementsAre("something", "matmul (train.cpp:41)", "exp_mul (train.cpp:42)",
                          "add (train.cpp:43)"));
}

TEST(MemoryLabels, OfCollectivesAreTheirs) {
  PlanMaker maker;
  const BufferId x = maker.input(), y = maker.comm();
  maker.wait(maker.start(x, y));
  start_of(maker.plan.steps[0])->call.kind = runtime::CollectiveKind::all_reduce;
  start_of(maker.plan.steps[0])->call.location = Location("train.cpp", 9);
  EXPECT_EQ(memory_labels(maker.plan)[1].text(), "all_reduce (train.cpp:9)");
}

TEST(MemoryLabels, AnArenaHasTheLineOfItsLargestValue) {
  const Steps steps;
  const runtime::ArenaContents contents =
      arena_contents(steps.plan, memory_labels(steps.plan), Device::cpu());
  EXPECT_EQ(contents.label.text(), "what @step keeps while it runs (train.cpp:41)");
  EXPECT_EQ(runtime::text_of(contents.largest),
            "3.91 KiB for matmul (train.cpp:41), 1.95 KiB for exp_mul (train.cpp:42)");
  EXPECT_TRUE(
      arena_contents(steps.plan, memory_labels(steps.plan), Device::cuda(0)).largest.empty());
}

}  // namespace
}  // namespace tutti::codegen::memory_labels_test
