#include <tutti/ir/literal_use.h>
#include <tutti/ir/support/hash.h>

namespace tutti::ir {

namespace {

std::uint32_t never_zero(const Hasher& hasher) {
  return static_cast<std::uint32_t>(hasher.finish().low >> 32) | 1;
}

class Walk {
 public:
  Walk(const Graph& graph, std::uint8_t dimensions, std::vector<LiteralUse>& uses)
      : graph_(graph), dimensions_(dimensions), uses_(uses) {}

  LiteralUse of(NodeId id) const {
    if (graph_.type(graph_.result(id)).replication.literal) return value(id);
    return combined(id, uses_literals(id));
  }

  // What goes into a node's operands, and, if `used`, the literals among them.
  LiteralUse combined(NodeId id, bool used) const {
    LiteralUse out;
    Hasher structure;
    Hasher values;
    std::size_t count = 0;
    for (const Value operand : graph_.operands(id)) {
      const LiteralUse& use = uses_[operand.id];
      const bool literal = graph_.type(operand).replication.literal;
      if (!use.any() || (literal && !used)) continue;
      structure.add(use.structure);
      values.add(use.values);
      const Location where = literal ? graph_.node(id).location : use.where;
      if (count++ == 0) out = {use.structure, use.values, where};
    }
    // One that is passed on stays as it is: whether it was evaluated on the way is a rank's own
    // affair.
    if (count == 0 || (count == 1 && !used)) return out;
    if (used) {
      structure.add(static_cast<std::uint64_t>(graph_.node(id).op));
      structure.add(static_cast<std::uint64_t>(graph_.node(id).location.line()));
    }
    return {never_zero(structure), never_zero(values), out.where};
  }

 private:
  // A literal's own: how it is made.
  LiteralUse value(NodeId id) const {
    Hasher structure;
    Hasher values;
    hash_type(structure, graph_.type(graph_.result(id)));
    structure.add(static_cast<std::uint64_t>(graph_.node(id).op));
    for (const Attribute& attribute : graph_.node(id).attributes) {
      hash_attribute(values, attribute);
    }
    for (const Value operand : graph_.operands(id)) {
      structure.add(uses_[operand.id].structure);
      values.add(uses_[operand.id].values);
    }
    return {never_zero(structure), never_zero(values), graph_.node(id).location};
  }

  bool uses_literals(NodeId id) const {
    const Replication replication = graph_.type(graph_.result(id)).replication;
    if ((replication.dimensions & dimensions_) != dimensions_) return false;
    for (const Value operand : graph_.operands(id)) {
      if (graph_.type(operand).replication.literal) return true;
    }
    return false;
  }

  const Graph& graph_;
  const std::uint8_t dimensions_;
  std::vector<LiteralUse>& uses_;  // by value: of a literal its value
};

}  // namespace

std::vector<std::uint8_t> literal_masks(const Mesh& mesh) {
  constexpr std::size_t kFew = 3;
  std::vector<std::uint8_t> out;
  const std::uint8_t all = all_dimensions(mesh);
  for (unsigned mask = 1; mask <= all; ++mask) {
    const bool single = (mask & (mask - 1)) == 0;
    if (mesh.names.size() <= kFew || single || mask == all) {
      out.push_back(static_cast<std::uint8_t>(mask));
    }
  }
  return out;
}

std::vector<LiteralUse> literal_uses(const Graph& graph, std::uint8_t dimensions,
                                     std::span<const LiteralUse> parameters,
                                     std::vector<LiteralUse>* values) {
  std::vector<LiteralUse> own;
  std::vector<LiteralUse>& uses = values == nullptr ? own : *values;
  uses.assign(graph.value_count(), {});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    uses[graph.parameters()[i].value.id] = parameters[i];
  }
  std::vector<LiteralUse> out(graph.call_count());
  const Walk walk(graph, dimensions, uses);
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::parameter) continue;
    if (definition(node.op).kind != OpClass::collective) {
      if (node.result_count == 0) continue;
      const LiteralUse use = walk.of(id);
      for (std::uint32_t i = 0; i < node.result_count; ++i) uses[graph.result(id, i).id] = use;
      continue;
    }
    const std::uint8_t spanned =
        graph.mesh == nullptr ? std::uint8_t{0}
                              : dimensions_of(graph.attributes(id).group("group"), *graph.mesh);
    const LiteralUse use = walk.combined(id, false);
    if (spanned == dimensions) {
      for (const CallId call : graph.calls(id)) out[call] = use;
    }
    // What was compared is settled.
    if ((spanned & dimensions) == dimensions) continue;
    for (std::uint32_t i = 0; i < node.result_count; ++i) uses[graph.result(id, i).id] = use;
  }
  return out;
}

}  // namespace tutti::ir
