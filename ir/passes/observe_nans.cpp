#include <tutti/ir/function.h>
#include <tutti/ir/observation.h>
#include <tutti/ir/passes/observe_nans.h>
#include <tutti/ir/rewrite.h>

#include <string>
#include <vector>

namespace tutti::ir {

namespace {

// Whether the node can make a NaN of operands that have none.
bool makes_values(const Node& node) {
  const OpClass kind = definition(node.op).kind;
  return kind != OpClass::view && kind != OpClass::make && kind != OpClass::parameter &&
         node.op != Op::observe && node.op != Op::custom_gradient && node.op != Op::vary;
}

bool is_on_host(const Graph& graph) {
  if (!graph.default_device.is_cpu()) return false;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      const Device device = graph.type(graph.result(id, i)).device;
      if (!device.is_any() && !device.is_cpu()) return false;
    }
  }
  return true;
}

// Beside a GPU literals may be made there, where nothing looks at them.
bool may_be_nan(const Type& type, bool on_host) {
  return is_floating(type.dtype) && !type.async && (on_host || !type.replication.literal);
}

// Of a wait: what it waits for.
std::string name_for_users(const Graph& graph, NodeId id) {
  const bool waits = graph.node(id).op == Op::wait;
  return std::string(name_of(waits ? graph.op(graph.operand(id, 0)) : graph.node(id).op));
}

// The value, observed on the host.
Value observed(Builder& builder, Value value, const std::string& text) {
  const Device device = builder.graph().type(value).device;
  const bool is_there = device.is_any() || device.is_cpu();
  if (!is_there) value = builder.add(Op::to_device, {value}, {Device::cpu().text()});
  value = builder.add(Op::observe, {value}, {std::string(name_of(Observation::no_nan)), text});
  return is_there ? value : builder.add(Op::to_device, {value}, {device.text()});
}

void observe_in(Graph& graph) {
  const bool on_host = is_on_host(graph);
  Rewriter rewriter(graph);
  Builder& builder = rewriter.builder();
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    builder.at(node.location).calls(graph.calls(id));
    const NodeId copy = rewriter.copy(id);
    if (!makes_values(node)) continue;
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      const Value value = rewriter.to().result(copy, i);
      const bool looks = may_be_nan(graph.type(graph.result(id, i)), on_host);
      results.push_back(looks ? observed(builder, value, name_for_users(graph, id)) : value);
    }
    rewriter.replace(id, results);
  }
  graph = rewriter.finish();
}

}  // namespace

void observe_nans(Graph& graph) {
  change_functions(graph, [](Graph& function) {
    observe_in(function);
    return true;
  });
  observe_in(graph);
}

}  // namespace tutti::ir
