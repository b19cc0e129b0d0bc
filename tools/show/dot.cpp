#include "tools/show/dot.h"

#include <array>

#include "tools/show/format.h"
#include "tools/show/picture.h"

namespace tutti::tools::show {

namespace {

// Fill colours, in the order of NodeKind.
constexpr std::array kColours = {"#d5ecd8", "#e6e6e6", "#dbe7fb", "#f3f3f3", "#ffdcc2", "#fff3c4"};

// What stands between the quotes of a string of DOT, where backslashes begin escapes.
std::string dot_escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string dot_quoted(std::string_view text) { return '"' + dot_escaped(text) + '"'; }

std::string label(const Box& box) {
  std::string out = '"' + dot_escaped(box.title);
  for (const std::string& line : box.lines) out += "\\n" + dot_escaped(line);
  return out + '"';
}

std::string node_name(std::size_t box) { return "n" + std::to_string(box); }

std::string dot_node(const Box& box, std::size_t number, const FunctionText& text) {
  std::string tooltip;
  for (const ir::NodeId id : box.nodes) {
    const NodeText& node = text.node(id);
    tooltip += (tooltip.empty() ? "" : " ; ") + shortened(node.code, 400);
    if (!node.source.empty()) tooltip += "  // " + std::string(node.source);
  }
  return node_name(number) + " [label=" + label(box) + ", tooltip=" + dot_quoted(tooltip) +
         ", class=" + dot_quoted(name_of(box.kind)) + ", fillcolor=\"" +
         kColours.at(static_cast<std::size_t>(box.kind)) + "\"];\n";
}

// Every node by itself.
Picture without_kernels(const ir::Graph& function, const FunctionText& text) {
  ir::Graph plain = function;
  for (ir::NodeId id = 0; id < plain.node_count(); ++id) plain.set_fusion(id, -1);
  Picture out = picture_of(plain, text, false);
  for (Box& box : out.boxes) box.fusion = function.node(box.nodes[0]).fusion;
  return out;
}

}  // namespace

std::string dot_text(const ir::Graph& function, bool folded) {
  const FunctionText text(function);
  const Picture picture =
      folded ? picture_of(function, text, true) : without_kernels(function, text);
  std::string out = "digraph " + dot_quoted(function.name) + " {\n";
  out += "  graph [rankdir=TB, fontname=\"monospace\", label=" + dot_quoted("@" + function.name) +
         ", labelloc=t];\n";
  out += "  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=10];\n";
  out += "  edge [color=\"#707070\", arrowsize=0.7];\n";
  std::int32_t open = -1;  // the kernel whose cluster is open; clusters may be opened again
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const Box& box = picture.boxes[i];
    const std::int32_t fusion = folded ? -1 : box.fusion;
    if (fusion != open && open >= 0) out += "  }\n";
    if (fusion != open && fusion >= 0) {
      const std::string number = std::to_string(fusion);
      out += "  subgraph cluster_" + number + " {\n    label=\"kernel " + number +
             "\"; fontname=\"monospace\"; fontsize=10; style=rounded; color=\"#7a94c4\";\n";
    }
    open = fusion;
    out += (open >= 0 ? "    " : "  ") + dot_node(box, i, text);
  }
  if (open >= 0) out += "  }\n";
  for (const Arrow& arrow : picture.arrows) {
    const ir::Type& type = function.type(arrow.value);
    out += "  " + node_name(static_cast<std::size_t>(arrow.from)) + " -> " +
           node_name(static_cast<std::size_t>(arrow.to)) + (type.async ? " [style=dashed]" : "") +
           ";\n";
  }
  return out + "}\n";
}

}  // namespace tutti::tools::show
