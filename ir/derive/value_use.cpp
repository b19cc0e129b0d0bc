#include <tutti/ir/derive/value_use.h>

#include <algorithm>

namespace tutti::ir {

std::span<const Value> computed_of(const Graph& graph, NodeId id) {
  const std::span<const Value> all = graph.operands(id);
  switch (graph.node(id).op) {
    case Op::zeros_like:
    case Op::ones_like:
      return {};
    case Op::optimization_barrier:
      return all.first(1);
    default:
      return all;
  }
}

std::vector<bool> ValueUse::operands(const Graph& graph, NodeId id,
                                     const std::vector<bool>& results) {
  const Node& node = graph.node(id);
  if (node.op == Op::conditional) return of_branches(graph, id, results);
  if (node.op == Op::scan || node.op == Op::while_loop) return of_loop(graph, id, results);
  std::vector<bool> out(node.operand_count, false);
  std::fill_n(out.begin(), computed_of(graph, id).size(), true);
  return out;
}

std::vector<bool> ValueUse::of_branches(const Graph& graph, NodeId id,
                                        const std::vector<bool>& results) {
  std::vector<bool> out(graph.node(id).operand_count, false);
  out[0] = true;  // the index
  for (const FunctionPtr& branch : graph.attributes(id).functions("branches")) {
    const std::vector<bool> own = parameters(*branch, results);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i]) out[i + 1] = true;
    }
  }
  return out;
}

// A carry is needed if its last value is, or if one that is needed comes of it.
std::vector<bool> ValueUse::of_loop(const Graph& graph, NodeId id, std::vector<bool> results) {
  const Attributes attributes = graph.attributes(id);
  const auto carries = static_cast<std::size_t>(attributes.integer("carries"));
  std::vector<bool> out(graph.node(id).operand_count, false);
  if (graph.node(id).op == Op::while_loop)
    out = parameters(attributes.function("condition"), {true});
  for (std::size_t i = 0; i < carries; ++i) {
    if (results[i]) out[i] = true;
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < carries; ++i) results[i] = out[i];
    const std::vector<bool> own = parameters(attributes.function("body"), results);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!own[i] || out[i]) continue;
      out[i] = true;
      grew = true;
    }
  }
  return out;
}

std::vector<bool> ValueUse::parameters(const Function& function, const std::vector<bool>& results) {
  const auto [known, added] = known_.try_emplace({&function, results});
  if (!added) return known->second;
  const Graph& graph = function.graph();
  std::vector<bool> needed(graph.value_count(), false);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) needed[graph.results()[i].id] = true;
  }
  for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
    std::vector<bool> own;
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      own.push_back(needed[graph.result(id, i).id]);
    }
    if (std::ranges::find(own, true) == own.end()) continue;
    const std::vector<bool> used = operands(graph, id, own);
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) needed[graph.operand(id, i).id] = true;
    }
  }
  for (const Parameter& parameter : graph.parameters()) {
    known->second.push_back(needed[parameter.value.id]);
  }
  return known->second;
}

}  // namespace tutti::ir
