#include <tutti/ir/blocks.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

// The gradient of slices with steps, as those of pooling's windows, is a sum of pads with zeros
// between elements, each as large as what was sliced and written to memory. As blocks
// (ir/blocks.h) there are none between: kernels read such pads where they lie.
namespace tutti::ir {

namespace {

class Spreads {
 public:
  explicit Spreads(const Graph& graph)
      : graph_(graph), blocks_(graph.value_count()), role_(graph.node_count()) {
    for (NodeId id = 0; id < graph.node_count(); ++id) find(id);
    for (const Value result : graph.results()) need(result);
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      for (const Value operand : graph.operands(id)) {
        if (!role_[id].is_sum) {
          need(operand);
        } else if (blocks_[operand.id]) {
          role_[graph.producer(operand)].is_summed = true;
        }
      }
    }
  }

  bool any() const {
    return std::ranges::any_of(role_, [](const Role& role) { return role.is_sum; });
  }

  bool visit(Rewriter& rewriter, NodeId id) {
    const Role role = role_[id];
    if (!role.is_summed && !role.is_sum) return false;
    const Value result = graph_.result(id);
    Builder* const builder = &rewriter.builder();
    const Blocks& blocks = *blocks_[result.id];
    const auto mapped = [&](Value value) { return Term(builder, rewriter.map(value)); };
    const auto summand = [&](Value value) {
      if (blocks_[value.id]) return sums_.at(value.id);
      return broadcast_to(mapped(scalar_of(value).value()), blocks.blocked_shape());
    };
    const Value a = graph_.operand(id, 0);
    const Value b = graph_.operand(id, 1);
    const Term own =
        role.is_sum ? summand(a) + summand(b)
                    : blocks.spread(mapped(a), mapped(b), graph_.attributes(id).integers("low"));
    sums_[result.id] = own;
    if (role.is_needed && !role.is_sum) return false;
    rewriter.replace(id, role.is_needed ? blocks.joined(own).value() : Value());
    return true;
  }

 private:
  // Of nodes whose results can be had as blocks.
  struct Role {
    bool is_sum = false;     // of two that can
    bool is_summed = false;  // by one
    bool is_needed = false;  // by somebody else, too
  };

  void need(Value value) { role_[graph_.producer(value)].is_needed = true; }

  void find(NodeId id) {
    const Op op = graph_.node(id).op;
    if (op == Op::pad) {
      blocks_[graph_.result(id).id] = blocks_of_pad(id);
    } else if (op == Op::add) {
      const Value a = graph_.operand(id, 0);
      const Value b = graph_.operand(id, 1);
      const Value spread = blocks_[a.id] ? a : b;
      const std::optional<Blocks>& blocks = blocks_[spread.id];
      const auto fits = [&](Value value) {
        return blocks_[value.id] ? blocks_[value.id] == blocks : scalar_of(value).has_value();
      };
      const Value sum = graph_.result(id);
      if (!blocks || !fits(a) || !fits(b)) return;
      if (graph_.type(sum).shape != graph_.type(spread).shape) return;
      blocks_[sum.id] = blocks;
      role_[id].is_sum = true;
    }
  }

  // Of what is one number everywhere, as what a sum begins with.
  std::optional<Value> scalar_of(Value value) const {
    if (graph_.op(value) == Op::broadcast_to) value = graph_.operand(graph_.producer(value), 0);
    return graph_.type(value).shape.rank() == 0 ? std::optional(value) : std::nullopt;
  }

  std::optional<Blocks> blocks_of_pad(NodeId id) const {
    const Attributes attributes = graph_.attributes(id);
    if (graph_.type(graph_.operand(id, 0)).shape.elements() == 0) return std::nullopt;
    std::vector<std::int64_t> steps;
    for (const std::int64_t zeros : attributes.integers("interior")) steps.push_back(zeros + 1);
    return Blocks::of(graph_.type(graph_.result(id)).shape, std::move(steps));
  }

  const Graph& graph_;
  std::vector<std::optional<Blocks>> blocks_;  // [value], that it can be had as
  std::vector<Role> role_;                     // [node]
  std::unordered_map<std::uint32_t, Term> sums_;
};

}  // namespace

bool sum_spreads(Graph& graph) {
  const auto is_spread = [&](NodeId id) {
    return graph.node(id).op == Op::pad &&
           std::ranges::any_of(graph.attributes(id).integers("interior"),
                               [](std::int64_t zeros) { return zeros > 0; });
  };
  bool any = false;
  for (NodeId id = 0; id < graph.node_count() && !any; ++id) any = is_spread(id);
  if (!any) return false;
  Spreads spreads(graph);
  if (!spreads.any()) return false;
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) { return spreads.visit(rewriter, id); });
}

}  // namespace tutti::ir
