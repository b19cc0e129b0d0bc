#include <tutti/ir/function.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/order_units.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace tutti::ir {

namespace {

class Ordering {
 public:
  Ordering(const Graph& graph, std::span<const Value> sources,
           std::span<const std::int32_t> group_of)
      : graph_(graph),
        sources_(sources),
        count_(static_cast<NodeId>(graph.node_count())),
        unit_(count_),
        lazy_(count_, false),
        anchor_(count_),
        members_(count_),
        done_(count_, false) {
    find_units(group_of);
    find_lazy_nodes(group_of);
    find_edges();
  }

  std::vector<NodeId> run() {
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    std::size_t units = 0;
    for (NodeId unit = 0; unit < count_; ++unit) {
      if (members_[unit].empty()) continue;
      ++units;
      if (blockers_[unit] == 0) ready.push(unit);
    }
    for (; !ready.empty(); --units) {
      const NodeId unit = ready.top();
      ready.pop();
      emit_unit(unit);
      for (const NodeId next : dependents_[unit]) {
        if (--blockers_[next] == 0) ready.push(next);
      }
    }
    if (units != 0) {
      throw InternalError("a path leads out of a group of fused nodes and back into it, in @" +
                          graph_.name);
    }
    // What only the function's results, or nobody, waits for.
    for (NodeId id = 0; id < count_; ++id) {
      if (lazy_[id]) emit_lazy(id);
    }
    return std::move(order_);
  }

 private:
  NodeId source(Value value) const { return graph_.producer(sources_[value.id]); }

  // A unit is named by its first node, so that units compare by program order.
  void find_units(std::span<const std::int32_t> group_of) {
    std::vector<NodeId> first(count_, count_);  // [group]
    for (NodeId id = 0; id < count_; ++id) {
      unit_[id] = id;
      if (group_of[id] < 0) continue;
      NodeId& unit = first[static_cast<std::size_t>(group_of[id])];
      if (unit == count_) unit = id;
      unit_[id] = unit;
    }
    // Aliases between members.
    for (NodeId id = 0; id < count_; ++id) {
      if (group_of[id] < 0) continue;
      for (const Value operand : graph_.operands(id)) {
        if (group_of[source(operand)] != group_of[id]) continue;
        NodeId alias = graph_.producer(operand);
        while (unit_[alias] != unit_[id]) {
          unit_[alias] = unit_[id];
          alias = graph_.producer(graph_.operand(alias, 0));
        }
      }
    }
  }

  // A wait stands behind all that was started before it: a peer may wait for that first.
  void find_lazy_nodes(std::span<const std::int32_t> group_of) {
    NodeId last_collective = count_;
    for (NodeId id = 0; id < count_; ++id) {
      const OpClass kind = definition(graph_.node(id).op).kind;
      anchor_[id] = unit_[id];
      if (communicates(graph_, id)) last_collective = id;
      if (kind != OpClass::wait && (kind != OpClass::view || group_of[id] >= 0)) continue;
      if (graph_.operands(id).size() > 1) continue;  // optimization_barrier
      const NodeId producer = graph_.producer(graph_.operand(id, 0));
      const bool waits = kind == OpClass::wait;
      lazy_[id] = waits || lazy_[producer] || graph_.type(graph_.operand(id, 0)).async;
      if (lazy_[id]) anchor_[id] = anchor_[producer];
      if (waits && last_collective != count_) anchor_[id] = last_collective;
    }
  }

  void find_edges() {
    dependents_.resize(count_);
    blockers_.assign(count_, 0);
    const auto depend = [&](NodeId unit, NodeId on) {
      if (unit == on) return;
      dependents_[on].push_back(unit);
      ++blockers_[unit];
    };
    NodeId last_collective = count_;
    for (NodeId id = 0; id < count_; ++id) {
      if (lazy_[id]) continue;
      members_[unit_[id]].push_back(id);
      for (const Value operand : graph_.operands(id)) {
        depend(unit_[id], anchor_[graph_.producer(operand)]);
      }
      if (!communicates(graph_, id)) continue;
      if (last_collective != count_) depend(id, last_collective);
      last_collective = id;
    }
  }

  void emit_unit(NodeId unit) {
    for (const NodeId member : members_[unit]) {
      for (const Value operand : graph_.operands(member)) emit_lazy(graph_.producer(operand));
    }
    for (const NodeId member : members_[unit]) emit(member);
  }

  // A lazy node after the lazy ones that it views.
  void emit_lazy(NodeId id) {
    std::vector<NodeId> chain;
    for (; lazy_[id] && !done_[id]; id = graph_.producer(graph_.operand(id, 0)))
      chain.push_back(id);
    for (; !chain.empty(); chain.pop_back()) emit(chain.back());
  }

  void emit(NodeId id) {
    done_[id] = true;
    order_.push_back(id);
  }

  const Graph& graph_;
  const std::span<const Value> sources_;
  const NodeId count_;
  std::vector<NodeId> unit_;    // [node]
  std::vector<bool> lazy_;      // [node], waits, and views of these and of what is under way
  std::vector<NodeId> anchor_;  // [node], the unit after which a lazy node may stand; else its own
  std::vector<std::vector<NodeId>> members_;     // [unit], in program order
  std::vector<std::vector<NodeId>> dependents_;  // [unit]
  std::vector<std::uint32_t> blockers_;  // [unit], edges from units that are not emitted yet
  std::vector<bool> done_;               // [node]
  std::vector<NodeId> order_;
};

}  // namespace

std::vector<NodeId> order_units(const Graph& graph, std::span<const Value> sources,
                                std::span<const std::int32_t> group_of) {
  return Ordering(graph, sources, group_of).run();
}

}  // namespace tutti::ir
