// No pass recurses over a graph or takes more than about linear time: a chain of a million nodes
// goes through all of them.

#include <tutti/ir/builder.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <gtest/gtest.h>

namespace tutti::ir::long_chain_test {
namespace {

constexpr int kNodes = 1'000'000;

TEST(LongChain, GoesThroughAllPasses) {
  Graph graph("chain");
  Value value = graph.add_parameter("x", {.dtype = DType::f32, .shape = {4}});
  Builder builder(graph);
  for (int i = 0; i < kNodes; i += 4) {
    value = builder.add(Op::tanh, {value});
    value = builder.add(Op::reshape, {value}, {std::vector<std::int64_t>{2, 2}});
    value = builder.add(Op::mul, {value, value});
    value = builder.add(Op::reshape, {value}, {std::vector<std::int64_t>{4}});
  }
  graph.set_results({value});
  EXPECT_TRUE(run_passes(graph));
  verify(graph);
}

}  // namespace
}  // namespace tutti::ir::long_chain_test
