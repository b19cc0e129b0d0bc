#include <tutti/ir/control.h>
#include <tutti/ir/literal_use.h>
#include <tutti/ir/support/hash.h>

#include <map>
#include <utility>

namespace tutti::ir {

namespace {

std::uint32_t never_zero(const Hasher& hasher) {
  return static_cast<std::uint32_t>(hasher.finish().low >> 32) | 1;
}

class Walk {
 public:
  // What goes into the results of functions that nodes with so many carries run: found once.
  using Known = std::map<std::pair<const Function*, std::size_t>, std::vector<LiteralUse>>;

  Walk(const Graph& graph, std::uint8_t dimensions, std::vector<LiteralUse>& uses, Known& known)
      : graph_(graph), dimensions_(dimensions), uses_(uses), known_(known) {}

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
    for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
      const Value operand = graph_.operand(id, i);
      const LiteralUse& use = uses_[operand.id];
      const bool literal = graph_.type(operand).replication.literal;
      if (!use.any() || (literal && (!used || begins_what_differs(id, i)))) continue;
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

  // What becomes of the literals on the way through a program's collectives: `call` gets what went
  // into each.
  template <class OnCall>
  void run(const OnCall& call) const {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const Node& node = graph_.node(id);
      if (node.op == Op::parameter) continue;
      const bool collective = definition(node.op).kind == OpClass::collective;
      if (!collective && node.result_count == 0) continue;
      const LiteralUse use = collective ? combined(id, false) : of(id);
      if (collective) {
        const std::uint8_t spanned =
            graph_.mesh == nullptr
                ? std::uint8_t{0}
                : dimensions_of(graph_.attributes(id).group("group"), *graph_.mesh);
        call(id, spanned, use);
        // What was compared is settled.
        if ((spanned & dimensions_) == dimensions_) continue;
      }
      for (std::uint32_t i = 0; i < node.result_count; ++i) uses_[graph_.result(id, i).id] = use;
      if (is_control(node.op)) add_functions(id);
    }
  }

 private:
  bool is_alike(Value value) const {
    return (graph_.type(value).replication.dimensions & dimensions_) == dimensions_;
  }
  // Whether anything that a node gives counts as the same over the dimensions.
  bool gives_alike(NodeId id) const {
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      if (is_alike(graph_.result(id, i))) return true;
    }
    return false;
  }
  // Whether an operand is what a carry of a loop begins with that does not count as the same.
  bool begins_what_differs(NodeId id, std::size_t operand) const {
    const Op op = graph_.node(id).op;
    if (op != Op::scan && op != Op::while_loop) return false;
    const std::int64_t carries = graph_.attributes(id).integer("carries");
    return std::cmp_less(operand, carries) && !is_alike(graph_.result(id, operand));
  }

  // Adds the literals in what a node runs that meet values which count as the same there, as far as
  // they go into each of its results: numbers in a loop's body are constants of the function. (Of
  // a condition ranks see the number of steps.)
  void add_functions(NodeId id) const {
    const Op op = graph_.node(id).op;
    const Attributes attributes = graph_.attributes(id);
    const std::int64_t carries = op == Op::conditional ? 0 : attributes.integer("carries");
    const bool has_condition = op == Op::while_loop;
    for (const Attribute& attribute : attributes.values().subspan(has_condition ? 1 : 0)) {
      for (const FunctionPtr& function : functions_of(attribute)) {
        const std::vector<LiteralUse>& results =
            results_of(*function, static_cast<std::size_t>(carries));
        for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
          const LiteralUse& inside = results[i];
          LiteralUse& use = uses_[graph_.result(id, i).id];
          if (is_alike(graph_.result(id, i)) && inside.any())
            use = use.any() ? both(use, inside) : inside;
        }
      }
    }
  }

  static LiteralUse both(const LiteralUse& a, const LiteralUse& b) {
    return {never_zero(Hasher().add(a.structure).add(b.structure)),
            never_zero(Hasher().add(a.values).add(b.values)), a.where};
  }

  // Carries take what steps give them, from one to another.
  const std::vector<LiteralUse>& results_of(const Function& function, std::size_t carries) const {
    const auto [found, is_new] = known_.try_emplace({&function, carries});
    if (!is_new) return found->second;
    constexpr int kSteps = 3;
    const Graph& graph = function.graph();
    std::vector<LiteralUse> uses(graph.value_count());
    const Walk walk(graph, dimensions_, uses, known_);
    for (int step = 0; step < (carries > 0 ? kSteps : 1); ++step) {
      for (std::size_t i = 0; step > 0 && i < carries; ++i) {
        uses[graph.parameters()[i].value.id] = uses[graph.results()[i].id];
      }
      walk.run([](NodeId, std::uint8_t, const LiteralUse&) {});
    }
    for (const Value result : graph.results()) found->second.push_back(uses[result.id]);
    return found->second;
  }

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
    if (!gives_alike(id)) return false;
    for (const Value operand : graph_.operands(id)) {
      if (graph_.type(operand).replication.literal) return true;
    }
    return false;
  }

  const Graph& graph_;
  const std::uint8_t dimensions_;
  std::vector<LiteralUse>& uses_;  // by value: of a literal its value
  Known& known_;
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
  Walk::Known known;
  Walk(graph, dimensions, uses, known)
      .run([&](NodeId id, std::uint8_t spanned, const LiteralUse& use) {
        if (spanned != dimensions) return;
        for (const CallId call : graph.calls(id)) out[call] = use;
      });
  return out;
}

}  // namespace tutti::ir
