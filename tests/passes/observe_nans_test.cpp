#include <tutti/ir/function.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/observe_nans.h>
#include <tutti/ir/verify/verify.h>

#include <gtest/gtest.h>

namespace tutti::ir::observe_nans_test {
namespace {

TEST(ObserveNans, ChangesAFunctionOnceThatSeveralNodesRun) {
  Graph graph = parse(R"(// tutti ir 1
private func @inner(%h: f32[4]) { %0 = exp(%h) return %0 }
private func @first(%h: f32[4]) {
  %0 = scan(%h) {body = @inner, carries = 1, sequences = 0, length = 2}
  return %0
}
private func @second(%h: f32[4]) {
  %0 = scan(%h) {body = @inner, carries = 1, sequences = 0, length = 3}
  return %0
}
func @f(%h: f32[4]) {
  %0 = scan(%h) {body = @first, carries = 1, sequences = 0, length = 2}
  %1 = scan(%0) {body = @second, carries = 1, sequences = 0, length = 2}
  return %1
}
)")
                    .functions[0];
  ASSERT_EQ(all_functions(graph).size(), 3U);
  observe_nans(graph);
  verify(graph);
  const std::vector<FunctionPtr> functions = all_functions(graph);
  ASSERT_EQ(functions.size(), 3U);
  EXPECT_EQ(functions[0]->graph().op(functions[0]->graph().results()[0]), Op::observe);
}

}  // namespace
}  // namespace tutti::ir::observe_nans_test
