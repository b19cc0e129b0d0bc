#include <tutti/ir/builder.h>
#include <tutti/ir/control.h>
#include <tutti/ir/passes/collectives_of_one.h>
#include <tutti/ir/rewrite.h>

namespace tutti::ir {

namespace {

using List = std::vector<std::int64_t>;

// Whether a collective gives the only rank of its group what that rank puts in.
bool gives_back(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  switch (node.op) {
    case Op::all_reduce:
    case Op::reduce:
    case Op::all_gather:
    case Op::gather:
    case Op::reduce_scatter:
    case Op::scatter:
    case Op::broadcast:
    case Op::all_to_all:
      break;
    case Op::scan_ranks:
      if (graph.attributes(id).flag("exclusive")) return false;
      break;
    case Op::collective_permute:
      if (graph.attributes(id).integers("pairs") != List{0, 0}) return false;
      break;
    default:
      return false;
  }
  return graph.attributes(id).group("group")->size() == 1;
}

bool is_barrier_of_one(const Graph& graph, NodeId id) {
  return graph.node(id).op == Op::barrier && graph.attributes(id).group("group")->size() == 1;
}

bool is_alone(const Graph& graph) { return graph.mesh == nullptr || graph.mesh->ranks() == 1; }

// For each value, whether it is an operand of such a collective on its way to a wait.
class Own {
 public:
  explicit Own(const Graph& graph) : graph_(graph), own_(graph.value_count(), false) {
    std::vector<bool> returned(graph.value_count(), false);
    for (const Value value : graph.results()) returned[value.id] = true;
    for (NodeId id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
      // Views of what is under way.
      const Node& node = graph.node(id);
      if (definition(node.op).kind != OpClass::view) continue;
      const Value operand = graph.operand(id, 0);
      if (graph.type(operand).async && returned[graph.result(id).id]) returned[operand.id] = true;
    }
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      if (is_barrier_of_one(graph, id)) {
        any_ = true;
      } else if (gives_back(graph, id)) {
        collective(id, returned);
      } else if (definition(graph.node(id).op).kind == OpClass::view) {
        own_[graph.result(id).id] = own_[graph.operand(id, 0).id];
      }
    }
  }

  bool any() const { return any_; }
  bool operator[](Value value) const { return own_[value.id]; }

 private:
  void collective(NodeId id, const std::vector<bool>& returned) {
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      Type type = graph_.type(graph_.result(id, i));
      type.async = false;
      const bool same = is_alone(graph_) || type == graph_.type(graph_.operand(id, i));
      if (!same || returned[graph_.result(id, i).id]) return;
    }
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      own_[graph_.result(id, i).id] = any_ = true;
    }
  }

  const Graph& graph_;
  std::vector<bool> own_;  // [value]
  bool any_ = false;
};

// The graph without what is this rank's own, and without its mesh if it is alone.
Graph without(const Graph& graph, const Own& own) {
  Graph out(graph.name);
  if (!is_alone(graph)) out.mesh = graph.mesh;
  out.default_device = graph.default_device;
  out.reserve_calls(graph.call_count());
  Builder builder(out);
  std::vector<Value> values(graph.value_count());
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    builder.at(node.location).calls(graph.calls(id));
    if (node.op == Op::parameter) {
      const Parameter& parameter = graph.parameters()[out.parameters().size()];
      Type type = graph.type(parameter.value);
      if (out.mesh == nullptr) type.replication.dimensions = 0;
      values[parameter.value.id] =
          out.add_parameter(parameter.name, type, parameter.donate, node.location);
      continue;
    }
    const bool is_own = node.result_count > 0 && own[graph.result(id)];
    const bool gone = (definition(node.op).kind == OpClass::collective && is_own) ||
                      is_barrier_of_one(graph, id) ||
                      (node.op == Op::wait && own[graph.operand(id, 0)]) ||
                      (node.op == Op::vary && out.mesh == nullptr);
    if (!gone) {
      append_node(builder, graph, id, values);
      continue;
    }
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      values[graph.result(id, i).id] = values[graph.operand(id, i).id];
    }
  }
  std::vector<Value> results;
  for (const Value value : graph.results()) results.push_back(values[value.id]);
  out.set_results(std::move(results));
  copy_shardings(graph, out);
  return out;
}

// Where functions lose what the program does: all of them are of one mesh.
bool drop_in_functions(Graph& graph) {
  return change_functions(graph, [](Graph& function) {
    const Own own(function);
    if (!own.any() && function.mesh == nullptr) return false;
    function = without(function, own);
    return true;
  });
}

}  // namespace

bool drop_collectives_of_one(Graph& graph) {
  const Own own(graph);
  bool any = own.any();
  if (is_alone(graph)) {
    bool met = any && graph.mesh != nullptr;  // a mesh that goes here goes everywhere
    for (NodeId id = 0; id < graph.node_count() && !met; ++id) {
      met = is_control(graph.node(id).op) && communicates(graph, id);
    }
    if (met) any = drop_in_functions(graph) || any;
  }
  if (any) graph = without(graph, own);
  return any;
}

}  // namespace tutti::ir
