#include <tutti/ir/difference.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/match_graphs.h>
#include <tutti/ir/names.h>
#include <tutti/ir/print.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace tutti::ir {

namespace {

constexpr NodeId kNone = GraphMatch::kNone;
constexpr std::size_t kLongestText = 160;  // of a node: constants may be large

std::string shortened(std::string text) {
  if (text.size() > kLongestText) text = text.substr(0, kLongestText) + "...";
  return text;
}

std::string in_parentheses(Location location) {
  return location.known() ? " (" + location.text() + ")" : "";
}

std::string types_of(const Graph& graph, NodeId id) {
  std::string out;
  for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
    out += (i == 0 ? "" : ", ") + print(graph.type(graph.result(id, i)), graph.mesh.get());
  }
  return out;
}

// "%4 = mul(%2, %3) : f32[64] (train.cpp:41)"
std::string described(const Graph& graph, NodeId id) {
  const std::string text =
      graph.node(id).op == Op::parameter
          ? "the parameter " + print(graph, graph.result(id)) + ": " + types_of(graph, id)
          : print(graph, id);
  return shortened(text) + in_parentheses(graph.node(id).location);
}

// "mul(%2, %3) : f32[64]", and without the types if these go without saying.
std::string right_side(const Graph& graph, NodeId id, bool with_types) {
  std::string text = print(graph, id);
  if (graph.node(id).result_count != 0) text = text.substr(text.find(" = ") + 3);
  const std::string types = " : " + types_of(graph, id);
  if (!with_types && text.ends_with(types)) text.resize(text.size() - types.size());
  return shortened(std::move(text));
}

std::string text_of(const Mesh* mesh) {
  if (mesh == nullptr) return "none";
  std::string out = "(";
  for (std::size_t d = 0; d < mesh->names.size(); ++d) {
    out += (d == 0 ? "" : ", ") + name_or_quoted(mesh->names[d]) + " = " +
           std::to_string(mesh->sizes[d]);
  }
  return out + ")";
}

std::string text_of(const Group& group) {
  std::string out = quoted(group.tag) + " ";
  append_integers(out, group.ranks);
  out += " of " + std::to_string(group.stride);
  if (group.timeout != 0) out += ", timeout " + std::to_string(group.timeout);
  if (!group.backends.empty()) out += ", backends " + quoted(group.backends);
  return shortened(std::move(out));
}

// "element 3 is 1.5 in A and 2.5 in B", of arrays of one type.
std::string first_element(const Array& a, const Array& b) {
  const auto size = static_cast<std::size_t>(size_of(a.dtype()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.elements()); ++i) {
    if (std::memcmp(&a.bytes()[i * size], &b.bytes()[i * size], size) == 0) continue;
    const auto element = [&](const Array& array) {
      Array out(array.dtype(), {});
      std::memcpy(out.bytes().data(), &array.bytes()[i * size], size);
      std::string text;
      append_array(text, out);
      return text.substr(text.find(' ') + 1);  // behind the type
    };
    return "element " + std::to_string(i) + " is " + element(a) + " in A and " + element(b) +
           " in B";
  }
  return "";
}

bool same_mesh(const Graph& a, const Graph& b) {
  return a.mesh == b.mesh || (a.mesh != nullptr && b.mesh != nullptr && *a.mesh == *b.mesh);
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// For each node, one that uses it first in the program.
std::vector<NodeId> first_users(const Graph& graph) {
  std::vector<NodeId> out(graph.node_count(), kNone);
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (const Value operand : graph.operands(id)) {
      NodeId& first = out[graph.producer(operand)];
      if (first == kNone) first = id;
    }
  }
  return out;
}

class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b) : a_(a), b_(b), match_(match_graphs(a, b)) {}

  std::optional<Difference> run() {
    if (!same_mesh(a_, b_)) {
      found("the mesh is " + text_of(a_.mesh.get()) + " in A and " + text_of(b_.mesh.get()) +
            " in B");
    }
    if (a_.default_device != b_.default_device) {
      found("the default device is " + a_.default_device.text() + " in A and " +
            b_.default_device.text() + " in B");
    }
    compare_nodes(false);
    compare_results();
    if (!out_) compare_order();
    if (!out_) compare_nodes(true);  // which of two nodes that compute the same is used
    if (out_) out_->consequences = consequences_;
    return std::move(out_);
  }

 private:
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
      if (mate == kNone) {
        found_node([&] { return one_more("A", a_, id); });
        continue;
      }
      for (; next_of_b < mate; ++next_of_b) compare_without_mate(next_of_b);
      compare_pair(id, mate, strictly);
    }
    for (; next_of_b < b_.node_count(); ++next_of_b) compare_without_mate(next_of_b);
  }

  void compare_without_mate(NodeId in_b) {
    if (match_.in_a[in_b] == kNone) found_node([&] { return one_more("B", b_, in_b); });
  }

  void compare_pair(NodeId id, NodeId mate, bool strictly) {
    const std::optional<std::string> why = own_difference(id, mate, strictly);
    if (why) {
      found_node([&] { return pair_text(id, mate, *why); });
    } else if (match_.computes_a[id] != match_.computes_b[mate]) {
      ++consequences_;
    }
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
      if (!equal(x.attributes[i], y.attributes[i])) return attribute_difference(id, mate, i);
    }
    bool same_operands = true;
    for (std::size_t i = 0; i < x.operand_count; ++i) {
      const Value from_a = a_.operand(id, i);
      const Value from_b = b_.operand(mate, i);
      if (!correspond(from_a, from_b, strictly)) return operand_difference(from_a, from_b);
      same_operands = same_operands && a_.type(from_a) == b_.type(from_b);
    }
    if (types_equal(id, mate) || !same_operands || !same_mesh(a_, b_)) return std::nullopt;
    return "";
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
    if (match_.in_b[x] == kNone || match_.in_a[y] == kNone) return true;
    return same_place && match_.computes_a[x] == match_.computes_b[y];
  }

  std::optional<std::string> parameter_difference(NodeId id, NodeId mate) const {
    const Parameter& x = parameter_of(a_, id);
    const Parameter& y = parameter_of(b_, mate);
    if (x.donate != y.donate) return std::string("it is donated in ") + (x.donate ? "A" : "B");
    if (a_.type(x.value) == b_.type(y.value)) return std::nullopt;
    return "";
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
    if (mate == kNone) return "";
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
    const std::string back = user == kNone ? "" : described(graph, user);
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
      if (correspond(x, y, false)) continue;
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
  std::optional<Difference> out_;
  std::size_t consequences_ = 0;
};

}  // namespace

std::optional<Difference> difference(const Graph& a, const Graph& b) {
  return Comparison(a, b).run();
}

std::string difference_in_names(const Graph& a, const Graph& b) {
  const auto differs = [](const std::string& what, const std::string& in_a,
                          const std::string& in_b) {
    return what + " is " + in_a + " in A and " + in_b + " in B";
  };
  if (a.name != b.name) return differs("the function", "@" + a.name, "@" + b.name);
  for (std::size_t i = 0; i < a.parameters().size(); ++i) {
    if (a.parameters()[i].name == b.parameters()[i].name) continue;
    return differs("parameter " + std::to_string(i), "%" + a.parameters()[i].name,
                   "%" + b.parameters()[i].name);
  }
  const auto line = [](Location location) {
    return location.known() ? location.text() : std::string("unknown");
  };
  for (NodeId id = 0; id < a.node_count(); ++id) {
    const Node& x = a.node(id);
    const Node& y = b.node(id);
    if (x.location != y.location) {
      return differs("the line of " + right_side(a, id, true), line(x.location), line(y.location));
    }
    if (x.fusion != y.fusion) {
      return differs("the kernel of " + right_side(a, id, true), std::to_string(x.fusion),
                     std::to_string(y.fusion));
    }
  }
  return "";
}

}  // namespace tutti::ir
