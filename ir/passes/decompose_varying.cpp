#include <tutti/ir/passes/decompose_varying.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/sizes/merge_samples.h>
#include <tutti/ir/symbolic_sizes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::ir {

namespace {

bool any_varies(const Graph& graph, Value value, std::span<const std::int64_t> dimensions) {
  return std::ranges::any_of(
      dimensions, [&](std::int64_t d) { return size_varies(graph, value, static_cast<int>(d)); });
}

bool last_varies(const Graph& graph, Value value, int from_the_end = 1) {
  return size_varies(graph, value, graph.type(value).shape.rank() - from_the_end);
}

// Whether a composite's parts must be seen, since it mixes elements along a dimension that varies.
bool must_decompose(const Graph& graph, NodeId node) {
  const Op op = graph.node(node).op;
  if (definition(op).kind != OpClass::composite || graph.sizes == nullptr) return false;
  const Attributes attributes = graph.attributes(node);
  const auto operand = [&](std::size_t i) { return graph.operand(node, i); };
  const auto axis_varies = [&] {
    const std::int64_t axis = attributes.integer("axis");
    return any_varies(graph, operand(0), {&axis, 1});
  };
  switch (op) {
    case Op::mean:
    case Op::logsumexp:
      return any_varies(graph, operand(0), attributes.integers("axes"));
    case Op::softmax:
    case Op::log_softmax:
    case Op::topk:
      return axis_varies();
    case Op::layer_norm:
    case Op::rms_norm:
    case Op::cross_entropy:
      return last_varies(graph, operand(0));
    case Op::gelu:
    case Op::one_hot:
    case Op::size:
      return false;
    case Op::dot_general:
      return any_varies(graph, operand(0), attributes.integers("contract_x"));
    case Op::attention:
      // A query's row depends on no other query.
      return last_varies(graph, operand(0)) || last_varies(graph, operand(1), 2);
    default:
      break;
  }
  if (op == Op::conv) {
    for (int d = 1; d < graph.type(operand(0)).shape.rank(); ++d) {
      if (size_varies(graph, operand(0), d)) return true;
    }
    return size_varies(graph, operand(1));
  }
  if (op == Op::attention_gradient) {
    for (const std::size_t i : {0U, 1U, 2U}) {
      if (last_varies(graph, operand(i)) || last_varies(graph, operand(i), 2)) return true;
    }
    return false;
  }
  return std::ranges::any_of(graph.operands(node),
                             [&](Value value) { return size_varies(graph, value); });
}

}  // namespace

// The parts are found for fixed sizes, and put together again.
Graph decompose_varying(const Graph& graph) {
  if (graph.sizes == nullptr) return graph;
  std::vector<bool> which(graph.node_count());
  bool any = false;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    which[id] = must_decompose(graph, id);
    any = any || which[id];
  }
  if (!any) return graph;
  const std::vector<SizeSymbol> symbols = graph.sizes->symbols;
  std::vector<Sample> samples;
  for (std::vector<std::int64_t>& values : corners(symbols)) {
    samples.push_back({values, instance(graph, values)});
  }
  // Not the least sizes: parts of composites that do nothing for them are left out.
  std::vector<std::int64_t> middle;
  for (const SizeSymbol& symbol : symbols) {
    middle.push_back(symbol.least + (symbol.most - symbol.least + 1) / 2);
  }
  samples.push_back({middle, instance(graph, middle)});
  for (Sample& sample : samples) decompose_nodes(sample.graph, which);
  return merge_samples(symbols, samples);
}

}  // namespace tutti::ir
