#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/term.h>

#include <vector>

namespace tutti::ir {

namespace {

// A composite that stands for others stands for ones that don't.
constexpr int kMostNested = 4;

// The parts are appended by Builder, so they are copied through as they are; composites among them
// have their turn in another round, if those are to be taken apart too.
template <class Stays, class PartStays>
bool decompose_but(Graph& graph, Stays&& stays, PartStays&& part_stays) {
  std::vector<NodeId> left;  // what another round takes apart
  const auto round = [&](auto&& is_kept) {
    left.clear();
    return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
      const Node& node = rewriter.from().node(id);
      const Definition& entry = definition(node.op);
      if (entry.kind != OpClass::composite) return false;
      if (is_kept(entry, rewriter.from(), id)) return false;
      const auto first = static_cast<NodeId>(rewriter.to().node_count());
      const std::vector<Value> operands = rewriter.map_operands(id);
      Decomposition parts(&rewriter.builder(), node.op, operands, node.attributes);
      entry.decompose(parts);
      for (NodeId part = first; part < rewriter.to().node_count(); ++part) {
        const Definition& own = definition(rewriter.to().node(part).op);
        if (own.kind == OpClass::composite && !part_stays(own, rewriter.to(), part)) {
          left.push_back(part);
        }
      }
      rewriter.replace(id, parts.results());
      return true;
    });
  };
  const bool changed = round(stays);
  for (int rounds = 1; !left.empty(); ++rounds) {
    if (rounds == kMostNested) throw InternalError("composites decompose into each other");
    std::vector<bool> which(graph.node_count());
    for (const NodeId part : left) which[part] = true;
    round([&which](const Definition&, const Graph&, NodeId id) { return !which[id]; });
  }
  return changed;
}

}  // namespace

bool decompose(Graph& graph) {
  const auto stays = [](const Definition& entry, const Graph& of, NodeId id) {
    return entry.is_taken_whole != nullptr && entry.is_taken_whole(of, id);
  };
  return decompose_but(graph, stays, stays);
}

bool decompose_all(Graph& graph) {
  const auto none = [](const Definition&, const Graph&, NodeId) { return false; };
  return decompose_but(graph, none, none);
}

bool decompose_nodes(Graph& graph, const std::vector<bool>& which) {
  return decompose_but(
      graph, [&which](const Definition&, const Graph&, NodeId id) { return !which[id]; },
      [](const Definition&, const Graph&, NodeId) { return false; });
}

}  // namespace tutti::ir
