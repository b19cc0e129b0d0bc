#pragma once

#include <tutti/ir/graph.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tutti::ir {

// A function that a node runs: a loop's body or condition, a branch. It has no other inputs than
// its parameters. Immutable, so that nodes and graphs share it.
class Function {
 public:
  // Loops inside of loops, and so on.
  static constexpr int kMostLevels = 32;

  // Throws TypeError if functions are nested more than kMostLevels deep.
  explicit Function(Graph graph);

  const Graph& graph() const { return graph_; }
  // Found once: functions with equal hashes are taken as equal. It is that of the graph's structure
  // and of the lines of its collectives, by which ranks tell their calls apart, and of its
  // observations, which say them.
  const Hash128& hash() const { return hash_; }
  // The groups whose collectives it calls, itself or in functions that it runs, each once.
  const std::vector<GroupPtr>& groups() const { return groups_; }
  // 1 if no node of it runs a function.
  int levels() const { return levels_; }

  std::vector<Type> parameter_types() const;
  std::vector<Type> result_types() const;

 private:
  Graph graph_;
  Hash128 hash_;
  std::vector<GroupPtr> groups_;
  int levels_ = 1;
};

// The functions that an attribute holds, in order; most hold none.
std::span<const FunctionPtr> functions_of(const Attribute& attribute);
// Whether ranks meet in a node: it is a collective, or runs functions that have some. Such nodes
// keep their order, and are never dropped, merged or repeated.
bool communicates(const Graph& graph, NodeId id);
bool communicates(std::span<const Attribute> attributes);
bool communicates(std::span<const FunctionPtr> functions);
// The groups that do.
std::vector<GroupPtr> groups_met_in(const Graph& graph, NodeId id);

// Whether any node of the graph runs a function.
bool has_functions(const Graph& graph);

// The functions that nodes of the graph run, and those that these run, each once and behind all
// that it runs.
std::vector<FunctionPtr> all_functions(const Graph& graph);
// Those of one node.
std::vector<FunctionPtr> all_functions(const Node& node);

// The graph with only some of its parameters; nothing uses the others.
Graph with_parameters(const Graph& graph, const std::vector<bool>& keep);

// Rebuilds the functions that nodes run, and the functions in these, in the order of
// all_functions(): `change` gets a copy of each and says whether it changed it. One that several
// nodes share is changed once.
// Returns whether any was.
bool change_functions(Graph& graph, const std::function<bool(Graph&)>& change);

}  // namespace tutti::ir
