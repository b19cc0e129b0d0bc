#include <tutti/ir/control.h>
#include <tutti/ir/passes/hoist_invariants.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/widened_operands.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::ir {

namespace {

// Elementwise work on fewer elements costs less than to bring its result into the loop.
constexpr std::int64_t kLeastElements = 64;

class Hoisting {
 public:
  Hoisting(const Graph& graph, NodeId loop)
      : graph_(graph),
        loop_(loop),
        body_(graph.attributes(loop).function("body").graph()),
        invariant_(body_.value_count(), false),
        hoisted_(body_.node_count(), false),
        widened_(find_widened_operands(body_)),
        common_(place_of_functions(graph.attributes(loop)).replication.dimensions) {
    find_invariants();
    find_hoisted();
    find_frontier();
  }

  bool empty() const { return frontier_.empty(); }

  // False where what is computed outside would be of another type: nothing is changed then.
  bool apply(Rewriter& rewriter) const {
    Builder& builder = rewriter.builder();
    std::vector<Value> outside(body_.value_count());
    for (std::size_t i = 0; i < body_.parameters().size(); ++i) {
      outside[body_.parameters()[i].value.id] = rewriter.map(graph_.operand(loop_, i));
    }
    const Location here = builder.location();
    for (NodeId id = 0; id < body_.node_count(); ++id) {
      if (!needed_outside(id)) continue;
      builder.at(body_.node(id).location);
      append_node(builder, body_, id, outside);
    }
    builder.at(here);
    std::vector<Value> operands = rewriter.map_operands(loop_);
    for (const Value value : frontier_) {
      operands.push_back(outside[value.id]);
      if (rewriter.to().type(operands.back()) != body_.type(value)) return false;
    }
    std::vector<Attribute> attributes = graph_.node(loop_).attributes;
    for (Attribute& attribute : attributes) {
      const auto* const function = std::get_if<FunctionPtr>(&attribute);
      if (function == nullptr) continue;
      const bool is_body = &(*function)->graph() == &body_;
      attribute =
          FunctionPtr(std::make_shared<const Function>(extended((*function)->graph(), is_body)));
    }
    const NodeId made = builder.node(graph_.node(loop_).op, operands, std::move(attributes));
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < graph_.node(loop_).result_count; ++i) {
      results.push_back(rewriter.to().result(made, i));
    }
    rewriter.replace(loop_, results);
    return true;
  }

 private:
  // Parameters that are the same in each step: invariants, and carries that nobody changes.
  void find_invariants() {
    const Attributes attributes = graph_.attributes(loop_);
    const auto carries = static_cast<std::size_t>(attributes.integer("carries"));
    const bool is_scan = graph_.node(loop_).op == Op::scan;
    const std::size_t sequences =
        is_scan ? static_cast<std::size_t>(attributes.integer("sequences")) : 0;
    for (std::size_t i = 0; i < body_.parameters().size(); ++i) {
      const Value parameter = body_.parameters()[i].value;
      const bool kept = i < carries && body_.results()[i] == parameter;
      // Of one type outside, replication included.
      const bool same = graph_.type(graph_.operand(loop_, i)) == body_.type(parameter);
      invariant_[parameter.id] = (kept || i >= carries + sequences) && same;
    }
    for (NodeId id = 0; id < body_.node_count(); ++id) {
      const Node& node = body_.node(id);
      const OpClass kind = definition(node.op).kind;
      if (kind == OpClass::parameter || kind == OpClass::collective || kind == OpClass::wait ||
          kind == OpClass::control || node.op == Op::observe) {
        continue;
      }
      const auto is_invariant = [this](Value value) { return invariant_[value.id]; };
      if (!std::ranges::all_of(body_.operands(id), is_invariant)) continue;
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        invariant_[body_.result(id, i).id] = true;
      }
    }
  }

  std::int64_t elements(Value value) const { return body_.type(value).shape.elements(); }

  bool is_worth_it(NodeId id) const {
    const Node& node = body_.node(id);
    const OpClass kind = definition(node.op).kind;
    if (kind == OpClass::view || kind == OpClass::make || node.operand_count == 0) return false;
    if (widened_[id]) return false;  // costs nothing there
    std::int64_t read = 0;
    for (const Value operand : body_.operands(id)) read += elements(operand);
    std::int64_t made = 0;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      // What is made of numbers alone is no value of a parameter.
      const Type& type = body_.type(body_.result(id, i));
      if (type.replication.literal || type.device.is_any()) return false;
      // Numbers that the loop gives count as the same where all its parameters are.
      if ((common_ & ~type.replication.dimensions) != 0) return false;
      made += type.shape.elements();
    }
    return made <= read && (kind != OpClass::elementwise || made >= kLeastElements);
  }

  void find_hoisted() {
    for (NodeId id = 0; id < body_.node_count(); ++id) {
      const Node& node = body_.node(id);
      if (node.op == Op::parameter || node.result_count == 0) continue;
      hoisted_[id] = invariant_[body_.result(id).id] && is_worth_it(id);
    }
    needed_.assign(body_.node_count(), false);
    for (auto id = static_cast<NodeId>(body_.node_count()); id-- > 0;) {
      needed_[id] = needed_[id] || hoisted_[id];
      if (!needed_[id]) continue;
      for (const Value operand : body_.operands(id)) needed_[body_.producer(operand)] = true;
    }
  }
  bool needed_outside(NodeId id) const { return needed_[id] && body_.node(id).op != Op::parameter; }

  // What the steps read of what is hoisted.
  void find_frontier() {
    const auto add = [this](Value value) {
      if (!hoisted_[body_.producer(value)]) return;
      if (std::ranges::find(frontier_, value) == frontier_.end()) frontier_.push_back(value);
    };
    for (NodeId id = 0; id < body_.node_count(); ++id) {
      if (hoisted_[id]) continue;
      for (const Value operand : body_.operands(id)) add(operand);
    }
    for (const Value result : body_.results()) add(result);
  }

  // A function of the loop's, which takes what is hoisted behind its other parameters.
  Graph extended(const Graph& function, bool is_body) const {
    Graph out(function.name);
    out.mesh = function.mesh;
    out.default_device = function.default_device;
    std::vector<Value> values(function.value_count());
    for (const Parameter& parameter : function.parameters()) {
      values[parameter.value.id] =
          out.add_parameter(parameter.name, function.type(parameter.value));
    }
    for (std::size_t i = 0; i < frontier_.size(); ++i) {
      const Value value = out.add_parameter(
          "hoisted" + std::to_string(function.parameters().size() + i), body_.type(frontier_[i]));
      if (is_body) values[frontier_[i].id] = value;
    }
    Builder builder(out);
    for (NodeId id = 0; id < function.node_count(); ++id) {
      if (function.node(id).op == Op::parameter || (is_body && hoisted_[id])) continue;
      builder.at(function.node(id).location).calls(function.calls(id));
      append_node(builder, function, id, values);
    }
    std::vector<Value> results;
    for (const Value result : function.results()) results.push_back(values[result.id]);
    out.set_results(std::move(results));
    dce(out);
    return out;
  }

  const Graph& graph_;
  const NodeId loop_;
  const Graph& body_;
  std::vector<bool> invariant_;
  std::vector<bool> hoisted_;  // by node: its results come from outside
  std::vector<bool> widened_;
  const std::uint8_t common_;  // the dimensions over which all parameters are replicated
  std::vector<bool> needed_;   // by node: is computed outside
  std::vector<Value> frontier_;
};

}  // namespace

bool hoist_invariants(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    const Op op = graph.node(id).op;
    if ((op != Op::scan && op != Op::while_loop) || communicates(graph, id)) return false;
    const Hoisting hoisting(graph, id);
    return !hoisting.empty() && hoisting.apply(rewriter);
  });
}

}  // namespace tutti::ir
