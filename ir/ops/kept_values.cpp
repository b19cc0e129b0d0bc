#include <tutti/ir/ops/kept_values.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <unordered_map>

namespace tutti::ir::family::control {

namespace {

bool is_cheap(const Graph& graph, NodeId id) {
  switch (definition(graph.node(id).op).kind) {
    case OpClass::parameter:
    case OpClass::elementwise:
    case OpClass::view:
    case OpClass::make:
      return true;
    default:
      return false;
  }
}

bool may_be_kept(const Graph& body, NodeId id) {
  const Type& place = body.type(body.parameters()[0].value);
  for (std::uint32_t i = 0; i < body.node(id).result_count; ++i) {
    const Type& type = body.type(body.result(id, i));
    if (type.async || type.replication != place.replication || type.device != place.device) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Value> kept_values(const Graph& body, const Graph& graph, std::span<const Value> places,
                               std::span<const Value> outputs) {
  if (body.parameters().empty()) return {};
  std::unordered_map<std::uint32_t, Value> in_body;  // by value of the graph
  for (NodeId id = 0; id < body.node_count(); ++id) {
    if (body.node(id).op == Op::parameter) continue;
    for (std::uint32_t i = 0; i < body.node(id).result_count; ++i) {
      const Value value = body.result(id, i);
      in_body.emplace(places[value.id].id, value);
    }
  }
  const std::vector<std::uint32_t> uses = count_uses(body);
  std::vector<bool> seen(graph.node_count(), false);
  std::vector<NodeId> open;
  const auto visit = [&](Value value) {
    const NodeId id = graph.producer(value);
    if (!seen[id]) open.push_back(id);
    seen[id] = true;
  };
  for (const Value value : outputs) visit(value);
  std::vector<Value> kept;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const bool has_results = graph.node(id).result_count > 0;
    const auto found = has_results ? in_body.find(graph.result(id).id) : in_body.end();
    if (found != in_body.end() && !is_cheap(graph, id)) {
      const NodeId own = body.producer(found->second);
      if (may_be_kept(body, own)) {
        for (std::uint32_t i = 0; i < body.node(own).result_count; ++i) {
          const Value result = body.result(own, i);
          if (uses[result.id] != 0) kept.push_back(result);
        }
        continue;
      }
    }
    for (const Value operand : graph.operands(id)) visit(operand);
  }
  std::ranges::sort(kept, {}, &Value::id);  // whatever the order in which they were found
  return kept;
}

Graph with_kept_values(const Graph& graph, std::span<const Value> values, std::size_t first) {
  std::unordered_map<std::uint32_t, Value> replaced;
  for (std::size_t i = 0; i < values.size(); ++i) {
    replaced.emplace(values[i].id, graph.parameters()[first + i].value);
  }
  Graph out = graph;
  rewrite(out, [&](Rewriter& rewriter, NodeId id) {
    std::vector<Value> results(graph.node(id).result_count);
    bool any = false;
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      const auto found = replaced.find(graph.result(id, i).id);
      if (found == replaced.end()) continue;
      results[i] = rewriter.map(found->second);
      any = true;
    }
    if (any) rewriter.replace(id, results);
    return any;
  });
  return out;
}

}  // namespace tutti::ir::family::control
