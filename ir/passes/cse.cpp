#include <tutti/ir/function.h>
#include <tutti/ir/observation.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <unordered_map>

namespace tutti::ir {

namespace {

// Two nodes compute the same if op, operands, attributes and result types agree: every local op is
// a function of these and the rank (random ops too: their key is an operand). Where ranks meet is
// an event of its own, and so are what somebody sees and each parameter.
bool may_merge(const Graph& graph, NodeId id) {
  const Op op = graph.node(id).op;
  if (op == Op::observe) return graph.attributes(id).text("what") != name_of(Observation::print);
  return op != Op::parameter && !communicates(graph, id);
}

Hash128 hash_of_node(const Graph& from, NodeId id, std::span<const Value> operands) {
  const Node& node = from.node(id);
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(node.op) | static_cast<std::uint64_t>(operands.size())
                                                       << 8);
  for (const Value operand : operands) hasher.add(operand.id);
  for (const Attribute& attribute : node.attributes) hash_attribute(hasher, attribute);
  for (std::uint32_t i = 0; i < node.result_count; ++i)
    hash_type(hasher, from.type(from.result(id, i)));
  return hasher.finish();
}

// Whether an old node, with its operands mapped, equals one of the new graph.
bool same(const Rewriter& rewriter, NodeId old, std::span<const Value> operands, NodeId made) {
  const Node& a = rewriter.from().node(old);
  const Node& b = rewriter.to().node(made);
  if (a.op != b.op || a.result_count != b.result_count ||
      !std::ranges::equal(operands, rewriter.to().operands(made)) ||
      !std::ranges::equal(a.attributes, b.attributes, equal)) {
    return false;
  }
  for (std::uint32_t i = 0; i < a.result_count; ++i) {
    if (rewriter.from().type(rewriter.from().result(old, i)) !=
        rewriter.to().type(rewriter.to().result(made, i))) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool cse(Graph& graph) {
  std::unordered_map<Hash128, NodeId, Hash128Hasher> seen;
  seen.reserve(graph.node_count());
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    if (!may_merge(graph, id)) return false;
    const std::vector<Value> operands = rewriter.map_operands(id);
    // If the node stays, rewrite() copies it to this place.
    const auto next = static_cast<NodeId>(rewriter.to().node_count());
    const auto [found, inserted] = seen.try_emplace(hash_of_node(graph, id, operands), next);
    if (inserted || !same(rewriter, id, operands, found->second)) return false;
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      results.push_back(rewriter.to().result(found->second, i));
    }
    rewriter.replace(id, results);
    return true;
  });
}

}  // namespace tutti::ir
