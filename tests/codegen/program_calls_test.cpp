// What the calls of a program are to those who compare programs (codegen/program_calls.h).

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/program_calls.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/runtime/comm/algorithms.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::program_calls_test {
namespace {

using testing::Each;
using testing::Ne;
using testing::SizeIs;

// Sums over NCCL, of which "exact" puts the large ones elsewhere.
ir::Graph four_sums() {
  return ir::parse(R"(// tutti ir 1
group @pair = {ranks = [0, 1], stride = 2, backends = "cpu:shm,cuda:nccl"}
func @f(%x: f32[8,16] on cuda:0, %y: f32[4096,4096] on cuda:0)
    -> (f32[8,16] on cuda:0, f32[4096,4096] on cuda:0) {
  %0 = all_reduce(%x) {op = "sum", group = @pair}
  %1 = wait(%0)
  %2 = all_reduce(%1) {op = "sum", group = @pair}
  %3 = wait(%2)
  %4 = all_reduce(%y) {op = "sum", group = @pair}
  %5 = wait(%4)
  %6 = all_reduce(%5) {op = "sum", group = @pair}
  %7 = wait(%6)
  return %3, %7
})")
      .functions.at(0);
}

// What the plan's calls say of the program's.
std::vector<std::uint32_t> said(ir::Algorithm algorithm) {
  const ir::Graph graph = four_sums();
  const runtime::Algorithms algorithms{.table = &runtime::AlgorithmTable::defaults(),
                                       .asked = algorithm};
  Plan plan = make_plan(graph, 0, algorithms);
  add_program_calls(plan, program_calls(graph, 2, 0, algorithms));
  std::vector<std::uint32_t> out;
  for (const Step& step : plan.steps) {
    if (const CollectiveStart* const start = start_of(step)) out.push_back(start->call.program.set);
  }
  return out;
}

TEST(ProgramCalls, AreThoseOfThePlanWhateverTheirAlgorithm) {
  for (const ir::Algorithm algorithm :
       {ir::Algorithm::automatic, ir::Algorithm::two_shot, ir::Algorithm::exact}) {
    EXPECT_THAT(said(algorithm), SizeIs(4));
    EXPECT_THAT(said(algorithm), Each(Ne(0U)));
  }
}

}  // namespace
}  // namespace tutti::codegen::program_calls_test
