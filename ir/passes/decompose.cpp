#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/term.h>

namespace tutti::ir {

namespace {

// The parts are appended by Builder, so they are copied through as they are: no composite stands
// for other composites (checked here, since such a part would stay behind).
template <class Stays>
bool decompose_but(Graph& graph, Stays&& stays) {
  return rewrite(graph, [&stays](Rewriter& rewriter, NodeId id) {
    const Node& node = rewriter.from().node(id);
    const Definition& entry = definition(node.op);
    if (entry.kind != OpClass::composite) return false;
    if (stays(entry, rewriter.from(), id)) return false;
    const auto first = static_cast<NodeId>(rewriter.to().node_count());
    const std::vector<Value> operands = rewriter.map_operands(id);
    Decomposition parts(&rewriter.builder(), node.op, operands, node.attributes);
    entry.decompose(parts);
    for (NodeId part = first; part < rewriter.to().node_count(); ++part) {
      if (definition(rewriter.to().node(part).op).kind == OpClass::composite) {
        throw InternalError(std::string(entry.name) + " decomposes into the composite " +
                            std::string(name_of(rewriter.to().node(part).op)));
      }
    }
    rewriter.replace(id, parts.results());
    return true;
  });
}

}  // namespace

bool decompose(Graph& graph) {
  return decompose_but(graph, [](const Definition& entry, const Graph& from, NodeId id) {
    return entry.is_taken_whole != nullptr && entry.is_taken_whole(from, id);
  });
}

bool decompose_all(Graph& graph) {
  return decompose_but(graph, [](const Definition&, const Graph&, NodeId) { return false; });
}

bool decompose_nodes(Graph& graph, const std::vector<bool>& which) {
  return decompose_but(graph,
                       [&which](const Definition&, const Graph&, NodeId id) { return !which[id]; });
}

}  // namespace tutti::ir
