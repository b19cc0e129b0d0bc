#pragma once

#include <tutti/ir/debug/edit.h>

#include <vector>

namespace tutti::ir {

// What becomes of each node and value of a function in `edited`.
class EditPlan {
 public:
  EditPlan(const Graph& graph, const Edit& edit);
  // Of a function that nodes run.
  EditPlan(const Graph& graph, const FunctionEdit& edit);

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
  bool has_parameter(NodeId id) const {
    return keeps_parameters_ || (needed_[id] && fates_[id] == Fate::stays);
  }
  // Of a function that nodes run an invalid one is zeros.
  const std::vector<Value>& results() const { return results_; }

 private:
  EditPlan(const Graph& graph, std::vector<Fate> fates);

  void cut_async_values();
  Value operand_like(NodeId id, std::uint32_t result) const;
  Value parameter_like(NodeId id) const;
  void replace_by_operands();
  void expose();
  void find_needed();
  bool was_needed(NodeId id) const;

  const Graph& graph_;
  const std::vector<std::uint32_t> uses_before_;
  bool keeps_parameters_ = false;
  std::vector<Fate> fates_;
  std::vector<Value> replaced_;  // [value]; invalid: itself
  std::vector<Value> results_;
  std::vector<bool> needed_;
  std::vector<bool> needed_values_;
};

}  // namespace tutti::ir
