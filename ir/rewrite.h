#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/graph.h>

#include <span>
#include <vector>

namespace tutti::ir {

// Appends a node of another graph, where `values` has what stands for that one's values, and gets
// what stands for its results. Types are inferred anew, but for keep_places; line and calls are the
// builder's.
void append_node(Builder& builder, const Graph& from, NodeId id, std::vector<Value>& values);

// Puts the results of a node that was made for another graph's, and that could lie anywhere, where
// that one's were put though they could, too: a constant's place is written, not inferred.
void keep_places(const Graph& from, NodeId id, Graph& to, NodeId made);

// How a pass changes a graph: it builds a new one, node by node in program order, and moves it over
// the old. A Rewriter keeps the new graph and which of its values stands for which old one. Names,
// mesh, default device, parameters, donation, lines and calls are kept; fusion ids are not, since
// they describe a graph that is no more.
class Rewriter {
 public:
  explicit Rewriter(const Graph& from);
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  const Graph& from() const { return from_; }
  const Graph& to() const { return to_; }
  // Appends to the new graph, at the line of the node that was visited last and for its calls.
  Builder& builder() { return builder_; }

  // The new value that stands for an old one, which must have been copied or replaced before.
  Value map(Value old) const;
  std::vector<Value> map_operands(NodeId old) const;
  // Appends an old node with its operands mapped.
  NodeId copy(NodeId old);
  // Lets values of the new graph stand for an old node's results; an invalid one for a result that
  // nobody uses. Their types must be the same, replication included: anything else is an
  // InternalError.
  void replace(NodeId old, std::span<const Value> results);
  void replace(NodeId old, Value result) { replace(old, std::span(&result, 1)); }
  // The new graph, with the old one's results. Last call.
  Graph finish();

 private:
  const Graph& from_;
  Graph to_;
  Builder builder_;
  std::vector<Value> values_;  // [old value]
};

// Rebuilds a graph. `visit(rewriter, id)` is called for every node but the parameters; it either
// says false, and the node is copied, or gives the node's results other values and says true.
// Returns whether any node was; if none was, the graph is left alone.
template <class Visit>
bool rewrite(Graph& graph, Visit&& visit) {
  Rewriter rewriter(graph);
  bool changed = false;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    rewriter.builder().at(graph.node(id).location).calls(graph.calls(id));
    if (graph.node(id).op != Op::parameter && visit(rewriter, id)) {
      changed = true;
    } else {
      rewriter.copy(id);
    }
  }
  if (changed) graph = rewriter.finish();
  return changed;
}

// The same graph with its nodes in another order, which must be topological, hold every node once
// and leave the parameters' order alone. Fusion ids are kept.
Graph reordered(const Graph& graph, std::span<const NodeId> order);

}  // namespace tutti::ir
