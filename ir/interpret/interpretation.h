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

  const Graph& graph() const { return graph_; }
  NodeId node() const { return node_; }
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

// A collective, or one message of it, as one rank's program calls it.
struct MemberCall {
  const Graph* graph;
  NodeId node;
  std::int64_t rank;
  std::vector<ArrayPtr> operands = {};
  std::vector<Value> results = {};
  std::shared_ptr<void> frame = nullptr;  // whose values the results are; the interpreter's

  Attributes attributes() const { return graph->attributes(node); }
};

// What a collective's reference meaning sees: the calls of all members of one group, in order.
class CollectiveInterpretation {
 public:
  explicit CollectiveInterpretation(std::span<const MemberCall> calls)
      : attributes(calls[0].attributes()), results(calls.size()), calls_(calls) {}

  int members() const { return static_cast<int>(calls_.size()); }
  int count() const { return static_cast<int>(calls_[0].operands.size()); }
  const Array& operand(int member, int i) const {
    return *call(member).operands[static_cast<std::size_t>(i)];
  }
  const Type& result_type(int member, int i) const {
    return call(member).graph->type(call(member).results[static_cast<std::size_t>(i)]);
  }
  // Adds a member's next result.
  void result(int member, Array array) {
    results[static_cast<std::size_t>(member)].push_back(std::move(array));
  }
  // Of the attributes that may differ from member to member.
  Attributes attributes_of(int member) const { return call(member).attributes(); }

  const Attributes attributes;              // of the first member
  std::vector<std::vector<Array>> results;  // [member][result]

 private:
  const MemberCall& call(int member) const { return calls_[static_cast<std::size_t>(member)]; }

  std::span<const MemberCall> calls_;
};

}  // namespace tutti::ir
