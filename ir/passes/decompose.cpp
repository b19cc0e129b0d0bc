#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/term.h>

#include <utility>
#include <vector>

namespace tutti::ir {

namespace {

// A composite that stands for others stands for ones that don't.
constexpr int kMostNested = 4;
enum class Outcome : std::uint8_t { nothing, done, again };

// The parts are appended by Builder, so they are copied through as they are; composites among them
// have their turn in another round, if those are to be taken apart too.
template <class Stays, class PartStays>
bool decompose_but(Graph& graph, Stays&& stays, PartStays&& part_stays) {
  std::vector<bool> next;  // by node: what another round takes apart
  const auto round = [&](auto&& is_left) {
    std::vector<NodeId> found;
    const bool changed = rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
      const Node& node = rewriter.from().node(id);
      const Definition& entry = definition(node.op);
      if (entry.kind != OpClass::composite) return false;
      if (is_left(entry, rewriter.from(), id)) return false;
      const auto first = static_cast<NodeId>(rewriter.to().node_count());
      const std::vector<Value> operands = rewriter.map_operands(id);
      Decomposition parts(&rewriter.builder(), node.op, operands, node.attributes);
      entry.decompose(parts);
      for (NodeId part = first; part < rewriter.to().node_count(); ++part) {
        const Definition& own = definition(rewriter.to().node(part).op);
        if (own.kind == OpClass::composite && !part_stays(own, rewriter.to(), part)) {
          found.push_back(part);
        }
      }
      rewriter.replace(id, parts.results());
      return true;
    });
    next.assign(graph.node_count(), false);
    for (const NodeId part : found) next[part] = true;
    return changed && !found.empty() ? Outcome::again : changed ? Outcome::done : Outcome::nothing;
  };
  Outcome outcome = round(stays);
  const bool changed = outcome != Outcome::nothing;
  for (int rounds = 1; outcome == Outcome::again; ++rounds) {
    if (rounds == kMostNested) throw InternalError("composites decompose into each other");
    const std::vector<bool> which = std::exchange(next, {});
    outcome = round([&which](const Definition&, const Graph&, NodeId id) { return !which[id]; });
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
