#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/support/hash.h>

#include <vector>

namespace tutti::ir {

// Which node of one graph is which of another, as far as that can be told: what was put in or taken
// out does not move the rest.
struct GraphMatch {
  std::vector<NodeId> in_b;  // by node of a; kNoNode: it has no counterpart
  std::vector<NodeId> in_a;
  // By node, a hash of all it computes, from the parameters on: counterparts with equal hashes are
  // equal in all that they depend on.
  std::vector<Hash128> computes_a;
  std::vector<Hash128> computes_b;
};

// In O(n log n). Nodes are matched, in this order, by what they compute and what is computed from
// them; by the former; by the latter; by op, attributes and types, in the order of the programs;
// and by operands or uses that match already.
GraphMatch match_graphs(const Graph& a, const Graph& b);

}  // namespace tutti::ir
