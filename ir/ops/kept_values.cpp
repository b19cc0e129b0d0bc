#include <tutti/ir/builder.h>
#include <tutti/ir/control.h>
#include <tutti/ir/derive/value_use.h>
#include <tutti/ir/ops/kept_values.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace tutti::ir::family::control {

namespace {

// Ops of other classes that only move elements, or compute each of one.
constexpr std::array kMoves = {Op::concat,        Op::pad,  Op::take,   Op::take_along_axis,
                               Op::dynamic_slice, Op::gelu, Op::one_hot};

bool is_cheap(Op op) {
  switch (definition(op).kind) {
    case OpClass::parameter:
    case OpClass::elementwise:
    case OpClass::view:
    case OpClass::make:
      return true;
    default:
      return std::ranges::find(kMoves, op) != kMoves.end();
  }
}

// By node of the body: whether it needs a parameter in front of the invariants.
std::vector<bool> find_varying(const Graph& body, std::size_t invariants) {
  std::vector<bool> out(body.node_count(), false);
  for (std::size_t i = 0; i < invariants; ++i) {
    out[body.producer(body.parameters()[i].value)] = true;
  }
  for (NodeId id = 0; id < body.node_count(); ++id) {
    for (const Value operand : body.operands(id)) {
      if (out[body.producer(operand)]) out[id] = true;
    }
  }
  return out;
}

bool may_be_kept(const Graph& body, Value value) {
  const Type& place = body.type(body.parameters()[0].value);
  const Type& type = body.type(value);
  return !type.async && type.replication == place.replication && type.device == place.device;
}

// What collectives gave: nobody can compute it again by himself.
bool came_from_peers(const Graph& body, NodeId id) {
  return body.node(id).op == Op::wait || (is_control(body.node(id).op) && communicates(body, id));
}

// What a gradient needs of a function that it can't, or had better not, compute again.
std::vector<Value> needed_by_gradient(const Graph& graph, std::size_t invariants, bool recompute) {
  std::vector<Value> out;
  const std::vector<bool> varies = find_varying(graph, invariants);
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const bool costly = !recompute && varies[id] && !is_cheap(graph.node(id).op);
    if (!costly && !came_from_peers(graph, id)) continue;
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      const Value value = graph.result(id, i);
      const Type& type = graph.type(value);
      if (!type.async && !type.replication.literal) out.push_back(value);
    }
  }
  return out;
}

}  // namespace

std::vector<Value> kept_values(const Graph& body, std::size_t invariants, const Graph& graph,
                               std::span<const Value> places) {
  if (body.parameters().empty()) return {};
  const std::vector<bool> varies = find_varying(body, invariants);
  std::unordered_map<std::uint32_t, Value> in_body;  // by value of the graph
  for (NodeId id = 0; id < body.node_count(); ++id) {
    if (!varies[id] || is_cheap(body.node(id).op)) continue;
    for (std::uint32_t i = 0; i < body.node(id).result_count; ++i) {
      const Value value = body.result(id, i);
      if (may_be_kept(body, value)) in_body.emplace(places[value.id].id, value);
    }
  }
  std::vector<bool> seen(graph.value_count(), false);
  std::vector<Value> open(graph.results().begin(), graph.results().end());
  std::vector<Value> kept;
  while (!open.empty()) {
    const Value value = open.back();
    open.pop_back();
    if (seen[value.id]) continue;
    seen[value.id] = true;
    if (const auto found = in_body.find(value.id); found != in_body.end()) {
      kept.push_back(found->second);
      continue;
    }
    const NodeId id = graph.producer(value);
    if (computed_of(graph, id).empty()) continue;
    // What a barrier waits for is computed, too.
    for (const Value operand : graph.operands(id)) open.push_back(operand);
  }
  std::ranges::sort(kept, {}, &Value::id);  // whatever the order in which they were found
  return kept;
}

Graph with_parameters_for(const Graph& graph, std::span<const Value> values, std::size_t behind,
                          NodeId calls_end) {
  Graph out(graph.name);
  out.mesh = graph.mesh;
  out.default_device = graph.default_device;
  std::vector<Value> places(graph.value_count());
  const auto add_parameters = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Parameter& parameter = graph.parameters()[i];
      places[parameter.value.id] = out.add_parameter(parameter.name, graph.type(parameter.value));
    }
  };
  add_parameters(0, behind);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = "kept_" + std::to_string(i);
    places[values[i].id] = out.add_parameter(name, graph.type(values[i]));
  }
  add_parameters(behind, graph.parameters().size());
  Builder builder(out);
  std::vector<Value> operands;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::parameter) continue;
    operands.clear();
    for (const Value operand : graph.operands(id)) operands.push_back(places[operand.id]);
    const bool left_out = (id < calls_end && communicates(graph, id)) ||
                          !std::ranges::all_of(operands, &Value::valid);
    if (left_out) continue;
    builder.at(node.location);
    builder.calls(graph.calls(id));
    const NodeId copy = builder.node(node.op, operands, node.attributes);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      Value& place = places[graph.result(id, i).id];
      if (!place.valid()) place = out.result(copy, i);
    }
  }
  std::vector<Value> results;
  for (const Value result : graph.results()) results.push_back(places[result.id]);
  out.set_results(std::move(results));
  return out;
}

bool needs_kept(const Graph& graph, std::size_t invariants, bool recompute) {
  return !needed_by_gradient(graph, invariants, recompute).empty();
}

}  // namespace tutti::ir::family::control

namespace tutti::ir {

namespace {

Value zeros_of(Builder& builder, const Type& type) {
  const Value zero = builder.constant(Array(type.dtype, {}));
  const std::vector<std::int64_t> sizes(type.shape.begin(), type.shape.end());
  return builder.add(Op::broadcast_to, {zero}, {sizes});
}

}  // namespace

FunctionPtr with_kept_results(const Function& body, std::size_t carries, std::size_t invariants,
                              bool recompute) {
  Graph graph = body.graph();
  std::vector<Value> results(graph.results().begin(), graph.results().end());
  for (std::size_t i = 0; i < carries; ++i) results.push_back(graph.parameters()[i].value);
  const std::vector<Value> needed =
      family::control::needed_by_gradient(graph, invariants, recompute);
  results.insert(results.end(), needed.begin(), needed.end());
  graph.set_results(std::move(results));
  return std::make_shared<const Function>(std::move(graph));
}

std::vector<std::int64_t> keep_results(std::vector<FunctionPtr>& branches) {
  std::vector<std::int64_t> counts;
  std::vector<std::vector<Value>> kept;
  for (const FunctionPtr& branch : branches) {
    const Graph& graph = branch->graph();
    kept.push_back(family::control::needed_by_gradient(graph, graph.parameters().size(), false));
    counts.push_back(std::ssize(kept.back()));
  }
  std::vector<FunctionPtr> out;
  for (std::size_t own = 0; own < branches.size(); ++own) {
    Graph graph = branches[own]->graph();
    std::vector<Value> results(graph.results().begin(), graph.results().end());
    Builder builder(graph);
    for (std::size_t i = 0; i < branches.size(); ++i) {
      for (const Value value : kept[i]) {
        results.push_back(i == own ? value : zeros_of(builder, branches[i]->graph().type(value)));
      }
    }
    graph.set_results(std::move(results));
    out.push_back(std::make_shared<const Function>(std::move(graph)));
  }
  branches = std::move(out);
  return counts;
}

}  // namespace tutti::ir
