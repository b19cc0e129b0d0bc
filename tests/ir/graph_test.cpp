#include <tutti/ir/builder.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/rewrite.h>

#include "tests/support/random/random_program.h"
#include <gtest/gtest.h>

namespace tutti::ir::graph_test {
namespace {

struct Example {
  Example() {
    x = graph.add_parameter("x", {.shape = {2}});
    Builder builder(graph);
    y = builder.add(Op::add, {x, x});
    z = builder.add(Op::sum, {y}, {std::vector<std::int64_t>{0}});
    graph.set_results({z, x});
  }
  Graph graph;
  Value x, y, z;
};

TEST(Graph, ACollectiveIsACallOfItsOwnUnlessItSaysForWhich) {
  Graph graph;
  const Value x = graph.add_parameter("x", {.shape = {2}});
  const auto group = std::make_shared<const Group>(Group{.tag = "g", .ranks = {0, 1}, .stride = 2});
  Builder builder(graph);
  const auto reduced = [&](Value value) {
    return builder.node(Op::all_reduce, {value}, {std::string("sum"), group});
  };
  const auto calls = [](const Graph& of, NodeId id) {
    const std::span<const CallId> own = of.calls(id);
    return std::vector<CallId>(own.begin(), own.end());
  };
  const NodeId first = reduced(x);
  const NodeId second = reduced(x);
  EXPECT_EQ(calls(graph, first), (std::vector<CallId>{0}));
  EXPECT_EQ(calls(graph, second), (std::vector<CallId>{1}));
  EXPECT_TRUE(graph.calls(graph.producer(x)).empty());
  EXPECT_EQ(graph.call_count(), 2U);

  // What stands for both, and what comes anew beside the copies.
  builder.at({}).calls(std::vector<CallId>{0, 1});
  EXPECT_EQ(calls(graph, reduced(x)), (std::vector<CallId>{0, 1}));
  builder.at({});
  EXPECT_EQ(calls(graph, reduced(x)), (std::vector<CallId>{2}));
  graph.set_results({x});
  Rewriter rewriter(graph);
  rewriter.copy(0);
  rewriter.builder().node(Op::all_reduce, {rewriter.map(x)}, {std::string("sum"), group});
  for (NodeId id = 1; id < graph.node_count(); ++id) rewriter.copy(id);
  const Graph copy = rewriter.finish();
  EXPECT_EQ(calls(copy, 1), (std::vector<CallId>{3}));
  for (NodeId id = 1; id < graph.node_count(); ++id)
    EXPECT_EQ(calls(copy, id + 1), calls(graph, id));
}

TEST(Graph, KnowsProducersOperandsAndUses) {
  const Example example;
  const Graph& graph = example.graph;
  EXPECT_EQ(graph.node_count(), 3U);
  EXPECT_EQ(graph.op(example.z), Op::sum);
  EXPECT_EQ(graph.operand(graph.producer(example.z), 0), example.y);
  EXPECT_FALSE(graph.attributes(graph.producer(example.z)).flag("keepdims"));
  EXPECT_EQ(count_uses(graph), (std::vector<std::uint32_t>{3, 1, 1}));
  EXPECT_THROW(graph.attributes(graph.producer(example.z)).flag("axis"), InternalError);
}

// Everything that makes a difference to what is computed changes the hash; names and lines do not.
TEST(Graph, HashAndEqualityCoverWhatIsComputed) {
  const Graph original = Example().graph;
  const auto expect_different = [&](const Graph& other) {
    EXPECT_FALSE(structurally_equal(original, other));
    EXPECT_NE(structural_hash(original), structural_hash(other));
  };
  Graph changed = original;
  changed.set_results({Value{2}});
  expect_different(changed);
  changed = original;
  changed.set_donate(0, true);
  expect_different(changed);
  changed = original;
  changed.set_fusion(2, 0);
  expect_different(changed);
  changed = original;
  changed.mesh = std::make_shared<const Mesh>(Mesh{.names = {"dp"}, .sizes = {2}});
  expect_different(changed);

  Graph renamed("other");
  const Value x = renamed.add_parameter("other", {.shape = {2}});
  Builder builder(renamed);
  builder.at({"other.cpp", 7});
  const Value z =
      builder.add(Op::sum, {builder.add(Op::add, {x, x})}, {std::vector<std::int64_t>{0}});
  renamed.set_results({z, x});
  EXPECT_TRUE(structurally_equal(original, renamed));
  EXPECT_EQ(structural_hash(original), structural_hash(renamed));
}

TEST(Graph, HashCoversAttributes) {
  const auto hash = [](const Attribute& attribute, Op op) {
    Graph graph;
    const Type type{};
    graph.append(op, {}, {attribute}, std::span(&type, 1), {});
    return structural_hash(graph);
  };
  const auto group = [](std::string tag) -> GroupPtr {
    return std::make_shared<const Group>(Group{std::move(tag), {0, 1}, 2});
  };
  EXPECT_EQ(hash(group("dp"), Op::barrier), hash(group("dp"), Op::barrier));
  EXPECT_NE(hash(group("dp"), Op::barrier), hash(group("tp"), Op::barrier));
  const auto array = [](float x) -> ArrayPtr {
    return std::make_shared<const Array>(Array::scalar(x));
  };
  EXPECT_EQ(hash(array(2), Op::constant), hash(array(2), Op::constant));
  EXPECT_NE(hash(array(0.0F), Op::constant), hash(array(-0.0F), Op::constant));
}

TEST(Graph, RandomGraphsDifferByTheirSeed) {
  const test::ProgramOptions options{.mesh = test::mesh_of_four()};
  const Graph one = test::random_program(1, options).graph;
  EXPECT_TRUE(structurally_equal(one, test::random_program(1, options).graph));
  EXPECT_NE(structural_hash(one), structural_hash(test::random_program(2, options).graph));
}

}  // namespace
}  // namespace tutti::ir::graph_test
