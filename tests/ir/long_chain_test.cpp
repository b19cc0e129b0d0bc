// Nothing in ir/ recurses over a graph or takes more than linear time: a chain of a million nodes
// passes through all of it.

#include <tutti/ir/builder.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

#include <gtest/gtest.h>

namespace tutti::ir::long_chain_test {
namespace {

constexpr int kNodes = 1'000'000;

Graph chain() {
  Graph graph("chain");
  Value value = graph.add_parameter("x", {});
  Builder builder(graph);
  builder.at({"chain.cpp", 1});
  for (int i = 0; i < kNodes; ++i) value = builder.add(i % 2 == 0 ? Op::neg : Op::tanh, {value});
  graph.set_results({value});
  return graph;
}

TEST(LongChain, BuildHashVerify) {
  const Graph graph = chain();
  EXPECT_EQ(graph.node_count(), kNodes + 1U);
  EXPECT_EQ(structural_hash(graph), structural_hash(Graph(graph)));
  EXPECT_EQ(count_uses(graph).back(), 1U);
  verify(graph);
}

TEST(LongChain, PrintParse) {
  const Graph graph = chain();
  const std::string text = print(graph);
  const Module module = parse(text);
  EXPECT_TRUE(structurally_equal(module.functions.at(0), graph));
  EXPECT_TRUE(print(module) == text);
}

TEST(LongChain, Gradient) {
  Graph graph = chain();
  Builder builder(graph);
  const Value x = graph.parameters()[0].value;
  const std::vector<Value> gradients = gradient(builder, graph.results()[0], std::vector{x});
  graph.set_results(gradients);
  EXPECT_GT(graph.node_count(), 2U * kNodes);
  verify(graph);
}

TEST(LongChain, Interpret) {
  const Graph graph = chain();
  const float result = interpret(graph, {Array::scalar(0.0F)})[0].data<float>()[0];
  EXPECT_EQ(result, 0.0F);
}

}  // namespace
}  // namespace tutti::ir::long_chain_test
