#include <tutti/ir/control.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>

namespace tutti::ir {

void append_node(Builder& builder, const Graph& from, NodeId id, std::vector<Value>& values) {
  std::vector<Value> operands;
  for (const Value operand : from.operands(id)) operands.push_back(values[operand.id]);
  const NodeId made = builder.node(from.node(id).op, operands, from.node(id).attributes);
  keep_places(from, id, builder.graph(), made);
  for (std::uint32_t i = 0; i < from.node(id).result_count; ++i) {
    values[from.result(id, i).id] = builder.graph().result(made, i);
  }
}

void keep_places(const Graph& from, NodeId id, Graph& to, NodeId made) {
  const std::size_t first = is_branch_index(from.node(id).op, 0) ? 1 : 0;
  for (const Value operand : from.operands(id).subspan(first)) {
    if (!from.type(operand).device.is_any()) return;
  }
  const std::uint32_t count = std::min(from.node(id).result_count, to.node(made).result_count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Value result = to.result(made, i);
    if (to.type(result).device.is_any()) {
      to.set_device(result, from.type(from.result(id, i)).device);
    }
  }
}

Rewriter::Rewriter(const Graph& from)
    : from_(from), to_(from.name), builder_(to_), values_(from.value_count()) {
  to_.mesh = from.mesh;
  to_.default_device = from.default_device;
  to_.reserve_calls(from.call_count());
  if (from.sizes == nullptr) return;
  throw UsageError("@" + from.name +
                   " has sizes that vary; the pass bound_sizes has to come first");
}

Value Rewriter::map(Value old) const {
  const Value value = values_[old.id];
  if (!value.valid()) {
    throw InternalError("value %" + std::to_string(old.id) + " of @" + from_.name +
                        " is used before the rewritten graph has it");
  }
  return value;
}

std::vector<Value> Rewriter::map_operands(NodeId old) const {
  std::vector<Value> out;
  out.reserve(from_.node(old).operand_count);
  for (const Value operand : from_.operands(old)) out.push_back(map(operand));
  return out;
}

NodeId Rewriter::copy(NodeId old) {
  const Node& node = from_.node(old);
  if (node.op == Op::parameter) {
    const std::size_t index = to_.parameters().size();
    const Parameter& parameter = from_.parameters()[index];
    if (parameter.value != from_.result(old)) {
      throw InternalError("the parameters of @" + from_.name + " changed places");
    }
    const Value value = to_.add_parameter(parameter.name, from_.type(parameter.value),
                                          parameter.donate, node.location);
    values_[parameter.value.id] = value;
    return to_.producer(value);
  }
  std::vector<Type> types;
  types.reserve(node.result_count);
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    types.push_back(from_.type(from_.result(old, i)));
  }
  const NodeId id = to_.append(node.op, map_operands(old), node.attributes, types, node.location);
  to_.set_calls(from_.calls(old));
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    values_[from_.result(old, i).id] = to_.result(id, i);
  }
  return id;
}

void Rewriter::replace(NodeId old, std::span<const Value> results) {
  const Node& node = from_.node(old);
  if (results.size() != node.result_count) {
    throw InternalError(std::string(name_of(node.op)) + " has " +
                            std::to_string(node.result_count) + " results, not " +
                            std::to_string(results.size()),
                        node.location);
  }
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    if (!results[i].valid()) continue;
    const Type& type = from_.type(from_.result(old, i));
    if (to_.type(results[i]) != type) {
      throw InternalError("a " + to_.type(results[i]).text() + " in place of a " + type.text() +
                              " of " + std::string(name_of(node.op)) +
                              " (or they differ in replication)",
                          node.location);
    }
    values_[from_.result(old, i).id] = results[i];
  }
}

Graph Rewriter::finish() {
  std::vector<Value> results;
  results.reserve(from_.results().size());
  for (const Value value : from_.results()) results.push_back(map(value));
  to_.set_results(std::move(results));
  copy_shardings(from_, to_);
  return std::move(to_);
}

Graph reordered(const Graph& graph, std::span<const NodeId> order) {
  if (order.size() != graph.node_count()) {
    throw InternalError("an order of " + std::to_string(order.size()) + " nodes for a graph of " +
                        std::to_string(graph.node_count()));
  }
  Rewriter rewriter(graph);
  for (const NodeId old : order) rewriter.copy(old);
  Graph out = rewriter.finish();
  for (NodeId id = 0; id < out.node_count(); ++id) out.set_fusion(id, graph.node(order[id]).fusion);
  return out;
}

}  // namespace tutti::ir
