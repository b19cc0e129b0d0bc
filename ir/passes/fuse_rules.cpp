#include <tutti/ir/passes/fuse.h>

#include <algorithm>
#include <bit>

namespace tutti::ir {

namespace {

bool reduced(const FusionFrame& frame, int dimension) { return (frame.axes >> dimension & 1) != 0; }

// The views that may turn rows around inside a group.
bool is_row_view(Op op) {
  return op == Op::reshape || op == Op::expand_dims || op == Op::squeeze || op == Op::broadcast_to;
}

std::uint8_t mask_of(const std::vector<std::int64_t>& axes) {
  std::uint8_t mask = 0;
  for (const std::int64_t axis : axes) mask = static_cast<std::uint8_t>(mask | 1U << axis);
  return mask;
}

}  // namespace

bool FusionFrame::reduces_rows() const {
  const int count = std::popcount(axes);
  if (count == 0 || count == shape.rank()) return false;
  return axes == ((1 << count) - 1) << (shape.rank() - count);
}

bool is_alias(Op op) { return op == Op::vary || op == Op::identity; }

std::vector<Value> look_through_aliases(const Graph& graph) {
  std::vector<Value> sources(graph.value_count());
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const bool alias = is_alias(graph.node(id).op);
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      const Value result = graph.result(id, i);
      sources[result.id] = alias ? sources[graph.operand(id, 0).id] : result;
    }
  }
  return sources;
}

FusionPlace place_of(const Shape& shape, const FusionFrame& frame) {
  if (shape == frame.shape) return FusionPlace::full;
  if (frame.axes == 0) return FusionPlace::none;
  const bool kept = shape.rank() == frame.shape.rank();
  if (!kept && shape.rank() != frame.shape.rank() - std::popcount(frame.axes))
    return FusionPlace::none;
  int at = 0;
  for (int d = 0; d < frame.shape.rank(); ++d) {
    if (reduced(frame, d) && !kept) continue;
    if (shape[at++] != (reduced(frame, d) ? 1 : frame.shape[d])) return FusionPlace::none;
  }
  return kept ? FusionPlace::kept_row : FusionPlace::row;
}

std::optional<FusionFrame> frame_of(const Graph& graph, NodeId node) {
  const Op op = graph.node(node).op;
  const OpClass kind = definition(op).kind;
  if (kind == OpClass::reduce) {
    return FusionFrame{.shape = graph.type(graph.operand(node, 0)).shape,
                       .axes = mask_of(graph.attributes(node).integers("axes")),
                       .device = graph.device(graph.result(node))};
  }
  if (kind != OpClass::elementwise && !is_row_view(op)) return std::nullopt;
  const Type& type = graph.type(graph.result(node));
  if (type.async) return std::nullopt;
  return FusionFrame{.shape = type.shape, .axes = 0, .device = graph.device(graph.result(node))};
}

FusionFrame frame_of(const Graph& graph, const FusionGroup& group) {
  for (const NodeId member : group.members) {
    if (definition(graph.node(member).op).kind == OpClass::reduce) return *frame_of(graph, member);
  }
  return *frame_of(graph, group.members.front());
}

bool may_read(const Graph& graph, const FusionFrame& frame, const Shape& operand, NodeId reader) {
  const OpClass kind = definition(graph.node(reader).op).kind;
  const FusionPlace from = place_of(operand, frame);
  if (from == FusionPlace::none) return false;
  if (kind == OpClass::reduce) return from == FusionPlace::full;
  const Shape& result = graph.type(graph.result(reader)).shape;
  const FusionPlace to = place_of(result, frame);
  if (to == FusionPlace::none) return false;
  if (to == FusionPlace::full) {
    if (from == FusionPlace::full) return kind == OpClass::elementwise;
    const bool broadcasts =
        kind == OpClass::elementwise || graph.node(reader).op == Op::broadcast_to;
    return from == FusionPlace::kept_row && frame.reduces_rows() && broadcasts;
  }
  if (kind == OpClass::view) return from != FusionPlace::full;
  return operand == result;
}

std::vector<FusionGroup> fusion_groups(const Graph& graph) {
  std::vector<FusionGroup> groups;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const std::int32_t fusion = graph.node(id).fusion;
    if (fusion < 0) continue;
    const auto index = static_cast<std::size_t>(fusion);
    if (index >= graph.node_count()) {
      throw InternalError("a node of @" + graph.name + " is in group " + std::to_string(fusion) +
                              ", but groups are numbered from 0 without gaps",
                          graph.node(id).location);
    }
    if (index >= groups.size()) groups.resize(index + 1);
    groups[index].members.push_back(id);
  }
  return groups;
}

}  // namespace tutti::ir
