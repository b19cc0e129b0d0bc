#include <tutti/ir/debug/difference.h>
#include <tutti/ir/debug/difference_in_sizes.h>
#include <tutti/ir/debug/difference_text.h>
#include <tutti/ir/debug/match_graphs.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace tutti::ir {

namespace {

using namespace difference_text;

bool same_mesh(const Graph& a, const Graph& b) {
  return a.mesh == b.mesh || (a.mesh != nullptr && b.mesh != nullptr && *a.mesh == *b.mesh);
}

// For each node, one that uses it first in the program.
std::vector<NodeId> first_users(const Graph& graph) {
  std::vector<NodeId> out(graph.node_count(), kNoNode);
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (const Value operand : graph.operands(id)) {
      NodeId& first = out[graph.producer(operand)];
      if (first == kNoNode) first = id;
    }
  }
  return out;
}

// The pairs of functions that have been compared: what tells them apart is found once, however many
// nodes run them.
using SeenPairs = std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>>;

class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b, SeenPairs& seen)
      : a_(a), b_(b), match_(match_graphs(a, b)), seen_(seen) {}

  std::optional<Difference> run() {
    if (!is_inside_) compare_surroundings();
    compare_nodes(false);
    compare_results();
    if (!out_) compare_order();
    if (!out_) {
      const std::size_t known = consequences_;
      compare_nodes(true);  // which of two nodes that compute the same is used
      consequences_ = out_ ? consequences_ - known : known;
    }
    if (out_) out_->consequences = consequences_;
    return std::move(out_);
  }

 private:
  // A function that a node runs, of each side.
  Comparison(const Function& a, const Function& b, SeenPairs& seen)
      : Comparison(a.graph(), b.graph(), seen) {
    is_inside_ = true;
  }

  // What is the same in the functions that nodes run.
  void compare_surroundings() {
    if (!same_mesh(a_, b_)) {
      found("the mesh is " + text_of(a_.mesh.get()) + " in A and " + text_of(b_.mesh.get()) +
            " in B");
    }
    if (a_.default_device != b_.default_device) {
      found("the default device is " + a_.default_device.text() + " in A and " +
            b_.default_device.text() + " in B");
    }
  }

  // Takes note of what differs by itself; `text` gives the sentence, of the first one.
  template <class Text>
  void found_node(Text&& text) {
    if (out_) {
      ++out_->more;
    } else {
      found(text());
    }
  }
  void found(std::string text) {
    if (!out_) out_ = Difference{.first = std::move(text)};
  }

  // In the order of A; what only B has stands behind the counterpart of what is in front of it.
  void compare_nodes(bool strictly) {
    NodeId next_of_b = 0;
    for (NodeId id = 0; id < a_.node_count(); ++id) {
      const NodeId mate = match_.in_b[id];
      if (mate == kNoNode) {
        found_node([&] { return one_more("A", a_, id); });
        continue;
      }
      for (; next_of_b < mate; ++next_of_b) compare_without_mate(next_of_b);
      compare_pair(id, mate, strictly);
    }
    for (; next_of_b < b_.node_count(); ++next_of_b) compare_without_mate(next_of_b);
  }

  void compare_without_mate(NodeId in_b) {
    if (match_.in_a[in_b] == kNoNode) found_node([&] { return one_more("B", b_, in_b); });
  }

  void compare_pair(NodeId id, NodeId mate, bool strictly) {
    const std::optional<std::string> why = own_difference(id, mate, strictly);
    if (why) {
      found_node([&] { return pair_text(id, mate, *why); });
      return;
    }
    const bool differs_inside = compare_functions(id, mate);
    if (!differs_inside && match_.computes_a[id] != match_.computes_b[mate]) ++consequences_;
  }

  // Of two counterparts that are alike otherwise. Says whether anything in them, and not seen
  // before, tells their functions apart.
  bool compare_functions(NodeId id, NodeId mate) {
    bool any = false;
    for (std::size_t i = 0; i < a_.node(id).attributes.size(); ++i) {
      const auto in_a = functions_of(a_.node(id).attributes[i]);
      const auto in_b = functions_of(b_.node(mate).attributes[i]);
      for (std::size_t j = 0; j < in_a.size(); ++j) {
        const Hash128& x = in_a[j]->hash();
        const Hash128& y = in_b[j]->hash();
        if (x == y || !seen_.emplace(x.high, x.low, y.high, y.low).second) continue;
        Comparison inside(*in_a[j], *in_b[j], seen_);
        const std::optional<Difference> found = inside.run();
        consequences_ += inside.consequences_;
        if (!found) continue;
        found_node([&] {
          return "in @" + in_a[j]->graph().name + ", " +
                 place_of_function(a_, id, {.attribute = i, .index = j}) + ": " + found->first;
        });
        out_->more += found->more;
        any = true;
      }
    }
    return any;
  }

  // What tells two counterparts apart beside what they depend on: nothing, or what there is to add
  // to their texts.
  std::optional<std::string> own_difference(NodeId id, NodeId mate, bool strictly) const {
    const Node& x = a_.node(id);
    const Node& y = b_.node(mate);
    if (x.op != y.op || x.operand_count != y.operand_count || x.result_count != y.result_count) {
      return "";
    }
    if (x.op == Op::parameter) return parameter_difference(id, mate);
    for (std::size_t i = 0; i < x.attributes.size(); ++i) {
      if (differ(x.attributes[i], y.attributes[i])) return attribute_difference(id, mate, i);
    }
    bool same_operands = true;
    for (std::size_t i = 0; i < x.operand_count; ++i) {
      const Value from_a = a_.operand(id, i);
      const Value from_b = b_.operand(mate, i);
      if (!correspond(from_a, from_b, strictly)) return operand_difference(from_a, from_b);
      same_operands = same_operands && a_.type(from_a) == b_.type(from_b);
    }
    const bool same_cause =
        same_operands && same_mesh(a_, b_) && std::ranges::equal(x.attributes, y.attributes, equal);
    if (types_equal(id, mate) || !same_cause) return std::nullopt;
    return "";
  }

  // What functions do is looked at by itself (compare_functions).
  static bool differ(const Attribute& x, const Attribute& y) {
    const std::size_t functions = functions_of(x).size();
    return functions == 0 ? !equal(x, y) : functions != functions_of(y).size();
  }

  bool types_equal(NodeId id, NodeId mate) const {
    for (std::uint32_t i = 0; i < a_.node(id).result_count; ++i) {
      if (a_.type(a_.result(id, i)) != b_.type(b_.result(mate, i))) return false;
    }
    return true;
  }

  // Whether two values are each other's, or differ because of a node that has no counterpart.
  bool correspond(Value from_a, Value from_b, bool strictly) const {
    const NodeId x = a_.producer(from_a);
    const NodeId y = b_.producer(from_b);
    const bool same_place =
        from_a.id - a_.node(x).first_result == from_b.id - b_.node(y).first_result;
    if (match_.in_b[x] == y) return same_place;
    if (strictly) return false;
    if (match_.in_b[x] == kNoNode || match_.in_a[y] == kNoNode) return true;
    return same_place && match_.computes_a[x] == match_.computes_b[y];
  }

  std::optional<std::string> parameter_difference(NodeId id, NodeId mate) const {
    const Parameter& x = parameter_of(a_, id);
    const Parameter& y = parameter_of(b_, mate);
    if (x.donate != y.donate) return std::string("it is donated in ") + (x.donate ? "A" : "B");
    if (x.sharding != y.sharding) return "its sharding" + two_texts(x.sharding, y.sharding);
    if (a_.type(x.value) == b_.type(y.value)) return std::nullopt;
    return "";
  }

  static std::string two_texts(const Sharding& in_a, const Sharding& in_b) {
    return " is " + text_of(in_a) + " in A and " + text_of(in_b) + " in B";
  }

  static const Parameter& parameter_of(const Graph& graph, NodeId id) {
    return *std::ranges::lower_bound(graph.parameters(), graph.result(id), {}, &Parameter::value);
  }

  std::string attribute_difference(NodeId id, NodeId mate, std::size_t i) const {
    const Attribute& x = a_.node(id).attributes[i];
    const Attribute& y = b_.node(mate).attributes[i];
    const auto* const group = std::get_if<GroupPtr>(&x);
    const auto* const array = std::get_if<ArrayPtr>(&x);
    if (group != nullptr) {
      return "the group is " + text_of(**group) + " in A and " + text_of(*std::get<GroupPtr>(y)) +
             " in B";
    }
    if (array != nullptr) {
      const Array& from_a = **array;
      const Array& from_b = *std::get<ArrayPtr>(y);
      if (from_a.dtype() == from_b.dtype() && from_a.shape() == from_b.shape() &&
          from_a.elements() > 1) {
        return first_element(from_a, from_b);
      }
    }
    return "";
  }

  std::string operand_difference(Value from_a, Value from_b) const {
    const NodeId mate = match_.in_b[a_.producer(from_a)];
    if (mate == kNoNode) return "";
    const std::uint32_t place = from_a.id - a_.node(a_.producer(from_a)).first_result;
    const std::string known = print(b_, b_.result(mate, place));
    return print(a_, from_a) + " of A is " + known + " in B, not " + print(b_, from_b);
  }

  std::string pair_text(NodeId id, NodeId mate, const std::string& why) const {
    const bool same_types = types_equal(id, mate);
    std::string out = described(a_, id);
    if (a_.node(id).op == Op::parameter) {
      if (!same_types) out += " is " + types_of(b_, mate) + " in B";
    } else {
      out += " is " + right_side(b_, mate, !same_types) + " in B";
      const Location line = b_.node(mate).location;
      if (line.known() && line != a_.node(id).location) out += in_parentheses(line);
    }
    return why.empty() ? out : out + ": " + why;
  }

  static std::string one_more(const std::string& side, const Graph& graph, NodeId id) {
    if (graph.node(id).op == Op::parameter) {
      return side + " has a parameter more: " + print(graph, graph.result(id)) + ": " +
             types_of(graph, id);
    }
    std::string out = side + " has a node more: " + described(graph, id);
    std::string front;
    for (const Value operand : graph.operands(id)) {
      front = described(graph, graph.producer(operand));
      if (graph.op(operand) != Op::parameter) break;
    }
    const NodeId user = first_users(graph)[id];
    const std::string back = user == kNoNode ? "" : described(graph, user);
    if (!front.empty() && !back.empty()) return out + ", between " + front + " and " + back;
    if (!front.empty()) return out + ", behind " + front;
    return back.empty() ? out : out + ", in front of " + back;
  }

  void compare_results() {
    if (a_.results().size() != b_.results().size()) {
      found("A returns " + counted(a_.results().size(), "value") + ", B " +
            std::to_string(b_.results().size()));
      return;
    }
    for (std::size_t i = 0; i < a_.results().size(); ++i) {
      const Value x = a_.results()[i];
      const Value y = b_.results()[i];
      if (correspond(x, y, false)) {
        const Sharding& in_a = a_.result_sharding(i);
        const Sharding& in_b = b_.result_sharding(i);
        if (in_a == in_b) continue;
        found("the sharding of result " + std::to_string(i) + two_texts(in_a, in_b));
        return;
      }
      found("result " + std::to_string(i) + " is " + print(a_, x) + " in A and " + print(b_, y) +
            " in B: " + operand_difference(x, y));
      return;
    }
  }

  void compare_order() {
    NodeId last = 0;  // in A, the one whose counterpart is the furthest in B so far
    for (NodeId id = 0; id < a_.node_count(); ++id) {
      if (match_.in_b[id] < match_.in_b[last]) {
        found("the nodes are the same in another order: " + described(a_, last) +
              " is in front of " + described(a_, id) + " in A and behind it in B");
        return;
      }
      last = id;
    }
  }

  const Graph& a_;
  const Graph& b_;
  const GraphMatch match_;
  SeenPairs& seen_;
  bool is_inside_ = false;
  std::optional<Difference> out_;
  std::size_t consequences_ = 0;
};

// The numbers of kernels are names, but hashes of functions hold them.
Graph without_kernels_inside(const Graph& graph) {
  Graph out = graph;
  change_functions(out, [](Graph& function) {
    bool any = false;
    for (NodeId id = 0; id < function.node_count(); ++id) {
      any = any || function.node(id).fusion >= 0;
      function.set_fusion(id, -1);
    }
    return any;
  });
  return out;
}

std::optional<Difference> difference_but_for_sizes(const Graph& a, const Graph& b) {
  SeenPairs seen;
  if (!has_functions(a) && !has_functions(b)) return Comparison(a, b, seen).run();
  const Graph in_a = without_kernels_inside(a);
  const Graph in_b = without_kernels_inside(b);
  return Comparison(in_a, in_b, seen).run();
}

}  // namespace

std::optional<Difference> difference(const Graph& a, const Graph& b) {
  std::optional<Difference> out = difference_but_for_sizes(a, b);
  if (out) return out;
  // The types that have been compared hold the largest sizes.
  std::string sizes = difference_in_sizes(a, b);
  if (!sizes.empty()) out = Difference{.first = std::move(sizes)};
  return out;
}

}  // namespace tutti::ir
