#include <tutti/ir/debug/match_graphs.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace tutti::ir {

namespace {

// What hashes start with, so that they tell these apart.
enum class Word : std::uint64_t { parameter, unmatched_in_a, unmatched_in_b, node, use, result };

Hasher starting_with(Word word) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(word));
  return hasher;
}

bool is_less(const Hash128& a, const Hash128& b) {
  return std::tie(a.high, a.low) < std::tie(b.high, b.low);
}

// What a hash of a node without its operands covers beside the op. The numbers of kernels are
// names.
struct Detail {
  bool attributes = true;
  bool types = true;
  bool line = false;
};

std::vector<Hash128> signatures(const Graph& graph, Detail detail) {
  std::vector<Hash128> out;
  out.reserve(graph.node_count());
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    Hasher hasher = starting_with(Word::node);
    hasher.add(static_cast<std::uint64_t>(node.op)).add(node.operand_count).add(node.result_count);
    if (detail.attributes) {
      for (const Attribute& attribute : node.attributes) hash_attribute(hasher, attribute);
    }
    for (std::uint32_t i = 0; detail.types && i < node.result_count; ++i) {
      hash_type(hasher, graph.type(graph.result(id, i)));
    }
    if (detail.line) hasher.add(node.location.file()).add(node.location.line());
    out.push_back(hasher.finish());
  }
  return out;
}

void add_value(Hasher& hasher, const Graph& graph, Value value, const Hash128& producer) {
  hasher.add(producer).add(value.id - graph.node(graph.producer(value)).first_result);
}

// What each node computes. A parameter is known by the number of its pair, -1 if it has none.
std::vector<Hash128> hash_from_parameters(const Graph& graph, const std::vector<Hash128>& signature,
                                          const std::vector<int>& pairs, Word unmatched) {
  std::vector<Hash128> out(graph.node_count());
  std::size_t parameter = 0;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    Hasher hasher;
    hasher.add(signature[id]);
    if (graph.node(id).op == Op::parameter) {
      const int pair = pairs[parameter++];
      hasher.add(static_cast<std::uint64_t>(pair < 0 ? unmatched : Word::parameter));
      hasher.add(pair < 0 ? parameter : static_cast<std::uint64_t>(pair));
    }
    for (const Value operand : graph.operands(id)) {
      add_value(hasher, graph, operand, out[graph.producer(operand)]);
    }
    out[id] = hasher.finish();
  }
  return out;
}

// What is computed from each node: the sum over its uses, whose order says nothing.
std::vector<Hash128> hash_to_results(const Graph& graph, const std::vector<Hash128>& signature) {
  std::vector<Hash128> uses(graph.value_count());
  const auto add_use = [&](Value value, const Hash128& use) {
    uses[value.id].high += use.high;
    uses[value.id].low += use.low;
  };
  for (std::size_t i = 0; i < graph.results().size(); ++i) {
    add_use(graph.results()[i], starting_with(Word::result).add(i).finish());
  }
  std::vector<Hash128> out(graph.node_count());
  for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
    Hasher hasher;
    hasher.add(signature[id]);
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      hasher.add(uses[graph.result(id, i).id]);
    }
    out[id] = hasher.finish();
    for (std::size_t i = 0; i < graph.operands(id).size(); ++i) {
      add_use(graph.operand(id, i), starting_with(Word::use).add(out[id]).add(i).finish());
    }
  }
  return out;
}

std::vector<Hash128> combined(const std::vector<Hash128>& a, const std::vector<Hash128>& b) {
  std::vector<Hash128> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(Hasher().add(a[i]).add(b[i]).finish());
  return out;
}

class GraphMatcher {
 public:
  GraphMatcher(const Graph& a, const Graph& b) : a_(a), b_(b) {
    out_.in_b.assign(a.node_count(), kNoNode);
    out_.in_a.assign(b.node_count(), kNoNode);
  }

  GraphMatch run() {
    match_parameters();
    const std::vector<Hash128> own_a = signatures(a_, {});
    const std::vector<Hash128> own_b = signatures(b_, {});
    out_.computes_a = hash_from_parameters(a_, own_a, pairs_a_, Word::unmatched_in_a);
    out_.computes_b = hash_from_parameters(b_, own_b, pairs_b_, Word::unmatched_in_b);
    const std::vector<Hash128> later_a = hash_to_results(a_, own_a);
    const std::vector<Hash128> later_b = hash_to_results(b_, own_b);
    match_equal(combined(out_.computes_a, later_a), combined(out_.computes_b, later_b));
    match_equal(out_.computes_a, out_.computes_b);
    match_equal(later_a, later_b);
    match_by_operands({Likeness::op_and_attributes, Likeness::op});
    // Lines are a hint: programs of one source are alike there.
    for (const Detail detail :
         {Detail{.line = true}, Detail{}, Detail{.attributes = false, .types = false, .line = true},
          Detail{.types = false}}) {
      match_in_order(signatures(a_, detail), signatures(b_, detail));
    }
    match_by_operands({Likeness::op_and_attributes, Likeness::op});
    match_by_operands({Likeness::nothing});
    match_by_uses();
    return std::move(out_);
  }

 private:
  struct Pair {
    NodeId a;
    NodeId b;
  };

  bool is_open_a(NodeId id) const {
    return out_.in_b[id] == kNoNode && a_.node(id).op != Op::parameter;
  }
  bool is_open_b(NodeId id) const {
    return out_.in_a[id] == kNoNode && b_.node(id).op != Op::parameter;
  }
  void pair(NodeId a, NodeId b) {
    out_.in_b[a] = b;
    out_.in_a[b] = a;
  }

  // Those of one name at the beginning and at the end, and those between in their order.
  void match_parameters() {
    const auto& a = a_.parameters();
    const auto& b = b_.parameters();
    pairs_a_.assign(a.size(), -1);
    pairs_b_.assign(b.size(), -1);
    const std::size_t both = std::min(a.size(), b.size());
    std::size_t front = 0;
    std::size_t back = 0;
    if (a.size() != b.size()) {
      while (front < both && a[front].name == b[front].name) ++front;
      while (front + back < both && a[a.size() - 1 - back].name == b[b.size() - 1 - back].name) {
        ++back;
      }
    }
    for (std::size_t i = 0; i < both; ++i) {
      const bool from_front = i + back < both;
      const std::size_t in_a = from_front ? i : a.size() - (both - i);
      const std::size_t in_b = from_front ? i : b.size() - (both - i);
      pairs_a_[in_a] = pairs_b_[in_b] = static_cast<int>(i);
      pair(a_.producer(a[in_a].value), b_.producer(b[in_b].value));
    }
  }

  template <class IsOpen>
  static std::vector<NodeId> open_by_hash(const std::vector<Hash128>& hashes, IsOpen&& is_open) {
    std::vector<NodeId> out;
    for (NodeId id = 0; id < hashes.size(); ++id) {
      if (is_open(id)) out.push_back(id);
    }
    std::ranges::stable_sort(out,
                             [&](NodeId x, NodeId y) { return is_less(hashes[x], hashes[y]); });
    return out;
  }

  // The first of each hash with the first, the second with the second.
  std::vector<Pair> equal_pairs(const std::vector<Hash128>& hashes_a,
                                const std::vector<Hash128>& hashes_b) const {
    const std::vector<NodeId> a = open_by_hash(hashes_a, [&](NodeId id) { return is_open_a(id); });
    const std::vector<NodeId> b = open_by_hash(hashes_b, [&](NodeId id) { return is_open_b(id); });
    std::vector<Pair> out;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      const Hash128& x = hashes_a[a[i]];
      const Hash128& y = hashes_b[b[j]];
      if (x == y) {
        out.push_back({a[i++], b[j++]});
      } else {
        ++(is_less(x, y) ? i : j);
      }
    }
    return out;
  }

  void match_equal(const std::vector<Hash128>& hashes_a, const std::vector<Hash128>& hashes_b) {
    for (const Pair& each : equal_pairs(hashes_a, hashes_b)) pair(each.a, each.b);
  }

  // The most pairs whose order is the same in both programs (a longest increasing subsequence).
  void match_in_order(const std::vector<Hash128>& hashes_a, const std::vector<Hash128>& hashes_b) {
    std::vector<Pair> pairs = equal_pairs(hashes_a, hashes_b);
    std::ranges::sort(pairs, {}, &Pair::a);
    constexpr std::size_t kFirst = 0xFFFFFFFFU;
    std::vector<std::size_t> ends;  // [n]: the pair with which the best of n + 1 pairs ends
    std::vector<std::size_t> before(pairs.size(), kFirst);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto place = std::ranges::lower_bound(ends, pairs[i].b, {},
                                                  [&](std::size_t end) { return pairs[end].b; });
      if (place != ends.begin()) before[i] = *(place - 1);
      if (place == ends.end()) {
        ends.push_back(i);
      } else {
        *place = i;
      }
    }
    for (std::size_t i = ends.empty() ? kFirst : ends.back(); i != kFirst; i = before[i]) {
      pair(pairs[i].a, pairs[i].b);
    }
  }

  // Nodes of b that are still to be matched, by a hash.
  class Candidates {
   public:
    void add(const Hash128& hash, NodeId id) { lists_[hash].ids.push_back(id); }
    // The first that was added and is open.
    template <class IsOpen>
    NodeId take(const Hash128& hash, IsOpen&& is_open) {
      const auto found = lists_.find(hash);
      if (found == lists_.end()) return kNoNode;
      List& list = found->second;
      while (list.next < list.ids.size()) {
        const NodeId id = list.ids[list.next++];
        if (is_open(id)) return id;
      }
      return kNoNode;
    }

   private:
    struct List {
      std::vector<NodeId> ids;
      std::size_t next = 0;
    };
    std::unordered_map<Hash128, List, Hash128Hasher> lists_;
  };

  // In what nodes have to be alike, beside their operands.
  enum class Likeness : std::uint8_t { op_and_attributes, op, nothing };
  using Likenesses = std::initializer_list<Likeness>;

  static Hash128 hash_of(const Node& node, const Hash128& operands, Likeness likeness) {
    Hasher hasher;
    hasher.add(static_cast<std::uint64_t>(likeness)).add(operands).add(node.result_count);
    if (likeness == Likeness::nothing) return hasher.finish();
    hasher.add(static_cast<std::uint64_t>(node.op));
    if (likeness == Likeness::op) return hasher.finish();
    for (const Attribute& attribute : node.attributes) hash_attribute(hasher, attribute);
    return hasher.finish();
  }

  // Of the operands as values of b; nothing if one of them has no counterpart there.
  std::optional<Hash128> hash_of_operands(NodeId in_a) const {
    Hasher hasher;
    for (const Value operand : a_.operands(in_a)) {
      const NodeId from = a_.producer(operand);
      const NodeId mate = out_.in_b[from];
      if (mate == kNoNode) return std::nullopt;
      hasher.add(b_.node(mate).first_result + (operand.id - a_.node(from).first_result));
    }
    return hasher.finish();
  }

  // Operands that are counterparts in the same places; from the parameters on, so that those of
  // other types, whose nodes all differ, lead from one node to the next.
  void match_by_operands(Likenesses likenesses) {
    Candidates candidates;
    for (NodeId id = 0; id < b_.node_count(); ++id) {
      if (!is_open_b(id) || b_.operands(id).empty()) continue;
      Hasher hasher;
      for (const Value operand : b_.operands(id)) hasher.add(operand.id);
      const Hash128 operands = hasher.finish();
      for (const Likeness likeness : likenesses) {
        candidates.add(hash_of(b_.node(id), operands, likeness), id);
      }
    }
    for (NodeId id = 0; id < a_.node_count(); ++id) {
      if (!is_open_a(id) || a_.operands(id).empty()) continue;
      const std::optional<Hash128> operands = hash_of_operands(id);
      if (!operands) continue;
      for (const Likeness likeness : likenesses) {
        const NodeId found = candidates.take(hash_of(a_.node(id), *operands, likeness),
                                             [&](NodeId in_b) { return is_open_b(in_b); });
        if (found == kNoNode) continue;
        pair(id, found);
        break;
      }
    }
  }

  // A hash of what uses each node: nodes, as b numbers them, and results.
  template <class Number>
  static std::vector<Hash128> uses_of(const Graph& graph, Number&& number) {
    std::vector<Hash128> out(graph.node_count());
    const auto add_use = [&](Value value, Hasher hasher) {
      add_value(hasher, graph, value, {});
      const Hash128 use = hasher.finish();
      out[graph.producer(value)].high += use.high;
      out[graph.producer(value)].low += use.low;
    };
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      for (std::size_t i = 0; i < graph.operands(id).size(); ++i) {
        add_use(graph.operand(id, i), starting_with(Word::use).add(number(id)).add(i));
      }
    }
    for (std::size_t i = 0; i < graph.results().size(); ++i) {
      add_use(graph.results()[i], starting_with(Word::result).add(i));
    }
    return out;
  }

  void match_by_uses() {
    const std::vector<Hash128> uses_a = uses_of(a_, [&](NodeId id) { return out_.in_b[id]; });
    const std::vector<Hash128> uses_b = uses_of(b_, [](NodeId id) { return id; });
    Candidates candidates;
    for (NodeId id = 0; id < b_.node_count(); ++id) {
      if (is_open_b(id) && uses_b[id] != Hash128()) candidates.add(uses_b[id], id);
    }
    for (NodeId id = 0; id < a_.node_count(); ++id) {
      if (!is_open_a(id) || uses_a[id] == Hash128()) continue;
      const NodeId found =
          candidates.take(uses_a[id], [&](NodeId in_b) { return is_open_b(in_b); });
      if (found == kNoNode || b_.node(found).result_count != a_.node(id).result_count) continue;
      pair(id, found);
    }
  }

  const Graph& a_;
  const Graph& b_;
  GraphMatch out_;
  std::vector<int> pairs_a_;  // by parameter: the number of its pair
  std::vector<int> pairs_b_;
};

}  // namespace

GraphMatch match_graphs(const Graph& a, const Graph& b) { return GraphMatcher(a, b).run(); }

}  // namespace tutti::ir
