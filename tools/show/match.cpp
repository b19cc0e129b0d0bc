#include "tools/show/match.h"

#include <tutti/ir/support/hash.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

namespace tutti::tools::show {

namespace {

using ir::NodeId;
using ir::Value;

constexpr std::int64_t kNew = -1;

// The nodes of a graph by what they do, in order; each is taken once.
class Nodes {
 public:
  void add(const Hash128& key, NodeId id) { lists_[key].ids.push_back(id); }

  // Of the next few that `taken` does not hold, the first with the highest score; kNew if there is
  // none.
  template <class Score>
  std::int64_t best(const Hash128& key, const std::vector<bool>& taken, Score&& score) {
    const auto found = lists_.find(key);
    if (found == lists_.end()) return kNew;
    List& list = found->second;
    while (list.next < list.ids.size() && taken[list.ids[list.next]]) ++list.next;
    std::int64_t out = kNew;
    int highest = -1;
    for (std::size_t i = list.next; i < std::min(list.next + kMostTried, list.ids.size()); ++i) {
      if (taken[list.ids[i]]) continue;
      const int own = score(list.ids[i]);
      if (own > highest) {
        highest = own;
        out = list.ids[i];
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t kMostTried = 8;  // which keeps the whole linear

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
  struct Entry {
    NodeId id;
    Hash128 key;  // what it does
  };
  static constexpr std::size_t kFarthest = 100;  // which keeps the whole linear

 public:
  Matcher(const ir::Graph& before, const ir::Graph& after)
      : before_(before),
        after_(after),
        taken_(before.node_count(), false),
        values_(after.value_count()),
        out_(after.node_count(), kNew) {}

  std::vector<std::int64_t> run() {
    match_parameters();
    align();
    match_moved();
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

  // Goes through both in order, past what only one has, as far as it is not too long.
  void align() {
    for (NodeId id = 0; id < before_.node_count(); ++id) {
      if (before_.node(id).op != ir::Op::parameter) old_.push_back({id, key(before_, id)});
    }
    for (NodeId id = 0; id < after_.node_count(); ++id) {
      if (after_.node(id).op != ir::Op::parameter) new_.push_back({id, key(after_, id)});
    }
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < old_.size() && j < new_.size()) {
      if (!fits(i, j) && !find_next(i, j)) {
        ++i;
        ++j;
      } else {
        set(new_[j++].id, old_[i++].id);
      }
    }
  }

  static Hash128 key(const ir::Graph& graph, NodeId id) { return shallow_hash(graph, id).finish(); }

  // Moves on to the nearest two nodes from where both go on alike.
  bool find_next(std::size_t& i, std::size_t& j) const {
    for (std::size_t distance = 1; distance <= kFarthest; ++distance) {
      for (std::size_t skipped = 0; skipped <= distance; ++skipped) {
        const std::size_t old = i + skipped;
        const std::size_t next = j + distance - skipped;
        if (old >= old_.size() || next >= new_.size() || !fits(old, next)) continue;
        const bool last = old + 1 == old_.size() || next + 1 == new_.size();
        if (!last && !fits(old + 1, next + 1)) continue;
        i = old;
        j = next;
        return true;
      }
    }
    return false;
  }

  // Whether two nodes do the same, with operands that may be the same.
  bool fits(std::size_t i, std::size_t j) const {
    if (old_[i].key != new_[j].key) return false;
    const auto [same, other] = compare_operands(old_[i].id, new_[j].id);
    return same > 0 || other == 0;
  }

  // How many operands are the same, and how many are known to be others: one in whose place there
  // was another that is gone may be what that was replaced by.
  std::pair<int, int> compare_operands(NodeId before, NodeId after) const {
    const std::size_t count = after_.operands(after).size();
    if (count == 2) {  // of one that commutes, a pass may put the second one first
      const Value first = values_[after_.operand(after, 0).id];
      const Value second = values_[after_.operand(after, 1).id];
      const bool swapped =
          first == before_.operand(before, 1) && second == before_.operand(before, 0);
      if (swapped) return {2, 0};
    }
    int same = 0;
    int other = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Value was = values_[after_.operand(after, i).id];
      const Value old = before_.operand(before, i);
      if (was == old) {
        ++same;
      } else if (was.valid() && taken_[before_.producer(old)]) {
        ++other;
      }
    }
    return {same, other};
  }

  // What is left over on both sides.
  void match_moved() {
    Nodes exact;
    Nodes similar;
    for (const Entry& old : old_) {
      if (taken_[old.id]) continue;
      similar.add(old.key, old.id);
      exact.add(with_operands(old.key, before_.operands(old.id)), old.id);
    }
    std::vector<Value> operands;
    for (const Entry& entry : new_) {
      if (out_[entry.id] != kNew) continue;
      operands.clear();
      for (const Value operand : after_.operands(entry.id)) operands.push_back(values_[operand.id]);
      std::int64_t found =
          exact.best(with_operands(entry.key, operands), taken_, [](NodeId) { return 0; });
      if (found == kNew && !operands.empty()) {
        found = similar.best(entry.key, taken_, [&](NodeId before) {
          const auto [same, other] = compare_operands(before, entry.id);
          return same == 0 && other > 0 ? -1 : same;
        });
      }
      if (found != kNew) set(entry.id, static_cast<NodeId>(found));
    }
  }

  static Hash128 with_operands(const Hash128& key, std::span<const Value> operands) {
    Hasher hasher;
    hasher.add(key);
    for (const Value operand : operands) hasher.add(static_cast<std::uint64_t>(operand.id));
    return hasher.finish();
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
  std::vector<Entry> old_;  // all but the parameters
  std::vector<Entry> new_;
  std::vector<bool> taken_;    // of the nodes of `before`
  std::vector<Value> values_;  // what the values of `after` were
  std::vector<std::int64_t> out_;
};

}  // namespace

std::vector<std::int64_t> match_nodes(const ir::Graph& before, const ir::Graph& after) {
  return Matcher(before, after).run();
}

}  // namespace tutti::tools::show
