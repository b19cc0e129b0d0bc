#include <tutti/ir/function.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/unit_graph.h>

#include <algorithm>
#include <numeric>

namespace tutti::ir {

namespace {

// How many edges a search for a cycle follows before it gives up.
constexpr int kMostSteps = 2000;
// The distance of labels of neighbours after relabelling, and the most that is left between units
// that are moved into such a gap: thousands of moves to one place fit before the next relabelling.
constexpr std::uint64_t kGap = std::uint64_t{1} << 36;
constexpr std::uint64_t kMostStride = std::uint64_t{1} << 16;

}  // namespace

UnitGraph::UnitGraph(const Graph& graph, std::span<const Value> sources)
    : unit_(graph.node_count()),
      members_(graph.node_count()),
      next_(graph.node_count() + 1),
      previous_(graph.node_count() + 1),
      label_(graph.node_count() + 1),
      visited_(graph.node_count() + 1, 0) {
  const auto count = static_cast<NodeId>(graph.node_count());
  std::vector<std::pair<NodeId, NodeId>> edges;
  NodeId last_collective = count;
  for (NodeId id = 0; id < count; ++id) {
    if (is_alias(graph.node(id).op)) continue;
    for (const Value operand : graph.operands(id)) {
      edges.emplace_back(graph.producer(sources[operand.id]), id);
    }
    const bool waits = graph.node(id).op == Op::wait;
    if (waits && last_collective != count) edges.emplace_back(last_collective, id);
    if (!communicates(graph, id)) continue;
    if (last_collective != count) edges.emplace_back(last_collective, id);
    last_collective = id;
  }
  first_successor_.assign(count + 1, 0);
  for (const auto& [from, to] : edges) ++first_successor_[from + 1];
  std::partial_sum(first_successor_.begin(), first_successor_.end(), first_successor_.begin());
  std::vector<NodeId> at(first_successor_.begin(), first_successor_.end() - 1);
  successors_.resize(edges.size());
  for (const auto& [from, to] : edges) successors_[at[from]++] = to;

  std::iota(unit_.begin(), unit_.end(), 0);
  for (NodeId id = 0; id < count; ++id) members_[id] = {id};
  // Element `count` closes the ring: it is before the first and after the last.
  for (NodeId id = 0; id <= count; ++id) {
    next_[id] = id == count ? 0 : id + 1;
    previous_[id] = id == 0 ? count : id - 1;
  }
  relabel();
}

// The units between two others that depend on the first; nothing if the last depends on one of
// them, or if there are too many to tell.
std::optional<std::vector<NodeId>> UnitGraph::dependents_between(NodeId first, NodeId last) {
  ++search_;
  std::vector<NodeId> found = {first};
  int steps = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const NodeId member : members_[found[i]]) {
      for (const NodeId successor : successors(member)) {
        if (++steps > kMostSteps) return std::nullopt;
        const NodeId next = unit_[successor];
        if (next == found[i] || label_[next] > label_[last]) continue;
        if (next == last) {
          if (i != 0) return std::nullopt;
          continue;
        }
        if (visited_[next] == search_) continue;
        visited_[next] = search_;
        found.push_back(next);
      }
    }
  }
  found.erase(found.begin());
  return found;
}

std::optional<NodeId> UnitGraph::merge(NodeId a, NodeId b) {
  if (before(b, a)) std::swap(a, b);
  std::optional<std::vector<NodeId>> dependents = dependents_between(a, b);
  if (!dependents) return std::nullopt;
  // The merged unit takes b's place, and what depends on a moves behind it.
  std::sort(dependents->begin(), dependents->end(),
            [&](NodeId x, NodeId y) { return before(x, y); });
  for (const NodeId unit : *dependents) unlink(unit);
  link_after(b, *dependents);
  unlink(a);
  // The larger vector stays; the unit keeps b's name and place.
  if (members_[a].size() > members_[b].size()) members_[a].swap(members_[b]);
  members_[b].insert(members_[b].end(), members_[a].begin(), members_[a].end());
  for (const NodeId member : members_[b]) unit_[member] = b;
  members_[a].clear();
  return b;
}

void UnitGraph::dissolve(std::span<const NodeId> units) {
  for (const NodeId unit : units) {
    std::vector<NodeId> nodes = std::move(members_[unit]);
    std::sort(nodes.begin(), nodes.end());
    const NodeId place = previous_[unit];
    unlink(unit);
    for (const NodeId node : nodes) {
      unit_[node] = node;
      members_[node] = {node};
    }
    link_after(place, nodes);
  }
}

void UnitGraph::unlink(NodeId unit) {
  next_[previous_[unit]] = next_[unit];
  previous_[next_[unit]] = previous_[unit];
}

void UnitGraph::link_after(NodeId place, std::span<const NodeId> units) {
  const NodeId after = next_[place];
  // The ring's closing element has label 0 and stands for "no bound" at the end.
  const std::uint64_t low = label_[place];
  const std::uint64_t high = label_[after] == 0 ? low + kGap : label_[after];
  const std::uint64_t stride = std::min((high - low) / (units.size() + 1), kMostStride);
  // At the end of the gap, so that the room behind `place`, where the next ones come, stays.
  std::uint64_t label = high - stride * units.size();
  for (const NodeId unit : units) {
    label_[unit] = label;
    label += stride;
    next_[place] = unit;
    previous_[unit] = place;
    place = unit;
  }
  next_[place] = after;
  previous_[after] = place;
  if (stride == 0) relabel();
}

void UnitGraph::relabel() {
  const auto end = static_cast<NodeId>(unit_.size());
  std::uint64_t label = 0;
  label_[end] = 0;
  for (NodeId unit = next_[end]; unit != end; unit = next_[unit]) label_[unit] = label += kGap;
}

}  // namespace tutti::ir
