#include <tutti/ir/builder.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <cmath>
#include <cstring>

#include "tests/passes/check_fusion.h"
#include "tests/support/random/random_program.h"
#include <gtest/gtest.h>

namespace tutti::ir::properties_test {
namespace {

// Bit for bit, but any NaN is as good as another.
bool same(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const std::int64_t size = size_of(a.dtype());
    const auto* const x = a.bytes().data() + i * size;
    const auto* const y = b.bytes().data() + i * size;
    if (std::memcmp(x, y, static_cast<std::size_t>(size)) == 0) continue;
    if (!is_floating(a.dtype()) || !std::isnan(a.at(i)) || !std::isnan(b.at(i))) return false;
  }
  return true;
}

void expect_same(const std::vector<std::vector<Array>>& a,
                 const std::vector<std::vector<Array>>& b) {
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    for (std::size_t i = 0; i < a[rank].size(); ++i) {
      EXPECT_TRUE(same(a[rank][i], b[rank][i]))
          << "result " << i << " of rank " << rank << " changed";
    }
  }
}

std::vector<NodeId> collectives(const Graph& graph) {
  std::vector<NodeId> out;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (definition(graph.node(id).op).kind == OpClass::collective) out.push_back(id);
  }
  return out;
}

// The same collectives at the same lines in the same order.
void expect_same_collectives(const Graph& a, const Graph& b) {
  const std::vector<NodeId> before = collectives(a);
  const std::vector<NodeId> after = collectives(b);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(a.node(before[i]).op, b.node(after[i]).op);
    EXPECT_EQ(a.node(before[i]).location, b.node(after[i]).location);
  }
}

// Runs a pass, checks its promises, and gives the graph that it leaves.
Graph checked_run(const Pass& pass, const Graph& before) {
  Graph after = before;
  const bool changed = pass.run(after);
  verify(after);
  EXPECT_EQ(changed, !structurally_equal(before, after)) << "what the pass says is not so";
  expect_same_collectives(before, after);
  EXPECT_EQ(before.parameters().size(), after.parameters().size());
  EXPECT_EQ(before.results().size(), after.results().size());
  for (std::size_t i = 0; i < before.results().size(); ++i) {
    Type promised = before.type(before.results()[i]);
    Type given = after.type(after.results()[i]);
    promised.device = before.device(before.results()[i]);
    given.device = after.device(after.results()[i]);
    EXPECT_EQ(promised, given);
  }
  Graph again = after;
  EXPECT_FALSE(pass.run(again)) << "the second run changes the graph again:\n" << print(again);
  EXPECT_TRUE(structurally_equal(again, after));
  if (pass.name == "fuse") check_fusion(after);
  return after;
}

class RandomPrograms : public testing::TestWithParam<bool> {};

using test::ProgramOptions;
using test::random_program;
using test::RandomProgram;

// Programs of few ops on f32[3,3] and its rows and columns (which one must not take for each
// other): what gives large groups, with matmuls and collectives in between.
ProgramOptions fusible(int nodes) {
  ProgramOptions out{.nodes = nodes, .dtypes = {DType::f32}, .shapes = {{3, 3}}};
  out.ops = {Op::add,     Op::add,          Op::sub,    Op::mul,      Op::mul,      Op::exp,
             Op::tanh,    Op::neg,          Op::sum,    Op::max,      Op::constant, Op::reshape,
             Op::reshape, Op::broadcast_to, Op::matmul, Op::identity, Op::transpose};
  return out;
}

ProgramOptions over_mesh(ProgramOptions options) {
  options.mesh = test::mesh_of_four();
  if (!options.ops.empty()) options.ops.insert(options.ops.end(), 2, Op::all_reduce);
  return options;
}

void check_all_passes(const RandomProgram& program) {
  const auto& [graph, arguments] = program;
  SCOPED_TRACE(print(graph));
  try {
    verify(graph);
    const auto expected = interpret(graph, arguments);
    Graph all = graph;
    for (const Pass& pass : all_passes()) {
      SCOPED_TRACE("pass " + std::string(pass.name));
      expect_same(expected, interpret(checked_run(pass, graph), arguments));
      all = checked_run(pass, all);
      expect_same(expected, interpret(all, arguments));
    }
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

TEST_P(RandomPrograms, ComputeTheSameAfterEveryPass) {
  const bool with_mesh = GetParam();
  for (std::uint64_t seed = 0; seed < (with_mesh ? 150 : 400); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ProgramOptions options{.nodes = 40};
    if (with_mesh) options = over_mesh(options);
    const RandomProgram program = random_program(seed, options);
    check_all_passes(program);
    if (HasFailure()) return;
  }
}

// What is put together and taken apart again, which split_parts looks for.
TEST_P(RandomPrograms, OfPartsComputeTheSameAfterEveryPass) {
  for (std::uint64_t seed = 0; seed < (GetParam() ? 100 : 300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ProgramOptions options{
        .nodes = 40, .dtypes = {DType::f32, DType::bf16}, .shapes = {{3, 2}, {1, 2}, {2}}};
    options.ops = {Op::add,       Op::mul,     Op::tanh, Op::concat, Op::concat,
                   Op::concat,    Op::slice,   Op::pad,  Op::slice,  Op::slice,
                   Op::transpose, Op::reshape, Op::sum,  Op::max,    Op::constant};
    check_all_passes(random_program(seed, GetParam() ? over_mesh(options) : options));
    if (HasFailure()) return;
  }
}

TEST_P(RandomPrograms, FuseByTheRules) {
  const bool with_mesh = GetParam();
  for (std::uint64_t seed = 0; seed < (with_mesh ? 100 : 200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram program =
        random_program(seed, with_mesh ? over_mesh(fusible(60)) : fusible(60));
    check_all_passes(program);
    if (HasFailure()) return;
  }
}

TEST_P(RandomPrograms, FuseByTheRulesWhenLong) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Graph graph = random_program(seed, GetParam() ? over_mesh(fusible(1000)) : fusible(1000)).graph;
    checked_run(*find_pass("fuse"), graph);
    run_passes(graph);
    verify(graph);
    check_fusion(graph);
    if (HasFailure()) FAIL() << print(graph);
  }
}

// No node reads from two devices, but copies from one.
void check_places(const Graph& graph) {
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::parameter) {
      EXPECT_FALSE(graph.type(graph.result(id)).device.is_any() && !graph.default_device.is_cpu());
      continue;
    }
    const Device device = device_of(graph, id);
    for (const Value operand : graph.operands(id)) EXPECT_EQ(graph.device(operand), device);
    if (node.op == Op::to_device) continue;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      EXPECT_EQ(graph.device(graph.result(id, i)), device);
    }
  }
}

TEST(ProgramsOnDevices, ComputeTheSameAfterEveryPass) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram program = random_program(
        seed, {.nodes = 40, .devices = {Device::cpu(), Device::cuda(0), Device::cuda(1)}});
    const Graph& graph = program.graph;
    EXPECT_TRUE(structurally_equal(graph, parse(print(graph)).functions[0]));
    check_all_passes(program);
    Graph all = graph;
    run_passes(all);
    check_places(all);
    EXPECT_TRUE(structurally_equal(all, parse(print(all)).functions[0]));
    if (HasFailure()) FAIL() << print(all);
  }
}

INSTANTIATE_TEST_SUITE_P(Passes, RandomPrograms, testing::Bool(),
                         [](const auto& one) { return one.param ? "Mesh" : "OneRank"; });

// Layers of everything, with a gradient and collectives: about `nodes` nodes.
Graph long_program(std::size_t nodes) {
  Graph graph("long");
  Builder builder(graph);
  const auto group =
      std::make_shared<const Group>(Group{.tag = "pair", .ranks = {0, 1}, .stride = 2});
  const Value x = graph.add_parameter("x", {.shape = {8, 4}});
  const Value w = graph.add_parameter("w", {.shape = {4, 4}});
  const Value scale = graph.add_parameter("scale", {.shape = {4}});
  const Value shift = graph.add_parameter("shift", {.shape = {4}});
  Value h = x;
  Value total = builder.scalar(DType::f32, 0);
  for (int layer = 0; graph.node_count() < nodes / 12; ++layer) {
    h = builder.add(Op::matmul, {h, w});
    h = builder.add(Op::tanh, {builder.add(Op::add, {h, shift})});
    h = builder.add(Op::softmax, {builder.add(Op::layer_norm, {h, scale, shift})},
                    {std::int64_t{1}});
    if (layer % 4 == 0) {
      const Value sum = builder.add(Op::sum, {h}, {std::vector<std::int64_t>{0}});
      const Value reduced = builder.add(Op::all_reduce, {sum}, {std::string("sum"), group});
      h = builder.add(Op::mul, {h, builder.add(Op::wait, {reduced})});
    }
    if (layer % 16 == 0) {
      total = builder.add(Op::add,
                          {total, builder.add(Op::sum, {h}, {std::vector<std::int64_t>{0, 1}})});
    }
  }
  std::vector<Value> results = gradient(builder, total, std::vector<Value>{x, w, scale, shift});
  results.push_back(total);
  graph.set_results(std::move(results));
  return graph;
}

TEST(LargeGraphs, GoThroughAllPasses) {
  Graph graph = long_program(100'000);
  Graph parts = graph;
  decompose(parts);
  EXPECT_GT(parts.node_count(), 80'000U);
  EXPECT_TRUE(run_passes(graph));
  verify(graph);
  check_fusion(graph);
}

TEST(LargeGraphs, MayBeOneLongChain) {
  for (const Op op : {Op::tanh, Op::identity, Op::neg}) {
    Graph graph;
    Builder builder(graph);
    Value x = graph.add_parameter("x", {.shape = {4}});
    for (int i = 0; i < 100'000; ++i) x = builder.add(op, {x});
    graph.set_results({x});
    Graph fused = graph;
    fuse(fused);
    verify(fused);
    EXPECT_EQ(fused.results().size(), 1U);
    run_passes(graph);
    verify(graph);
    EXPECT_EQ(graph.type(graph.results()[0]).shape, Shape({4}));
    // Of a chain of identities or of pairs of signs nothing is left.
    EXPECT_EQ(graph.results()[0] == graph.parameters()[0].value, op != Op::tanh);
  }
}

TEST(LargeGraphs, MayHaveOneValueThatAllRead) {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.add(Op::tanh, {graph.add_parameter("x", {.shape = {4, 4}})});
  std::vector<Value> results;
  for (int i = 0; i < 100'000; ++i) {
    const Value product = builder.add(Op::matmul, {x, i == 0 ? x : results.back()});
    results.push_back(builder.add(Op::add, {product, x}));
  }
  graph.set_results({results.back()});
  run_passes(graph);
  verify(graph);
  check_fusion(graph);
}

}  // namespace
}  // namespace tutti::ir::properties_test
