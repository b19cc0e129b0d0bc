#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::ir {

// A graph whose nodes are merged into units, step by step, such that the units stay free of cycles.
//
// The units are kept in a topological order all the time, so that whether a merge would close a
// cycle is found by looking at what lies between the two units only (after Pearce and Kelly, "A
// dynamic topological sort algorithm for directed acyclic graphs", 2006). The search gives up after
// a fixed number of steps and then refuses the merge: n merges take time about linear in n.
//
// Aliases are looked through. Each collective depends on the one before it, and a wait on what was
// started before it: a peer may wait for that first.
class UnitGraph {
 public:
  // `sources` is look_through_aliases(graph).
  UnitGraph(const Graph& graph, std::span<const Value> sources);

  // The unit of a node: one of its members.
  NodeId unit(NodeId node) const { return unit_[node]; }
  std::span<const NodeId> members(NodeId unit) const { return members_[unit]; }
  // The nodes that depend on a node, perhaps with repetitions.
  std::span<const NodeId> successors(NodeId node) const {
    return {successors_.data() + first_successor_[node],
            successors_.data() + first_successor_[node + 1]};
  }
  // Whether unit a comes before b in the topological order.
  bool before(NodeId a, NodeId b) const { return label_[a] < label_[b]; }

  // Makes two units one and returns it; nothing if that would, or might, close a cycle.
  std::optional<NodeId> merge(NodeId a, NodeId b);
  // Makes every node of these units a unit of its own again.
  void dissolve(std::span<const NodeId> units);

 private:
  std::optional<std::vector<NodeId>> dependents_between(NodeId first, NodeId last);
  void unlink(NodeId unit);
  void link_after(NodeId place, std::span<const NodeId> units);
  void relabel();

  std::vector<NodeId> first_successor_;
  std::vector<NodeId> successors_;
  std::vector<NodeId> unit_;                  // [node]
  std::vector<std::vector<NodeId>> members_;  // [unit]
  std::vector<NodeId> next_;                  // [unit], the topological order as a ring
  std::vector<NodeId> previous_;
  std::vector<std::uint64_t> label_;    // [unit], growing along the order
  std::vector<std::uint32_t> visited_;  // [unit], the last search that came by
  std::uint32_t search_ = 0;
};

}  // namespace tutti::ir
