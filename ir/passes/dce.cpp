#include <tutti/ir/function.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>

namespace tutti::ir {

namespace {

// A parameter is part of the function's signature, and a collective takes place whether or not this
// rank looks at its result: the other ranks take part in it.
bool always_kept(const Graph& graph, NodeId id) {
  return graph.node(id).op == Op::parameter || communicates(graph, id);
}

}  // namespace

bool dce(Graph& graph) {
  const auto count = static_cast<NodeId>(graph.node_count());
  std::vector<bool> needed(count, false);
  for (const Value value : graph.results()) needed[graph.producer(value)] = true;
  NodeId kept = 0;
  for (NodeId id = count; id-- > 0;) {
    if (!needed[id] && !always_kept(graph, id)) continue;
    needed[id] = true;
    ++kept;
    for (const Value operand : graph.operands(id)) needed[graph.producer(operand)] = true;
  }
  if (kept == count) return false;

  Rewriter rewriter(graph);
  for (NodeId id = 0; id < count; ++id) {
    if (needed[id]) rewriter.copy(id);
  }
  graph = rewriter.finish();
  return true;
}

}  // namespace tutti::ir
