#include <tutti/ir/builder.h>
#include <tutti/ir/edit.h>
#include <tutti/ir/names.h>
#include <tutti/ir/print.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify.h>

#include <algorithm>
#include <map>
#include <memory>

namespace tutti::ir {

namespace {

constexpr std::int64_t kMostElementsInText = 16;  // of a constant; a larger one is repeated

bool is_collective(const Graph& graph, NodeId id) {
  return definition(graph.node(id).op).kind == OpClass::collective;
}

// Decides, node by node, what a changed program holds.
class Plan {
 public:
  Plan(const Graph& graph, const Edit& edit)
      : graph_(graph), fates_(edit.fates), replaced_(graph.value_count()) {
    fates_.resize(graph.node_count(), Fate::stays);
    for (const Parameter& parameter : graph.parameters()) {
      Fate& fate = fates_[graph.producer(parameter.value)];
      const bool used = uses_before_[parameter.value.id] != 0;
      if (fate == Fate::zero || (fate == Fate::cut && used)) fate = Fate::stays;
    }
    cut_async_values();
    replace_by_operands();
    for (std::size_t i = 0; i < graph.results().size(); ++i) {
      if (!edit.dropped.empty() && edit.dropped[i]) continue;
      const Value result = graph.results()[i];
      if (fate(result) != Fate::cut) results_.push_back(result);
    }
    expose();
    find_needed();
  }

  Fate fate(NodeId id) const { return fates_[id]; }
  Fate fate(Value value) const { return fates_[graph_.producer(value)]; }
  // What stands for a value: itself or an earlier one.
  Value source(Value value) const {
    while (replaced_[value.id].valid()) value = replaced_[value.id];
    return value;
  }
  // Whether a node, or what stands for it, is in the changed program.
  bool is_needed(NodeId id) const { return needed_[id]; }
  bool is_needed(Value value) const { return needed_values_[value.id]; }
  const std::vector<Value>& results() const { return results_; }

 private:
  // A value that is not waited for yet cannot be a parameter: what takes it goes with what makes
  // it.
  void cut_async_values() {
    std::vector<bool> has_user(graph_.value_count(), false);
    for (const Value result : graph_.results()) has_user[result.id] = true;
    for (auto id = static_cast<NodeId>(graph_.node_count()); id-- > 0;) {
      bool any_async = false;
      bool used = false;
      for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
        const Value result = graph_.result(id, i);
        any_async = any_async || graph_.type(result).async;
        used = used || has_user[result.id];
      }
      if (any_async && !used && was_needed(id)) fates_[id] = Fate::cut;
      if (fates_[id] == Fate::cut) continue;
      for (const Value operand : graph_.operands(id)) has_user[operand.id] = true;
    }
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const auto operands = graph_.operands(id);
      if (std::ranges::any_of(operands, [&](Value operand) {
            return graph_.type(operand).async && fate(operand) == Fate::cut;
          })) {
        fates_[id] = Fate::cut;
      }
    }
  }

  // An operand with the type of the node's only result; of a wait the collective's.
  Value operand_like(NodeId id) const {
    const Type& wanted = graph_.type(graph_.result(id));
    NodeId from = id;
    if (graph_.node(id).op == Op::wait) {
      from = graph_.producer(graph_.operand(id, 0));
      if (!is_collective(graph_, from)) return {};
    }
    for (const Value operand : graph_.operands(from)) {
      if (graph_.type(operand) == wanted) return operand;
    }
    return {};
  }

  Value parameter_like(NodeId id) const {
    for (const Parameter& parameter : graph_.parameters()) {
      if (parameter.value.id >= graph_.result(id).id) break;
      if (graph_.type(parameter.value) == graph_.type(graph_.result(id))) return parameter.value;
    }
    return {};
  }

  void replace_by_operands() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (fates_[id] != Fate::operand) continue;
      const bool is_parameter = graph_.node(id).op == Op::parameter;
      Value other;
      if (graph_.node(id).result_count == 1) {
        other = is_parameter ? parameter_like(id) : operand_like(id);
      }
      if (other.valid()) {
        replaced_[graph_.result(id).id] = other;
      } else {
        fates_[id] = Fate::stays;
      }
    }
  }

  // Values whose users were cut become results.
  void expose() {
    std::vector<bool> stays_used(graph_.value_count(), false);
    std::vector<bool> was_used(graph_.value_count(), false);
    for (const Value result : results_) stays_used[source(result).id] = true;
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      for (const Value operand : graph_.operands(id)) {
        const Value from = source(operand);
        if (fates_[id] == Fate::cut) {
          was_used[from.id] = true;
        } else if (fates_[id] == Fate::stays) {
          stays_used[from.id] = true;
        }
      }
    }
    for (std::uint32_t id = 0; id < graph_.value_count(); ++id) {
      const Value value{id};
      if (!was_used[id] || stays_used[id] || fate(value) != Fate::stays) continue;
      if (graph_.op(value) != Op::parameter && !graph_.type(value).async) results_.push_back(value);
    }
  }

  // What the results need, and what nobody needed before either.
  void find_needed() {
    needed_.assign(graph_.node_count(), false);
    needed_values_.assign(graph_.value_count(), false);
    const auto need = [&](Value value) {
      const Value from = source(value);
      needed_values_[from.id] = true;
      needed_[graph_.producer(from)] = true;
    };
    for (const Value result : results_) need(result);
    for (auto id = static_cast<NodeId>(graph_.node_count()); id-- > 0;) {
      if (fates_[id] == Fate::stays && !was_needed(id)) needed_[id] = true;
      if (!needed_[id] || fates_[id] != Fate::stays) continue;
      for (const Value operand : graph_.operands(id)) need(operand);
    }
  }

  bool was_needed(NodeId id) const {
    const Node& node = graph_.node(id);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      if (uses_before_[graph_.result(id, i).id] != 0) return true;
    }
    return false;
  }

  const Graph& graph_;
  std::vector<Fate> fates_;
  std::vector<Value> replaced_;  // [value]; invalid: itself
  std::vector<Value> results_;
  std::vector<bool> needed_;
  std::vector<bool> needed_values_;
  const std::vector<std::uint32_t> uses_before_ = count_uses(graph_);
};

class Editor {
 public:
  Editor(const Graph& graph, const Edit& edit)
      : from_(graph),
        edit_(edit),
        plan_(graph, edit),
        to_(graph.name),
        builder_(to_),
        values_(graph.value_count()) {
    if (!edit.without_mesh) to_.mesh = graph.mesh;
    to_.default_device = graph.default_device;
  }

  Graph run() {
    parameters();
    for (NodeId id = 0; id < from_.node_count(); ++id) {
      if (from_.node(id).op == Op::parameter || !plan_.is_needed(id)) continue;
      builder_.at(from_.node(id).location);
      if (plan_.fate(id) == Fate::stays) copy(id);
      if (plan_.fate(id) == Fate::zero) zeros(id);
    }
    std::vector<Value> results;
    for (const Value result : plan_.results()) results.push_back(map(result));
    to_.set_results(std::move(results));
    return std::move(to_);
  }

 private:
  Value map(Value old) const { return values_[plan_.source(old).id]; }

  Shape resized(const Shape& shape) const {
    std::vector<std::int64_t> sizes(shape.begin(), shape.end());
    resize(sizes);
    return Shape(sizes);
  }
  void resize(std::vector<std::int64_t>& sizes) const {
    for (std::int64_t& size : sizes) {
      if (const auto found = edit_.sizes.find(size); found != edit_.sizes.end()) {
        size = found->second;
      }
    }
  }
  Type resized(Type type) const {
    type.shape = resized(type.shape);
    if (edit_.without_mesh) type.replication.dimensions = 0;
    return type;
  }

  // Equal groups stay one.
  GroupPtr of_two(const GroupPtr& group) {
    GroupPtr& smaller = groups_[group];
    if (smaller == nullptr) {
      Group two = *group;
      two.ranks = {0, 1};
      two.stride = std::min<std::int64_t>(two.stride, 2);
      smaller = std::make_shared<const Group>(std::move(two));
    }
    return smaller;
  }

  void parameters() {
    for (const Parameter& parameter : from_.parameters()) {
      const NodeId id = from_.producer(parameter.value);
      if (!plan_.is_needed(id) || plan_.fate(id) != Fate::stays) continue;
      values_[parameter.value.id] =
          to_.add_parameter(names_.add(parameter.name), resized(from_.type(parameter.value)),
                            parameter.donate, from_.node(id).location);
    }
    const std::vector<std::string> known = value_names(from_);
    for (std::uint32_t id = 0; id < from_.value_count(); ++id) {
      const Value value{id};
      if (from_.op(value) == Op::parameter || plan_.fate(value) != Fate::cut ||
          !plan_.is_needed(value)) {
        continue;
      }
      Type type = resized(from_.type(value));
      if (type.device.is_any() && !is_number(type)) type.device = from_.default_device;
      values_[id] = to_.add_parameter(names_.add("v" + known[id]), type);
    }
  }

  std::vector<Attribute> attributes_of(NodeId id) {
    std::vector<Attribute> out = from_.node(id).attributes;
    const auto& specs = definition(from_.node(id).op).attributes;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (auto* const list = std::get_if<std::vector<std::int64_t>>(&out[i])) {
        if (specs[i].name == "shape" || specs[i].name == "stop" || specs[i].name == "sizes") {
          resize(*list);
        }
      } else if (auto* const group = std::get_if<GroupPtr>(&out[i])) {
        if (edit_.two_ranks) *group = of_two(*group);
      } else if (const auto* const array = std::get_if<ArrayPtr>(&out[i])) {
        const Shape shape = resized((*array)->shape());
        if (shape == (*array)->shape()) continue;
        Array smaller((*array)->dtype(), shape);
        const auto bytes = (*array)->bytes();
        std::ranges::copy(bytes.first(std::min(bytes.size(), smaller.bytes().size())),
                          smaller.bytes().begin());
        out[i] = share(std::move(smaller));
      }
    }
    return out;
  }

  // Whether the node's results could lie anywhere, wherever they have been put.
  bool lay_anywhere(NodeId id) const {
    return std::ranges::all_of(from_.operands(id),
                               [&](Value operand) { return from_.type(operand).device.is_any(); });
  }

  // Where a node fits as it is, it stays so, with its device and its kernel; otherwise the builder
  // makes its operands vary alike.
  void copy(NodeId id) {
    const Node& node = from_.node(id);
    std::vector<Value> operands;
    std::vector<Type> types;
    for (const Value operand : from_.operands(id)) {
      operands.push_back(map(operand));
      types.push_back(to_.type(operands.back()));
    }
    if (node.op == Op::vary && edit_.without_mesh) {
      values_[from_.result(id).id] = operands[0];
      return;
    }
    std::vector<Attribute> attributes = attributes_of(id);
    const Mesh* const mesh = to_.mesh.get();
    bool fits = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      fits = fits && dimensions_to_vary(node.op, types, i, attributes, mesh) == 0;
    }
    NodeId made = 0;
    if (fits) {
      std::vector<Type> inferred = infer_types(node.op, types, attributes, mesh);
      for (std::uint32_t i = 0; i < inferred.size() && lay_anywhere(id); ++i) {
        if (!inferred[i].device.is_any()) continue;
        inferred[i].device = from_.type(from_.result(id, i)).device;
      }
      made = to_.append(node.op, operands, std::move(attributes), inferred, node.location);
    } else {
      made = builder_.node(node.op, operands, std::move(attributes));
    }
    to_.set_fusion(made, node.fusion);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      values_[from_.result(id, i).id] = to_.result(made, i);
    }
  }

  void zeros(NodeId id) {
    for (std::uint32_t i = 0; i < from_.node(id).result_count; ++i) {
      const Value old = from_.result(id, i);
      if (!plan_.is_needed(old)) continue;
      const Type& type = from_.type(old);
      if (type.async) throw TypeError("a collective cannot be a constant");
      const Shape shape = resized(type.shape);
      if (shape.elements() <= kMostElementsInText) {
        values_[old.id] = builder_.constant(Array(type.dtype, shape));
        continue;
      }
      const Value zero = builder_.constant(Array(type.dtype, {}));
      values_[old.id] = builder_.add(Op::broadcast_to, {zero},
                                     {std::vector<std::int64_t>(shape.begin(), shape.end())});
    }
  }

  const Graph& from_;
  const Edit& edit_;
  const Plan plan_;
  Graph to_;
  Builder builder_;
  std::vector<Value> values_;  // [old value]
  UniqueNames names_;
  std::map<GroupPtr, GroupPtr> groups_;  // by what they were
};

}  // namespace

std::optional<Graph> edited(const Graph& graph, const Edit& edit) {
  try {
    Graph out = Editor(graph, edit).run();
    verify(out);
    return out;
  } catch (const TypeError&) {
    return std::nullopt;
  } catch (const VerifyError&) {
    return std::nullopt;
  }
}

}  // namespace tutti::ir
