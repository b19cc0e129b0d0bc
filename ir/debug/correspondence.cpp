#include <tutti/ir/debug/correspondence.h>
#include <tutti/ir/function.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace tutti::ir {

namespace {

// Values with more users say little about each of them.
constexpr std::size_t kMostUsers = 32;

struct Use {
  NodeId node;
  std::uint32_t operand;
};

// A program as the matcher looks at it.
struct Side {
  explicit Side(const Graph& graph)
      : graph(graph), partner(graph.node_count(), kNoNode), uses(graph.value_count()) {
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      keys.push_back(key(id));
      const auto operands = graph.operands(id);
      for (std::uint32_t i = 0; i < operands.size(); ++i) uses[operands[i].id].push_back({id, i});
    }
  }

  // All of a node but its operands and its kernel.
  Hash128 key(NodeId id) const {
    const Node& node = graph.node(id);
    Hasher hasher;
    hasher.add(static_cast<std::uint64_t>(node.op)).add(node.location.text());
    for (const Attribute& attribute : node.attributes) {
      const auto functions = functions_of(attribute);
      for (const FunctionPtr& function : functions) hasher.add(function->graph().name);
      if (functions.empty()) hash_attribute(hasher, attribute);
    }
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      hash_type(hasher, graph.type(graph.result(id, i)));
    }
    return hasher.finish();
  }

  // Of every node, with all that it depends on.
  std::vector<Hash128> cones() const {
    std::vector<Hash128> out;
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      Hasher hasher;
      hasher.add(keys[id]);
      if (graph.node(id).op == Op::parameter) hasher.add(graph.parameters()[id].name);
      for (const Value operand : graph.operands(id)) {
        const NodeId producer = graph.producer(operand);
        hasher.add(out[producer]).add(operand.id - graph.node(producer).first_result);
      }
      out.push_back(hasher.finish());
    }
    return out;
  }

  bool is_free(NodeId id) const { return partner[id] == kNoNode; }

  const Graph& graph;
  std::vector<Hash128> keys;  // [node]
  std::vector<NodeId> partner;
  std::vector<std::vector<Use>> uses;  // [value]
};

class Matcher {
 public:
  Matcher(const Graph& before, const Graph& after) : before_(before), after_(after) {}

  std::vector<Value> run() {
    const std::vector<Hash128> cones_before = before_.cones();
    const std::vector<Hash128> cones_after = after_.cones();
    match_in_order(cones_before, cones_after, true);
    match_results();
    spread();
    match_in_order(cones_before, cones_after, false);
    match_in_order(before_.keys, after_.keys, false);
    match_stand_ins();
    std::vector<Value> out(after_.graph.value_count());
    for (NodeId id = 0; id < after_.graph.node_count(); ++id) {
      if (after_.is_free(id)) continue;
      for (std::uint32_t i = 0; i < after_.graph.node(id).result_count; ++i) {
        out[after_.graph.result(id, i).id] = before_.graph.result(after_.partner[id], i);
      }
    }
    return out;
  }

 private:
  struct Pair {
    NodeId before;
    NodeId after;
  };

  // In what two nodes have to agree.
  enum class Likeness : std::uint8_t { all_but_operands, op, type };

  void match(NodeId before, NodeId after) {
    before_.partner[before] = after;
    after_.partner[after] = before;
    found_.push_back({before, after});
  }

  // Free nodes with equal hashes: the first with the first, the second with the second. Where one
  // side has more of a kind, their neighbours know better which is which.
  void match_in_order(const std::vector<Hash128>& before, const std::vector<Hash128>& after,
                      bool only_as_many) {
    struct Kind {
      std::deque<NodeId> before;
      std::size_t after = 0;
    };
    std::unordered_map<Hash128, Kind, Hash128Hasher> kinds;
    for (NodeId id = 0; id < before.size(); ++id) {
      if (before_.is_free(id)) kinds[before[id]].before.push_back(id);
    }
    for (NodeId id = 0; id < after.size(); ++id) {
      if (after_.is_free(id)) ++kinds[after[id]].after;
    }
    std::erase_if(kinds, [&](const auto& kind) {
      return only_as_many && kind.second.before.size() != kind.second.after;
    });
    for (NodeId id = 0; id < after.size(); ++id) {
      const auto found = after_.is_free(id) ? kinds.find(after[id]) : kinds.end();
      if (found == kinds.end()) continue;
      std::deque<NodeId>& candidates = found->second.before;
      while (!candidates.empty() && !before_.is_free(candidates.front())) candidates.pop_front();
      if (candidates.empty()) continue;
      match(candidates.front(), id);
      if (!only_as_many) spread();
    }
  }

  void match_results() {
    const auto& before = before_.graph.results();
    const auto& after = after_.graph.results();
    if (before.size() != after.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
      match_producers(before[i], after[i], Likeness::all_but_operands);
    }
  }

  // From what is found to its neighbours: first those that agree in all but their operands, then
  // what operands of found nodes are computed by if at least the op is the same.
  void spread() {
    while (!found_.empty() || !unsure_.empty()) {
      if (!found_.empty()) {
        const Pair pair = found_.front();
        found_.pop_front();
        match_operands(pair, Likeness::all_but_operands);
        match_users(pair);
        unsure_.push_back(pair);
      } else {
        const Pair pair = unsure_.front();
        unsure_.pop_front();
        match_operands(pair, Likeness::op);
      }
    }
  }

  // What found nodes use now in the place of something else, and has its type: a composite and the
  // last of its parts.
  void match_stand_ins() {
    for (NodeId id = 0; id < after_.graph.node_count(); ++id) {
      if (!after_.is_free(id)) match_operands({after_.partner[id], id}, Likeness::type);
    }
    const auto& before = before_.graph.results();
    const auto& after = after_.graph.results();
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      match_producers(before[i], after[i], Likeness::type);
    }
  }

  void match_operands(Pair pair, Likeness likeness) {
    const auto before = before_.graph.operands(pair.before);
    const auto after = after_.graph.operands(pair.after);
    if (before.size() != after.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) match_producers(before[i], after[i], likeness);
  }

  void match_producers(Value before, Value after, Likeness likeness) {
    const NodeId old = before_.graph.producer(before);
    const NodeId now = after_.graph.producer(after);
    if (!before_.is_free(old) || !after_.is_free(now)) return;
    const Node& x = before_.graph.node(old);
    const Node& y = after_.graph.node(now);
    if (x.result_count == y.result_count &&
        before.id - x.first_result == after.id - y.first_result && are_alike(old, now, likeness)) {
      match(old, now);
    }
  }

  bool are_alike(NodeId old, NodeId now, Likeness likeness) const {
    const Op x = before_.graph.node(old).op;
    const Op y = after_.graph.node(now).op;
    if (likeness == Likeness::all_but_operands) return before_.keys[old] == after_.keys[now];
    if (x == Op::parameter || y == Op::parameter) return false;
    if (likeness == Likeness::op) return x == y;
    for (std::uint32_t i = 0; i < before_.graph.node(old).result_count; ++i) {
      if (before_.graph.type(before_.graph.result(old, i)) !=
          after_.graph.type(after_.graph.result(now, i))) {
        return false;
      }
    }
    return true;
  }

  // A user that on either side is the only one of its kind.
  void match_users(Pair pair) {
    for (std::uint32_t i = 0; i < after_.graph.node(pair.after).result_count; ++i) {
      const auto& before = before_.uses[before_.graph.result(pair.before, i).id];
      const auto& after = after_.uses[after_.graph.result(pair.after, i).id];
      if (before.size() > kMostUsers || after.size() > kMostUsers) continue;
      for (const Use use : after) {
        if (!after_.is_free(use.node)) continue;
        const Hash128& key = after_.keys[use.node];
        if (only_user(after_, after, key, use.operand) != use.node) continue;
        const std::optional<NodeId> old = only_user(before_, before, key, use.operand);
        if (old) match(*old, use.node);
      }
    }
  }

  static std::optional<NodeId> only_user(const Side& side, const std::vector<Use>& uses,
                                         const Hash128& key, std::uint32_t operand) {
    std::optional<NodeId> out;
    for (const Use use : uses) {
      if (use.operand != operand || !side.is_free(use.node) || side.keys[use.node] != key) continue;
      if (out) return std::nullopt;
      out = use.node;
    }
    return out;
  }

  Side before_;
  Side after_;
  std::deque<Pair> found_;   // whose neighbours are to be looked at
  std::deque<Pair> unsure_;  // the same, less strictly
};

}  // namespace

std::vector<Value> corresponding_values(const Graph& before, const Graph& after) {
  return Matcher(before, after).run();
}

std::vector<std::string> names_from(const Graph& before, const Graph& after) {
  const std::vector<std::string> known = value_names(before);
  const std::vector<std::string> own = value_names(after);
  const std::vector<Value> old = corresponding_values(before, after);
  // Parameters that are new keep their names; what already has one of these is numbered as new.
  std::unordered_set<std::string> taken;
  for (const Value value : old) {
    if (value.valid()) taken.insert(known[value.id]);
  }
  std::size_t next = before.value_count() - before.parameters().size();
  std::vector<std::string> out(after.value_count());
  for (std::uint32_t id = 0; id < out.size(); ++id) {
    const bool is_parameter = after.op(Value{id}) == Op::parameter;
    if (old[id].valid()) {
      out[id] = known[old[id].id];
    } else if (is_parameter && !taken.contains(own[id])) {
      out[id] = own[id];
    } else {
      out[id] = std::to_string(next++);
    }
  }
  return out;
}

namespace {

void add_names_inside(const Graph& before, const Graph& after, FunctionValueNames& names) {
  if (!has_functions(after)) return;
  const std::vector<Value> old = corresponding_values(before, after);
  for (NodeId id = 0; id < after.node_count(); ++id) {
    const Node& node = after.node(id);
    if (node.result_count == 0 || !old[node.first_result].valid()) continue;
    const Node& known = before.node(before.producer(old[node.first_result]));
    if (known.op != node.op) continue;
    for (std::size_t i = 0; i < node.attributes.size(); ++i) {
      const auto from = functions_of(known.attributes[i]);
      const auto to = functions_of(node.attributes[i]);
      for (std::size_t j = 0; j < std::min(from.size(), to.size()); ++j) {
        const Graph& x = from[j]->graph();
        const Graph& y = to[j]->graph();
        if (from[j] == to[j] || names.contains(to[j].get())) continue;
        names.emplace(to[j].get(), names_from(x, y));
        add_names_inside(x, y, names);
      }
    }
  }
}

}  // namespace

FunctionValueNames names_inside_from(const Graph& before, const Graph& after) {
  FunctionValueNames out;
  add_names_inside(before, after, out);
  return out;
}

}  // namespace tutti::ir
