#include <tutti/ir/function.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/order_units.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/recompute.h>
#include <tutti/ir/passes/unit_graph.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>

// How groups are found: every node starts as a group of its own. From the last node to the first,
// each is merged with the groups of its consumers where the rules of fuse.h allow it. Consumers
// come first since they decide what must be written to memory: what only the backward pass needs is
// computed there, not in the forward kernel beside it.
//
// Then siblings: groups of one frame that read the same array become one, if neither has to wait
// for a library call or a collective that the other does not wait for, and no collective has to
// wait for what it does not need.
//
// Going backward, a row (rsqrt(variance + epsilon)) is met before the reduction that it comes from.
// So a forward sweep notes which reduction each row descends from, and a group takes that one's
// frame on trust. Groups whose reduction does not arrive are taken apart again, and views that turn
// out to read from outside leave their groups.
namespace tutti::ir {

namespace {

// How many of a node's consumers are tried; more would cost time and gain little.
constexpr int kMostAttempts = 16;

class Fusion {
 public:
  explicit Fusion(const Graph& graph)
      : graph_(graph),
        count_(static_cast<NodeId>(graph.node_count())),
        sources_(look_through_aliases(graph)),
        units_(graph, sources_),
        shares_(count_, false),
        member_(count_, false),
        is_result_(count_, false),
        row_of_(count_, kNoNode),
        frames_(count_) {
    for (const Value value : graph.results()) is_result_[source(value)] = true;
    for (NodeId id = 0; id < count_; ++id) prepare(id);
  }

  void merge_groups() {
    for (NodeId id = count_; id-- > 0;) merge_with_consumers(id);
    take_apart_rows_without_reduction();
    merge_siblings();
    drop_views();
  }

  // A number per group, -1 for nodes in none.
  std::vector<std::int32_t> groups() const {
    std::vector<std::int32_t> out(count_, -1);
    for (NodeId id = 0; id < count_; ++id) {
      if (member_[id]) out[id] = static_cast<std::int32_t>(units_.unit(id));
    }
    return out;
  }
  std::span<const Value> sources() const { return sources_; }

 private:
  NodeId source(Value value) const { return graph_.producer(sources_[value.id]); }
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  OpClass kind(NodeId id) const { return definition(graph_.node(id).op).kind; }

  void prepare(NodeId id) {
    const std::optional<FusionFrame> frame = frame_of(graph_, id);
    if (!frame) return;
    frames_[id] = *frame;
    const Shape& result = shape(graph_.result(id));
    if (kind(id) == OpClass::reduce) {
      member_[id] = true;
      shares_[id] = place_of(result, *frame) != FusionPlace::full;
      if (shares_[id]) row_of_[id] = id;
      return;
    }
    member_[id] = shares_[id] = kind(id) == OpClass::elementwise;
    if (kind(id) == OpClass::view && units_.successors(id).empty()) return;
    for (const Value operand : graph_.operands(id)) {
      const NodeId reduction = row_of_[source(operand)];
      if (reduction == kNoNode || !may_read(graph_, frames_[reduction], shape(operand), id))
        continue;
      member_[id] = shares_[id] = true;
      if (place_of(result, frames_[reduction]) == FusionPlace::full) continue;
      row_of_[id] = reduction;
      break;
    }
  }

  void merge_with_consumers(NodeId id) {
    if (!shares_[id]) return;
    std::vector<NodeId> consumers;
    for (const NodeId successor : units_.successors(id)) {
      if (shares_[successor]) consumers.push_back(units_.unit(successor));
    }
    // Groups that sum columns come last: they take nothing in that reads a row.
    const auto sums_columns = [&](NodeId unit) {
      return frames_[unit].axes != 0 && !frames_[unit].reduces_rows();
    };
    std::sort(consumers.begin(), consumers.end(), [&](NodeId a, NodeId b) {
      if (sums_columns(a) != sums_columns(b)) return sums_columns(b);
      return units_.before(a, b);
    });
    consumers.erase(std::unique(consumers.begin(), consumers.end()), consumers.end());
    int attempts = 0;
    for (const NodeId consumer : consumers) {
      const NodeId a = units_.unit(id);
      const NodeId b = units_.unit(consumer);
      if (a == b) continue;
      const std::optional<FusionFrame> frame = common_frame(a, b, row_of_[id]);
      if (!frame || !fits(*frame, a, b)) continue;
      if (++attempts > kMostAttempts) return;
      if (const std::optional<NodeId> merged = units_.merge(a, b)) frames_[*merged] = *frame;
    }
  }

  // The frame of two units together; `reduction` is the one that the edge between them descends
  // from.
  std::optional<FusionFrame> common_frame(NodeId a, NodeId b, NodeId reduction) const {
    const FusionFrame& x = frames_[a];
    const FusionFrame& y = frames_[b];
    if (x.device != y.device) return std::nullopt;
    if (x.shape == y.shape) {
      if (x.axes == 0 || x.axes == y.axes) return y;
      return y.axes == 0 ? std::optional(x) : std::nullopt;
    }
    if (x.axes != 0 && y.axes != 0) return std::nullopt;
    if (place_of(y.shape, x) != FusionPlace::none) return x;
    if (place_of(x.shape, y) != FusionPlace::none) return y;
    if (reduction == kNoNode || x.axes != 0 || y.axes != 0) return std::nullopt;
    const FusionFrame& promised = frames_of_node(reduction);
    const bool both = place_of(x.shape, promised) != FusionPlace::none &&
                      place_of(y.shape, promised) != FusionPlace::none;
    return both ? std::optional(promised) : std::nullopt;
  }
  // A reduction's own frame is its unit's: reductions never take another.
  const FusionFrame& frames_of_node(NodeId reduction) const {
    return frames_[units_.unit(reduction)];
  }

  // Whether all edges inside the two units are legal in the frame, and the limits hold.
  bool fits(const FusionFrame& frame, NodeId a, NodeId b) const {
    if (units_.members(a).size() + units_.members(b).size() > kMaxFusionMembers) return false;
    const auto inside = [&](NodeId node) {
      return units_.unit(node) == a || units_.unit(node) == b;
    };
    std::vector<Value> inputs;
    std::size_t outputs = 0;
    for (const NodeId unit : {a, b}) {
      for (const NodeId member : units_.members(unit)) {
        for (const Value operand : graph_.operands(member)) {
          if (!inside(source(operand))) {
            if (is_read_from_memory(source(operand))) inputs.push_back(sources_[operand.id]);
            // If the reduction does not arrive, the view leaves and is read itself.
            if (kind(member) == OpClass::view) inputs.push_back(graph_.result(member));
          } else if (!may_read(graph_, frame, shape(operand), member)) {
            return false;
          }
        }
        const auto readers = units_.successors(member);
        if (is_result_[member] || !std::all_of(readers.begin(), readers.end(), inside)) ++outputs;
      }
    }
    std::sort(inputs.begin(), inputs.end());
    const auto distinct = std::unique(inputs.begin(), inputs.end()) - inputs.begin();
    return static_cast<std::size_t>(distinct) <= kMaxFusionInputs && outputs <= kMaxFusionOutputs;
  }

  bool is_read_from_memory(NodeId id) const {
    const Op op = graph_.node(id).op;
    if (op == Op::constant) return shape(graph_.result(id)).elements() > 1;
    return op != Op::iota;
  }

  void take_apart_rows_without_reduction() {
    std::vector<NodeId> broken;
    std::vector<NodeId> nodes;
    for (NodeId id = 0; id < count_; ++id) {
      if (units_.unit(id) != id || frames_[id].axes == 0) continue;
      const auto members = units_.members(id);
      if (std::any_of(members.begin(), members.end(),
                      [&](NodeId member) { return kind(member) == OpClass::reduce; })) {
        continue;
      }
      broken.push_back(id);
      nodes.insert(nodes.end(), members.begin(), members.end());
    }
    units_.dissolve(broken);
    for (const NodeId id : nodes) {
      frames_[id] = *frame_of(graph_, id);
      row_of_[id] = kNoNode;
      member_[id] = shares_[id] = kind(id) == OpClass::elementwise;
    }
    std::sort(nodes.begin(), nodes.end(), std::greater<>());
    for (const NodeId id : nodes) merge_with_consumers(id);
  }

  // How many library calls and collectives come before each node, one after another.
  std::vector<std::uint32_t> find_depths() const {
    std::vector<std::uint32_t> depths(count_, 0);
    for (NodeId id = 0; id < count_; ++id) {
      for (const Value operand : graph_.operands(id)) {
        depths[id] = std::max(depths[id], depths[graph_.producer(operand)]);
      }
      const OpClass own = kind(id);
      const bool counts = own != OpClass::elementwise && own != OpClass::reduce &&
                          own != OpClass::view && own != OpClass::make && own != OpClass::parameter;
      if (counts) ++depths[id];
    }
    return depths;
  }

  // Whether a collective takes what comes of a node, no library call being between.
  std::vector<bool> find_urgent() const {
    std::vector<bool> urgent(count_, false);
    for (NodeId id = count_; id-- > 0;) {
      const OpClass own = kind(id);
      const bool passes_on =
          own == OpClass::elementwise || own == OpClass::reduce || own == OpClass::view;
      if (!communicates(graph_, id) && !(urgent[id] && passes_on)) continue;
      for (const Value operand : graph_.operands(id)) urgent[graph_.producer(operand)] = true;
    }
    return urgent;
  }

  void merge_siblings() {
    const std::vector<std::uint32_t> depths = find_depths();
    const std::vector<bool> urgent = find_urgent();
    const auto is_urgent = [&](NodeId unit) {
      const auto members = units_.members(unit);
      return std::any_of(members.begin(), members.end(),
                         [&](NodeId member) { return urgent[member]; });
    };
    const auto depth_of = [&](NodeId unit) {
      std::uint32_t depth = 0;
      for (const NodeId member : units_.members(unit)) depth = std::max(depth, depths[member]);
      return depth;
    };
    for (NodeId id = 0; id < count_; ++id) {
      // Each reader's group with the one before it, if these two go together.
      NodeId before = kNoNode;
      int attempts = 0;
      for (const NodeId reader : units_.successors(id)) {
        if (!shares_[reader] || kind(reader) == OpClass::view) continue;
        const NodeId unit = units_.unit(reader);
        if (unit == units_.unit(id) || frames_[unit].shape != shape(graph_.result(id))) continue;
        if (before == kNoNode || units_.unit(before) == unit) {
          before = reader;
          continue;
        }
        const NodeId other = units_.unit(before);
        before = reader;
        if (frames_[other] != frames_[unit] || depth_of(other) != depth_of(unit) ||
            is_urgent(other) != is_urgent(unit)) {
          continue;
        }
        if (!fits(frames_[unit], other, unit)) continue;
        if (++attempts > kMostAttempts) break;
        const FusionFrame frame = frames_[unit];
        if (const auto merged = units_.merge(other, unit)) frames_[*merged] = frame;
      }
    }
  }

  // Views that read from outside, or that nobody inside reads, are no members.
  void drop_views() {
    const auto together = [&](NodeId a, NodeId b) {
      return member_[a] && member_[b] && units_.unit(a) == units_.unit(b);
    };
    for (NodeId id = 0; id < count_; ++id) {
      if (!member_[id] || kind(id) != OpClass::view) continue;
      member_[id] = together(id, source(graph_.operand(id, 0)));
    }
    for (NodeId id = count_; id-- > 0;) {
      if (!member_[id] || kind(id) != OpClass::view) continue;
      const auto readers = units_.successors(id);
      member_[id] = std::any_of(readers.begin(), readers.end(),
                                [&](NodeId reader) { return together(id, reader); });
    }
  }

  const Graph& graph_;
  const NodeId count_;
  const std::vector<Value> sources_;
  UnitGraph units_;
  std::vector<bool> shares_;         // [node], may be in one group with others
  std::vector<bool> member_;         // [node], is in a group
  std::vector<bool> is_result_;      // [node], the function returns it
  std::vector<NodeId> row_of_;       // [node], the reduction that a row descends from
  std::vector<FusionFrame> frames_;  // [unit]
};

bool needs_group(const Graph& graph, NodeId id) {
  const OpClass kind = definition(graph.node(id).op).kind;
  return kind == OpClass::elementwise || kind == OpClass::reduce;
}

// A graph that has its groups keeps them: found again in the new order, they might come out in
// another way.
bool is_fused(const Graph& graph) {
  bool any = false;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (!needs_group(graph, id)) continue;
    if (graph.node(id).fusion < 0) return false;
    any = true;
  }
  return any;
}

}  // namespace

bool fuse(Graph& graph) {
  if (is_fused(graph)) return false;
  Fusion fusion(graph);
  fusion.merge_groups();
  const std::vector<std::int32_t> groups = fusion.groups();
  const std::vector<NodeId> order = order_units(graph, fusion.sources(), groups);

  // Groups are numbered in their new order.
  Graph out = reordered(graph, order);
  std::vector<std::int32_t> numbers(graph.node_count(), -1);
  std::int32_t next = 0;
  bool changed = !std::is_sorted(order.begin(), order.end());
  for (NodeId id = 0; id < out.node_count(); ++id) {
    std::int32_t number = -1;
    if (const std::int32_t group = groups[order[id]]; group >= 0) {
      std::int32_t& known = numbers[static_cast<std::size_t>(group)];
      if (known < 0) known = next++;
      number = known;
    }
    changed = changed || number != out.node(id).fusion;
    out.set_fusion(id, number);
  }
  changed = recompute_cheap_values(out) || changed;
  if (changed) graph = std::move(out);
  return changed;
}

}  // namespace tutti::ir
