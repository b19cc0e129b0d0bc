#include <tutti/ir/collective.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/spmd_text.h>

namespace tutti::ir {

namespace {

// "[0, 1, 2, 3, ..., 1023]"
std::string members_text(const std::vector<std::int64_t>& members) {
  constexpr std::size_t kMost = 8;
  constexpr std::size_t kFirst = 4;
  std::string out = "[";
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i != 0) out += ", ";
    if (members.size() > kMost && i == kFirst) {
      out += "..., ";
      i = members.size() - 1;
    }
    out += std::to_string(members[i]);
  }
  return out + "]";
}

// A type without what only one program knows of it.
std::string tensor_text(const Type& type) {
  return Type{.dtype = type.dtype, .shape = type.shape}.text();
}

std::string attribute_text(const Attribute& attribute) {
  if (const auto* const number = std::get_if<std::int64_t>(&attribute)) {
    return std::to_string(*number);
  }
  if (const auto* const flag = std::get_if<bool>(&attribute)) return *flag ? "true" : "false";
  std::string out;
  if (const auto* const list = std::get_if<std::vector<std::int64_t>>(&attribute)) {
    append_integers(out, *list);
  } else if (const auto* const text = std::get_if<std::string>(&attribute)) {
    out = *text;
  }
  return out;
}

// "all_reduce sum f32[4], f32[2] {root = 1}"
std::string collective_text(const Graph& graph, NodeId id, const std::vector<std::size_t>& shown) {
  const Node& node = graph.node(id);
  std::string out(name_of(node.op));
  const auto& specs = definition(node.op).attributes;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == "op") out += " " + attribute_text(node.attributes[i]);
  }
  for (std::size_t i = 0; i < node.operand_count; ++i) {
    out += (i == 0 ? " " : ", ") + tensor_text(graph.type(graph.operand(id, i)));
  }
  std::string attributes;
  for (const std::size_t i : shown) {
    if (specs[i].name == "op") continue;
    attributes += attributes.empty() ? " {" : ", ";
    attributes += std::string(specs[i].name) + " = " + attribute_text(node.attributes[i]);
  }
  return attributes.empty() ? out : out + attributes + "}";
}

std::string side_text(const RankCall& call) {
  const bool received = call.tensor.id >= call.graph->node(call.node).first_result;
  return (received ? "receives " : "sends ") + tensor_text(call.graph->type(call.tensor));
}

}  // namespace

std::string meeting_text(const Meeting& meeting) {
  std::string group = "group \"" + meeting.tag + "\" " + members_text(meeting.group);
  if (!meeting.messages) return group;
  return "messages from rank " + std::to_string(meeting.ranks[0]) + " to rank " +
         std::to_string(meeting.ranks[1]) + " in " + group;
}

std::string number_text(const Meeting& meeting, std::size_t number) {
  return (meeting.messages ? "message " : "collective ") + std::to_string(number + 1);
}

std::string call_text(const RankCall& call, std::int64_t rank,
                      const std::vector<std::size_t>& shown) {
  const Graph& graph = *call.graph;
  const Location where = graph.node(call.node).location;
  return "rank " + std::to_string(rank) + " " +
         (call.tensor.valid() ? side_text(call)
                              : "calls " + collective_text(graph, call.node, shown)) +
         (where.known() ? " at " + where.text() : " (" + print(graph, call.node) + ")");
}

}  // namespace tutti::ir
