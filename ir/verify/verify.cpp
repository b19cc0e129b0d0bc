#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/sizes/complete_sizes.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/test_hook.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <unordered_set>

namespace tutti::ir {

namespace {

class Verifier {
 public:
  // Functions that are in `functions` are known to be sound.
  Verifier(const Graph& graph, std::unordered_set<const Function*>& functions)
      : graph_(graph), wait_of_(graph.value_count(), kNoNode), functions_(functions) {}

  void run() {
    if (graph_.default_device.is_any()) fail_function("the default device is a certain one");
    mesh();
    parameters();
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      operands(id);
      if (graph_.node(id).op == Op::parameter) continue;
      attributes(id);
      types(id);
      waits(id);
    }
    for (const Value value : graph_.results()) {
      if (value.id < graph_.value_count()) continue;
      fail_function("result number " + std::to_string(value.id) + " is no value of the function");
    }
    if (graph_.sizes != nullptr) sizes();
  }

 private:
  [[noreturn]] void fail_function(const std::string& rule) const {
    throw VerifyError("@" + name_or_quoted(graph_.name) + ": " + rule);
  }

  // The node's line can be printed once its operands and attributes are known to be sound.
  [[noreturn]] void fail(NodeId id, const std::string& rule) const {
    throw VerifyError("@" + name_or_quoted(graph_.name) + ": " + print(graph_, id) + ": " + rule,
                      graph_.node(id).location);
  }
  [[noreturn]] void fail_unprintable(NodeId id, const std::string& rule) const {
    throw VerifyError("@" + name_or_quoted(graph_.name) + ": node " + std::to_string(id) + ", " +
                          std::string(name_of(graph_.node(id).op)) + ": " + rule,
                      graph_.node(id).location);
  }

  void mesh() const {
    if (graph_.mesh == nullptr) return;
    const auto& [names, sizes] = *graph_.mesh;
    if (names.empty() || names.size() > 8 || names.size() != sizes.size()) {
      fail_function("a mesh has one to eight dimensions, each with a name and a size");
    }
    std::int64_t ranks = 1;
    for (std::size_t d = 0; d < names.size(); ++d) {
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(d), names[d]) !=
          names.begin() + static_cast<std::ptrdiff_t>(d)) {
        fail_function("the mesh has two dimensions '" + names[d] + "'");
      }
      if (!is_dimension_name(names[d])) {
        fail_function("no mesh dimension can be called '" + names[d] + "'");
      }
      if (sizes[d] < 1 || __builtin_mul_overflow(ranks, sizes[d], &ranks)) {
        fail_function("mesh dimension '" + names[d] + "' cannot have " + std::to_string(sizes[d]) +
                      " ranks");
      }
    }
  }

  // The sizes that vary are those that follow from the parameters' and the attributes'.
  void sizes() const {
    Graph again = graph_;
    try {
      complete_sizes(again);
    } catch (const NodeTypeError& error) {
      fail(error.node, error.what());
    }
    if (!structurally_equal(again, graph_)) fail_function("sizes that vary differ from its types");
  }

  void parameters() const {
    const auto& parameters = graph_.parameters();
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const bool listed = id < parameters.size();
      if ((graph_.node(id).op == Op::parameter) != listed) {
        fail_unprintable(id, "the parameters are the first nodes and nothing else is one");
      }
      if (!listed) continue;
      if (graph_.node(id).result_count != 1 || graph_.result(id) != parameters[id].value ||
          graph_.node(id).operand_count != 0 || !graph_.node(id).attributes.empty()) {
        fail_unprintable(id,
                         "a parameter has one value, no operands and no attributes, and "
                         "parameters are listed in order");
      }
      const Replication replication = graph_.type(parameters[id].value).replication;
      const std::size_t dimensions = graph_.mesh == nullptr ? 0 : graph_.mesh->names.size();
      if (replication.dimensions >> dimensions != 0 ||
          (replication.literal && replication.dimensions != 0)) {
        fail_function("parameter " + print(graph_, parameters[id].value) +
                      " is replicated over what is no dimension of the mesh");
      }
    }
    if (parameters.size() > graph_.node_count()) fail_function("a parameter has no node");
  }

  void operands(NodeId id) const {
    const Node& node = graph_.node(id);
    for (const Value operand : graph_.operands(id)) {
      if (operand.id < node.first_result) continue;
      fail_unprintable(id, operand.id < graph_.value_count()
                               ? "an operand is defined before its use, not after it"
                               : "an operand is no value of the function");
    }
    if (node.fusion < -1) fail_unprintable(id, "a fused kernel's number is not negative");
  }

  void attributes(NodeId id) {
    const auto& specs = definition(graph_.node(id).op).attributes;
    const auto& values = graph_.node(id).attributes;
    if (values.size() != specs.size()) {
      fail_unprintable(id, "needs " + std::to_string(specs.size()) + " attributes, not " +
                               std::to_string(values.size()));
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::string name(specs[i].name);
      if (values[i].index() != static_cast<std::size_t>(specs[i].kind)) {
        fail_unprintable(id, "attribute " + name + " has the wrong kind");
      }
      const auto* const array = std::get_if<ArrayPtr>(&values[i]);
      const auto* const group = std::get_if<GroupPtr>(&values[i]);
      if ((array != nullptr && *array == nullptr) || (group != nullptr && *group == nullptr)) {
        fail_unprintable(id, "attribute " + name + " is null");
      }
      if (group != nullptr) this->group(id, *group);
      for (const FunctionPtr& function : functions_of(values[i])) {
        if (function == nullptr) fail_unprintable(id, "attribute " + name + " is null");
        this->function(id, *function);
      }
    }
  }

  void group(NodeId id, const GroupPtr& group) {
    try {
      check_group(group);
    } catch (const TypeError& error) {
      fail(id, error.what());
    }
    if (graph_.mesh == nullptr || !inside_.insert(group.get()).second) return;
    const std::int64_t most = *std::max_element(group->ranks.begin(), group->ranks.end());
    if (most >= graph_.mesh->ranks()) {
      fail(id, "group \"" + group->tag + "\" names rank " + std::to_string(most) +
                   ", but the mesh has " + std::to_string(graph_.mesh->ranks()) + " ranks");
    }
  }

  // A function that a node runs keeps the rules, and belongs to the same ranks and devices.
  void function(NodeId id, const Function& function) {
    if (!functions_.insert(&function).second) return;
    const Graph& graph = function.graph();
    const bool same_mesh =
        graph.mesh == graph_.mesh ||
        (graph.mesh != nullptr && graph_.mesh != nullptr && *graph.mesh == *graph_.mesh);
    if (!same_mesh) fail(id, "@" + name_or_quoted(graph.name) + " has another mesh");
    if (graph.default_device != graph_.default_device) {
      fail(id, "@" + name_or_quoted(graph.name) + " has another default device, " +
                   graph.default_device.text());
    }
    Verifier(graph, functions_).run();
  }

  void types(NodeId id) const {
    const Node& node = graph_.node(id);
    const Mesh* const mesh = graph_.mesh.get();
    std::vector<Type> operands;
    for (const Value operand : graph_.operands(id)) operands.push_back(graph_.type(operand));
    std::vector<Type> inferred;
    try {
      inferred = infer_types(node.op, operands, node.attributes, mesh);
    } catch (const TypeError& error) {
      fail(id, error.what());
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::uint8_t wanted = dimensions_to_vary(node.op, operands, i, node.attributes, mesh);
      if (wanted == 0) continue;
      fail(id, print(graph_, graph_.operand(id, i)) + " is replicated over more than the " +
                   (definition(node.op).kind == OpClass::collective ? "collective takes"
                                                                    : "other operands") +
                   "; it needs a 'vary' first");
    }
    if (inferred.size() != node.result_count) {
      fail(id, "has " + std::to_string(inferred.size()) + " results, not " +
                   std::to_string(node.result_count));
    }
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      const Type& type = graph_.type(graph_.result(id, i));
      // What may lie anywhere may be given a place.
      if (inferred[i].device.is_any()) inferred[i].device = type.device;
      if (type == inferred[i]) continue;
      const auto shown = [&](const Type& t) {
        return print(t, mesh) + (t.replication.literal ? " (a literal)" : "");
      };
      fail(id, "its type is " + shown(inferred[i]) + ", not " + shown(type));
    }
  }

  void waits(NodeId id) {
    if (graph_.node(id).op != Op::wait) return;
    const Value value = graph_.operand(id, 0);
    NodeId& first = wait_of_[value.id];
    if (first != kNoNode) {
      fail(id, "a value is waited for once, but " + print(graph_, value) + " is already by " +
                   print(graph_, graph_.result(first)));
    }
    first = id;
  }

  const Graph& graph_;
  std::vector<NodeId> wait_of_;              // by value
  std::unordered_set<const Group*> inside_;  // groups found to be inside the mesh
  std::unordered_set<const Function*>& functions_;
};

}  // namespace

void verify(const Graph& graph) {
  std::unordered_set<const Function*> functions;
  Verifier(graph, functions).run();
  call_test_hook(graph);
}

}  // namespace tutti::ir
