#include <tutti/ir/debug/edit_plan.h>

#include <algorithm>
#include <utility>

namespace tutti::ir {

namespace {

bool is_collective(const Graph& graph, NodeId id) {
  return definition(graph.node(id).op).kind == OpClass::collective;
}

bool same_array(const Type& a, const Type& b) { return a.dtype == b.dtype && a.shape == b.shape; }

}  // namespace

EditPlan::EditPlan(const Graph& graph, std::vector<Fate> fates)
    : graph_(graph),
      uses_before_(count_uses(graph)),
      fates_(std::move(fates)),
      replaced_(graph.value_count()) {
  fates_.resize(graph.node_count(), Fate::stays);
}

EditPlan::EditPlan(const Graph& graph, const Edit& edit) : EditPlan(graph, edit.fates) {
  for (const Parameter& parameter : graph.parameters()) {
    Fate& fate = fates_[graph.producer(parameter.value)];
    const bool used = uses_before_[parameter.value.id] != 0;
    if (fate == Fate::zero || (fate == Fate::cut && used)) fate = Fate::stays;
  }
  cut_async_values();
  replace_by_operands();
  for (std::size_t i = 0; i < graph.results().size(); ++i) {
    if (!edit.dropped.empty() && edit.dropped[i]) continue;
    Value result = graph.results()[i];
    const NodeId from = graph.producer(result);
    if (edit.among == Among::first) result = graph.result(from);
    if (edit.among == Among::last) result = graph.result(from, graph.node(from).result_count - 1);
    if (fate(result) != Fate::cut) results_.push_back(result);
  }
  expose();
  find_needed();
}

EditPlan::EditPlan(const Graph& graph, const FunctionEdit& edit) : EditPlan(graph, edit.fates) {
  keeps_parameters_ = true;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const bool stays = graph.node(id).op == Op::parameter || was_needed(id);
    if (fates_[id] == Fate::cut && stays) fates_[id] = Fate::stays;
  }
  replace_by_operands();
  results_ = graph.results();
  for (std::size_t i = 0; i < std::min(edit.replaced.size(), results_.size()); ++i) {
    if (!edit.replaced[i]) continue;
    const bool fits = i < graph.parameters().size() &&
                      same_array(graph.type(graph.parameters()[i].value), graph.type(results_[i]));
    results_[i] = fits ? graph.parameters()[i].value : Value{};
  }
  find_needed();
}

// A value that is not waited for yet cannot be a parameter: what takes it goes with what makes
// it.
void EditPlan::cut_async_values() {
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

// An operand with the type of a result, that in its place if it has; of a wait the collective's.
Value EditPlan::operand_like(NodeId id, std::uint32_t result) const {
  const Type& wanted = graph_.type(graph_.result(id, result));
  NodeId from = id;
  if (graph_.node(id).op == Op::wait) {
    from = graph_.producer(graph_.operand(id, 0));
    if (!is_collective(graph_, from)) return {};
  }
  const auto operands = graph_.operands(from);
  if (result < operands.size() && graph_.type(operands[result]) == wanted) return operands[result];
  for (const Value operand : operands) {
    if (graph_.type(operand) == wanted) return operand;
  }
  return {};
}

Value EditPlan::parameter_like(NodeId id) const {
  for (const Parameter& parameter : graph_.parameters()) {
    if (parameter.value.id >= graph_.result(id).id) break;
    if (graph_.type(parameter.value) == graph_.type(graph_.result(id))) return parameter.value;
  }
  return {};
}

void EditPlan::replace_by_operands() {
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    if (fates_[id] != Fate::operand) continue;
    const bool is_parameter = graph_.node(id).op == Op::parameter;
    std::vector<Value> others;
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      others.push_back(is_parameter ? parameter_like(id) : operand_like(id, i));
    }
    if (others.empty() || !std::ranges::all_of(others, &Value::valid)) {
      fates_[id] = Fate::stays;
      continue;
    }
    for (std::uint32_t i = 0; i < others.size(); ++i) {
      replaced_[graph_.result(id, i).id] = others[i];
    }
  }
}

// Values whose users were cut become results.
void EditPlan::expose() {
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
void EditPlan::find_needed() {
  needed_.assign(graph_.node_count(), false);
  needed_values_.assign(graph_.value_count(), false);
  const auto need = [&](Value value) {
    const Value from = source(value);
    needed_values_[from.id] = true;
    needed_[graph_.producer(from)] = true;
  };
  for (const Value result : results_) {
    if (result.valid()) need(result);
  }
  for (auto id = static_cast<NodeId>(graph_.node_count()); id-- > 0;) {
    if (fates_[id] == Fate::stays && !was_needed(id)) needed_[id] = true;
    if (!needed_[id] || fates_[id] != Fate::stays) continue;
    for (const Value operand : graph_.operands(id)) need(operand);
  }
}

bool EditPlan::was_needed(NodeId id) const {
  const Node& node = graph_.node(id);
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    if (uses_before_[graph_.result(id, i).id] != 0) return true;
  }
  return false;
}

}  // namespace tutti::ir
