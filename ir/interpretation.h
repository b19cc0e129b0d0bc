#pragma once

#include <tutti/ir/graph.h>

#include <span>
#include <vector>

namespace tutti::ir {

// What a local op's reference meaning sees, for one rank.
class Interpretation {
 public:
  Interpretation(const Graph& graph, NodeId node, std::span<const Array* const> operands,
                 std::int64_t rank)
      : attributes(graph.attributes(node)),
        rank(rank),
        graph_(graph),
        node_(node),
        operands_(operands) {}

  int count() const { return static_cast<int>(operands_.size()); }
  const Array& operand(int i) const { return *operands_[static_cast<std::size_t>(i)]; }
  const Type& result_type(int i = 0) const {
    return graph_.type(graph_.result(node_, static_cast<std::size_t>(i)));
  }
  void result(Array array) { results_.push_back(std::move(array)); }
  std::vector<Array>& results() { return results_; }

  const Attributes attributes;
  const std::int64_t rank;

 private:
  const Graph& graph_;
  NodeId node_;
  std::span<const Array* const> operands_;
  std::vector<Array> results_;
};

// What a collective's reference meaning sees: the operands of all members of one group, in order.
class CollectiveInterpretation {
 public:
  CollectiveInterpretation(const Graph& graph, NodeId node,
                           std::span<const std::vector<const Array*>> operands)
      : attributes(graph.attributes(node)),
        results(operands.size()),
        graph_(graph),
        node_(node),
        operands_(operands) {}

  int members() const { return static_cast<int>(operands_.size()); }
  int count() const { return static_cast<int>(graph_.node(node_).operand_count); }
  const Array& operand(int member, int i) const {
    return *operands_[static_cast<std::size_t>(member)][static_cast<std::size_t>(i)];
  }
  const Type& result_type(int i) const {
    return graph_.type(graph_.result(node_, static_cast<std::size_t>(i)));
  }

  const Attributes attributes;
  std::vector<std::vector<Array>> results;  // [member][result]

 private:
  const Graph& graph_;
  NodeId node_;
  std::span<const std::vector<const Array*>> operands_;
};

}  // namespace tutti::ir
