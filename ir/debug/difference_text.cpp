#include <tutti/ir/debug/difference_text.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/text/type_text.h>

#include <cstring>

namespace tutti::ir::difference_text {

namespace {

constexpr std::size_t kLongestText = 160;  // of a node: constants may be large

std::string shortened(std::string text) {
  if (text.size() > kLongestText) text = text.substr(0, kLongestText) + "...";
  return text;
}

}  // namespace

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

std::string described(const Graph& graph, NodeId id) {
  const std::string text =
      graph.node(id).op == Op::parameter
          ? "the parameter " + print(graph, graph.result(id)) + ": " + types_of(graph, id)
          : print(graph, id);
  return shortened(text) + in_parentheses(graph.node(id).location);
}

std::string right_side(const Graph& graph, NodeId id, bool with_types) {
  std::string text = print(graph, id);
  if (graph.node(id).result_count != 0) text = text.substr(text.find(" = ") + 3);
  const std::string types = " : " + types_of(graph, id);
  if (!with_types && text.ends_with(types)) text.resize(text.size() - types.size());
  return shortened(std::move(text));
}

std::string name_of_call(const Graph& graph, NodeId id) {
  std::string out;
  for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
    out += (i == 0 ? "" : ", ") + print(graph, graph.result(id, i));
  }
  out += (out.empty() ? "" : " = ") + std::string(name_of(graph.node(id).op)) + "(";
  for (std::size_t i = 0; i < graph.operands(id).size(); ++i) {
    out += (i == 0 ? "" : ", ") + print(graph, graph.operand(id, i));
  }
  return shortened(out + ")") + in_parentheses(graph.node(id).location);
}

std::string place_of_function(const Graph& graph, NodeId id, FunctionSlot slot) {
  const std::string_view attribute = definition(graph.node(id).op).attributes[slot.attribute].name;
  const bool is_list =
      std::holds_alternative<std::vector<FunctionPtr>>(graph.node(id).attributes[slot.attribute]);
  return (is_list ? "branch " + std::to_string(slot.index) : "the " + std::string(attribute)) +
         " of " + name_of_call(graph, id);
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
  std::string out = ir::quoted(group.tag) + " ";
  append_integers(out, group.ranks);
  out += " of " + std::to_string(group.stride);
  if (group.timeout != 0) out += ", timeout " + std::to_string(group.timeout);
  if (!group.backends.empty()) out += ", backends " + ir::quoted(group.backends);
  if (!group.name.empty()) out += ", name " + ir::quoted(group.name);
  if (group.programs_differ) out += ", programs differ";
  if (group.algorithm) out += ", algorithm " + ir::quoted(name_of(*group.algorithm));
  return shortened(std::move(out));
}

std::string text_of(const Sharding& sharding) {
  if (sharding.empty()) return "none";
  std::string out;
  append_sharding(out, sharding);
  return out;
}

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

}  // namespace tutti::ir::difference_text
