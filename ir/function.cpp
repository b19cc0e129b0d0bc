#include <tutti/ir/function.h>
#include <tutti/ir/op.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tutti::ir {

namespace {

using Changed = std::unordered_map<const Function*, FunctionPtr>;

// The functions of all nodes of a graph, one after another.
template <class F>
void for_each_function(const Node& node, F&& f) {
  for (const Attribute& attribute : node.attributes) {
    for (const FunctionPtr& function : functions_of(attribute)) f(function);
  }
}
template <class F>
void for_each_function(const Graph& graph, F&& f) {
  for (NodeId id = 0; id < graph.node_count(); ++id) for_each_function(graph.node(id), f);
}

// The functions that a node or a graph runs, each once and behind all that it runs.
template <class In>
std::vector<FunctionPtr> functions_below(const In& in) {
  std::vector<FunctionPtr> out;
  std::unordered_set<const Function*> seen;
  const auto add = [&](const auto& self, const auto& from) -> void {
    for_each_function(from, [&](const FunctionPtr& function) {
      if (!seen.insert(function.get()).second) return;
      self(self, function->graph());
      out.push_back(function);
    });
  };
  add(add, in);
  return out;
}

bool change_all(Graph& graph, const std::function<bool(Graph&)>& change, Changed& changed);

const FunctionPtr& changed_function(const FunctionPtr& function,
                                    const std::function<bool(Graph&)>& change, Changed& changed) {
  if (const auto known = changed.find(function.get()); known != changed.end()) {
    return known->second;
  }
  Graph graph = function->graph();
  const bool inside = change_all(graph, change, changed);
  const bool own = change(graph);
  FunctionPtr out = inside || own ? std::make_shared<const Function>(std::move(graph)) : function;
  return changed.emplace(function.get(), std::move(out)).first->second;
}

bool change_all(Graph& graph, const std::function<bool(Graph&)>& change, Changed& changed) {
  bool any = false;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (std::size_t i = 0; i < graph.node(id).attributes.size(); ++i) {
      const Attribute& attribute = graph.node(id).attributes[i];
      std::vector<FunctionPtr> functions;
      bool differs = false;
      for (const FunctionPtr& function : functions_of(attribute)) {
        functions.push_back(changed_function(function, change, changed));
        differs = differs || functions.back() != function;
      }
      if (!differs) continue;
      any = true;
      const bool is_list = std::holds_alternative<std::vector<FunctionPtr>>(attribute);
      graph.set_attribute(id, i, is_list ? Attribute(std::move(functions)) : functions[0]);
    }
  }
  return any;
}

}  // namespace

Function::Function(Graph graph) : graph_(std::move(graph)), hash_(structural_hash(graph_)) {
  for_each_function(graph_, [this](const FunctionPtr& function) {
    levels_ = std::max(levels_, function->levels() + 1);
  });
  bool observes = false;
  Hasher hasher;
  hasher.add(hash_);
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    if (graph_.node(id).op == Op::observe) {
      observes = true;
      hasher.add(id).add(graph_.node(id).location.text());
    }
    for (const GroupPtr& group : groups_met_in(graph_, id)) {
      const bool known = std::ranges::any_of(
          groups_, [&](const GroupPtr& other) { return other == group || *other == *group; });
      if (!known) groups_.push_back(group);
      hasher.add(id).add(graph_.node(id).location.text());
    }
  }
  if (!groups_.empty() || observes) hash_ = hasher.finish();
  if (levels_ <= kMostLevels) return;
  throw TypeError("@" + graph_.name + " runs functions that are nested more than " +
                  std::to_string(kMostLevels) + " deep");
}

std::vector<Type> Function::parameter_types() const {
  std::vector<Type> out;
  for (const Parameter& parameter : graph_.parameters()) {
    out.push_back(graph_.type(parameter.value));
  }
  return out;
}

std::vector<Type> Function::result_types() const {
  std::vector<Type> out;
  for (const Value result : graph_.results()) out.push_back(graph_.type(result));
  return out;
}

std::span<const FunctionPtr> functions_of(const Attribute& attribute) {
  if (const auto* const one = std::get_if<FunctionPtr>(&attribute)) return {one, 1};
  if (const auto* const list = std::get_if<std::vector<FunctionPtr>>(&attribute)) return *list;
  return {};
}

std::vector<GroupPtr> groups_met_in(const Graph& graph, NodeId id) {
  const Definition& entry = definition(graph.node(id).op);
  if (entry.kind == OpClass::collective) return {graph.attributes(id).group("group")};
  std::vector<GroupPtr> out;
  if (entry.kind != OpClass::control) return out;
  for_each_function(graph.node(id), [&](const FunctionPtr& function) {
    out.insert(out.end(), function->groups().begin(), function->groups().end());
  });
  return out;
}

bool communicates(const Graph& graph, NodeId id) {
  const Definition& entry = definition(graph.node(id).op);
  if (entry.kind == OpClass::collective) return true;
  return entry.kind == OpClass::control && communicates(graph.node(id).attributes);
}

bool communicates(std::span<const Attribute> attributes) {
  return std::ranges::any_of(
      attributes, [](const Attribute& attribute) { return communicates(functions_of(attribute)); });
}

bool communicates(std::span<const FunctionPtr> functions) {
  return std::ranges::any_of(
      functions, [](const FunctionPtr& function) { return !function->groups().empty(); });
}

bool has_functions(const Graph& graph) {
  bool any = false;
  for_each_function(graph, [&](const FunctionPtr&) { any = true; });
  return any;
}

std::vector<FunctionPtr> all_functions(const Graph& graph) { return functions_below(graph); }
std::vector<FunctionPtr> all_functions(const Node& node) { return functions_below(node); }

Graph with_parameters(const Graph& graph, const std::vector<bool>& keep) {
  Graph out(graph.name);
  out.mesh = graph.mesh;
  out.default_device = graph.default_device;
  std::vector<Value> values(graph.value_count());
  std::vector<Value> operands;
  std::vector<Type> types;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::parameter) {
      const Parameter& parameter = graph.parameters()[id];
      if (!keep[id]) continue;
      values[parameter.value.id] = out.add_parameter(parameter.name, graph.type(parameter.value),
                                                     parameter.donate, node.location);
      continue;
    }
    operands.clear();
    types.clear();
    for (const Value operand : graph.operands(id)) operands.push_back(values[operand.id]);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      types.push_back(graph.type(graph.result(id, i)));
    }
    const NodeId copy = out.append(node.op, operands, node.attributes, types, node.location);
    out.set_calls(graph.calls(id));
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      values[graph.result(id, i).id] = out.result(copy, i);
    }
  }
  std::vector<Value> results;
  for (const Value result : graph.results()) results.push_back(values[result.id]);
  out.set_results(std::move(results));
  return out;
}

bool change_functions(Graph& graph, const std::function<bool(Graph&)>& change) {
  Changed changed;
  return change_all(graph, change, changed);
}

}  // namespace tutti::ir
