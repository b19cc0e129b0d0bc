#pragma once

#include <tutti/ir/function.h>

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tutti::ir {

// The operands of a node that its results are computed of, which are its first ones: what is made
// like a value needs its type alone, and a barrier's other operands only say when.
std::span<const Value> computed_of(const Graph& graph, NodeId id);

// Which operands a node's results are computed of; through the functions that it runs each of its
// results is followed by itself.
class ValueUse {
 public:
  // By operand: whether any of the marked results needs its elements.
  std::vector<bool> operands(const Graph& graph, NodeId id, const std::vector<bool>& results);

 private:
  std::vector<bool> of_branches(const Graph& graph, NodeId id, const std::vector<bool>& results);
  std::vector<bool> of_loop(const Graph& graph, NodeId id, std::vector<bool> results);
  std::vector<bool> parameters(const Function& function, const std::vector<bool>& results);

  // Many nodes may run one function, which is not to be gone through again by each.
  std::map<std::pair<const Function*, std::vector<bool>>, std::vector<bool>> known_;
};

}  // namespace tutti::ir
