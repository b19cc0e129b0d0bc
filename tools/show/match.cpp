#include "tools/show/match.h"

#include <tutti/ir/support/hash.h>

#include <map>
#include <unordered_map>

namespace tutti::tools::show {

namespace {

using ir::NodeId;
using ir::Value;

constexpr std::int64_t kNew = -1;

// The nodes of a graph by what they do, in order; each is taken once.
class Nodes {
 public:
  void add(const Hash128& key, NodeId id) { lists_[key].ids.push_back(id); }
  // The first one that `taken` does not hold; kNew if there is none.
  std::int64_t first(const Hash128& key, const std::vector<bool>& taken) {
    const auto found = lists_.find(key);
    if (found == lists_.end()) return kNew;
    List& list = found->second;
    while (list.next < list.ids.size() && taken[list.ids[list.next]]) ++list.next;
    return list.next < list.ids.size() ? static_cast<std::int64_t>(list.ids[list.next]) : kNew;
  }

 private:
  struct List {
    std::vector<NodeId> ids;
    std::size_t next = 0;
  };
  std::unordered_map<Hash128, List, Hash128Hasher> lists_;
};

// Op, attributes, types and source line; of a parameter its name. Not which kernel it belongs to.
Hasher shallow_hash(const ir::Graph& graph, NodeId id) {
  const ir::Node& node = graph.node(id);
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(node.op));
  for (const ir::Attribute& attribute : node.attributes) ir::hash_attribute(hasher, attribute);
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    // Devices are what the pass `place` writes into types; that makes no other node.
    ir::Type type = graph.type(graph.result(id, i));
    type.device = {};
    ir::hash_type(hasher, type);
  }
  hasher.add(node.location.file()).add(static_cast<std::uint64_t>(node.location.line()));
  hasher.add(static_cast<std::uint64_t>(node.operand_count));
  return hasher;
}

class Matcher {
 public:
  Matcher(const ir::Graph& before, const ir::Graph& after)
      : before_(before),
        after_(after),
        taken_(before.node_count(), false),
        values_(after.value_count()),
        out_(after.node_count(), kNew) {}

  std::vector<std::int64_t> run() {
    match_parameters();
    Nodes exact;
    Nodes similar;
    for (NodeId id = 0; id < before_.node_count(); ++id) {
      if (before_.node(id).op == ir::Op::parameter) continue;
      Hasher hasher = shallow_hash(before_, id);
      similar.add(hasher.finish(), id);
      for (const Value operand : before_.operands(id)) {
        hasher.add(static_cast<std::uint64_t>(operand.id));
      }
      exact.add(hasher.finish(), id);
    }
    for (NodeId id = 0; id < after_.node_count(); ++id) {
      if (after_.node(id).op != ir::Op::parameter) match(exact, id, true);
    }
    for (NodeId id = 0; id < after_.node_count(); ++id) {
      if (out_[id] == kNew && after_.node(id).op != ir::Op::parameter) match(similar, id, false);
    }
    return std::move(out_);
  }

 private:
  // Passes keep them all, in their order.
  void match_parameters() {
    const auto& after = after_.parameters();
    const auto& before = before_.parameters();
    for (std::size_t i = 0; i < after.size() && i < before.size(); ++i) {
      if (after[i].name != before[i].name) continue;
      set(after_.producer(after[i].value), before_.producer(before[i].value));
    }
  }

  void match(Nodes& nodes, NodeId id, bool with_operands) {
    Hasher hasher = shallow_hash(after_, id);
    for (const Value operand : after_.operands(id)) {
      if (!with_operands) break;
      hasher.add(static_cast<std::uint64_t>(values_[operand.id].id));
    }
    const std::int64_t found = nodes.first(hasher.finish(), taken_);
    if (found != kNew) set(id, static_cast<NodeId>(found));
  }

  void set(NodeId after, NodeId before) {
    out_[after] = before;
    taken_[before] = true;
    for (std::uint32_t i = 0; i < after_.node(after).result_count; ++i) {
      values_[after_.result(after, i).id] = before_.result(before, i);
    }
  }

  const ir::Graph& before_;
  const ir::Graph& after_;
  std::vector<bool> taken_;    // of the nodes of `before`
  std::vector<Value> values_;  // what the values of `after` were
  std::vector<std::int64_t> out_;
};

}  // namespace

std::vector<std::int64_t> match_nodes(const ir::Graph& before, const ir::Graph& after) {
  return Matcher(before, after).run();
}

}  // namespace tutti::tools::show
