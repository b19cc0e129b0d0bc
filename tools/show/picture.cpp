#include "tools/show/picture.h"

#include <tutti/ir/op.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "tools/show/format.h"

namespace tutti::tools::show {

namespace {

using ir::NodeId;

constexpr std::string_view kReturnedMark = "returned";

std::string line(std::string_view text) { return printable(shortened(text, kLongestLine)); }

std::string joined(std::string_view a, std::string_view b) {
  std::string out(a);
  if (!a.empty() && !b.empty()) out += ' ';
  return out += b;
}

std::vector<bool> find_returned(const ir::Graph& function) {
  std::vector<bool> out(function.node_count(), false);
  for (const ir::Value result : function.results()) out[function.producer(result)] = true;
  return out;
}

Box node_box(const ir::Graph& function, const FunctionText& text, NodeId id, bool returned) {
  const NodeText& node = text.node(id);
  Box out{.nodes = {id},
          .fusion = function.node(id).fusion,
          .kind = kind_of(function.node(id).op),
          .title = {},
          .lines = {}};
  const bool parameter = out.kind == NodeKind::parameter;
  out.title = line(parameter ? node.names : joined(node.names, name_of(function.node(id).op)));
  if (!node.attributes.empty()) out.lines.push_back(line(node.attributes));
  if (!node.types.empty()) out.lines.push_back(line(node.types));
  if (returned) out.lines.emplace_back(kReturnedMark);
  return out;
}

// "mul, add, tanh": which ops, each once, in their order.
std::string ops_of(const ir::Graph& function, const std::vector<NodeId>& nodes) {
  std::set<ir::Op> seen;
  std::string out;
  for (const NodeId id : nodes) {
    const ir::Op op = function.node(id).op;
    if (!seen.insert(op).second) continue;
    out += (out.empty() ? "" : ", ") + std::string(name_of(op));
  }
  return out;
}

// "%5 mul f32[64,10]", "%6 add f32[64,10] returned".
std::string node_line(const ir::Graph& function, const FunctionText& text, NodeId id,
                      bool returned) {
  const NodeText& node = text.node(id);
  std::string out = line(joined(joined(node.names, name_of(function.node(id).op)), node.types));
  return returned ? joined(out, kReturnedMark) : out;
}

void finish_kernel(const ir::Graph& function, const FunctionText& text,
                   const std::vector<bool>& returned, bool folded, Box& box) {
  box.title = "kernel " + std::to_string(box.fusion) + ": " + std::to_string(box.nodes.size()) +
              (box.nodes.size() == 1 ? " node" : " nodes");
  box.lines.clear();
  box.kind = NodeKind::compute;
  if (folded) {
    box.lines.push_back(line(ops_of(function, box.nodes)));
    return;
  }
  for (const NodeId id : box.nodes)
    box.lines.push_back(node_line(function, text, id, returned[id]));
}

}  // namespace

NodeKind kind_of(ir::Op op) {
  switch (ir::definition(op).kind) {
    case ir::OpClass::parameter:
      return NodeKind::parameter;
    case ir::OpClass::make:
      return NodeKind::constant;
    case ir::OpClass::view:
      return NodeKind::view;
    case ir::OpClass::collective:
      return NodeKind::collective;
    case ir::OpClass::wait:
      return NodeKind::wait;
    case ir::OpClass::elementwise:
    case ir::OpClass::reduce:
    case ir::OpClass::opaque:
    case ir::OpClass::composite:
    case ir::OpClass::control:
      return NodeKind::compute;
  }
  __builtin_unreachable();
}

const char* name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::parameter:
      return "parameter";
    case NodeKind::constant:
      return "constant";
    case NodeKind::compute:
      return "compute";
    case NodeKind::view:
      return "view";
    case NodeKind::collective:
      return "collective";
    case NodeKind::wait:
      return "wait";
  }
  __builtin_unreachable();
}

Picture picture_of(const ir::Graph& function, const FunctionText& text, bool folded) {
  Picture out;
  const std::vector<bool> returned = find_returned(function);
  std::vector<int> box_of(function.node_count());
  std::unordered_map<std::int32_t, int> kernels;
  for (NodeId id = 0; id < function.node_count(); ++id) {
    const std::int32_t fusion = function.node(id).fusion;
    const auto next = static_cast<int>(out.boxes.size());
    const auto [known, is_new] =
        fusion < 0 ? std::pair(kernels.end(), true) : kernels.try_emplace(fusion, next);
    box_of[id] = is_new ? next : known->second;
    if (is_new) {
      out.boxes.push_back(node_box(function, text, id, returned[id]));
    } else {
      out.boxes[static_cast<std::size_t>(box_of[id])].nodes.push_back(id);
    }
  }
  for (Box& box : out.boxes) {
    if (box.fusion >= 0) finish_kernel(function, text, returned, folded, box);
  }
  std::vector<int> seen(out.boxes.size(), -1);  // the last box that each one has an arrow to
  for (const Box& box : out.boxes) {
    const int to = box_of[box.nodes[0]];
    for (const NodeId id : box.nodes) {
      for (const ir::Value operand : function.operands(id)) {
        const int from = box_of[function.producer(operand)];
        if (from == to || std::exchange(seen[static_cast<std::size_t>(from)], to) == to) continue;
        out.arrows.push_back({.from = from, .to = to, .value = operand});
      }
    }
  }
  return out;
}

int width_of(const Box& box) {
  std::size_t characters = count_characters(box.title) + 1;  // it is bold
  for (const std::string& text : box.lines) {
    characters = std::max(characters, count_characters(text));
  }
  const auto width = static_cast<int>(static_cast<double>(characters) * kCharacterWidth);
  return std::max(width + 2 * kPadding, kLeastWidth);
}

int height_of(const Box& box) {
  return static_cast<int>(box.lines.size() + 1) * kLineHeight + kPadding;
}

Layout lay_out(const Picture& picture) {
  std::vector<int> widths;
  for (const Box& box : picture.boxes) widths.push_back(width_of(box));
  std::vector<LayoutEdge> edges;
  for (const Arrow& arrow : picture.arrows) edges.push_back({.from = arrow.from, .to = arrow.to});
  return lay_out(widths, edges);
}

}  // namespace tutti::tools::show
