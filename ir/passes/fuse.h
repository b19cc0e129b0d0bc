#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <optional>
#include <vector>

// What a group of fused nodes may be: the rules that the fuse pass keeps and the code generator
// relies on.
//
// - *Free* nodes are never members: values from nowhere (OpClass::make) and aliases (vary,
// identity).
//   The code generator makes the former anew where they are needed and looks through the latter,
//   and so does everything below: an operand reached through aliases counts as reached directly.
// - Members are elementwise nodes, reductions, and views of the kind described last. Every
// elementwise
//   and every reduction is in a group, if need be alone.
// - A group has one frame: a device, a shape S, and the axes of S that its reductions reduce, all
// of them the
//   same ones, from operands of shape S. A member's result is *full* (shape S) or a *row* (S
//   without the axes, or with size 1 in their place: a *kept* row).
// - If the axes are the last ones of S but not all (softmax, layer norm), reductions and full nodes
//   alternate freely: a full node reads a kept row by broadcasting. Otherwise (column sums, sums
//   over everything) reductions come at the end: only rows may follow them, and no full node reads
//   a row.
// - Rows read rows of exactly their own shape. Whatever comes from outside the group is read by
//   NumPy's broadcasting.
// - A view of a value from outside is not a member: the code generator reads through it with
// strides.
//   A view of a value computed in the group ends the group, with one exception: reshape,
//   expand_dims, squeeze and broadcast_to that turn a row into the other kind of row, or a kept row
//   into a full value where full nodes may read rows, are members if a member reads them.
// - At most kMaxFusionMembers members, kMaxFusionInputs different values read from outside (numbers
//   and iota not counted) and kMaxFusionOutputs results used outside.
// - No path leads out of a group and back into it; the program order of collectives counts as a
// path.
// - Members are side by side in program order, but for aliases of members that a member reads,
// which
//   stand between.
namespace tutti::ir {

inline constexpr std::size_t kMaxFusionMembers = 64;
inline constexpr std::size_t kMaxFusionInputs = 24;
inline constexpr std::size_t kMaxFusionOutputs = 16;

// The nodes of one kernel, in program order.
struct FusionGroup {
  std::vector<NodeId> members;
};

// The groups of a fused graph; group i has the fusion id i.
std::vector<FusionGroup> fusion_groups(const Graph& graph);

// The shape a group's loops run over.
struct FusionFrame {
  Shape shape;
  std::uint8_t axes = 0;  // bit d: dimension d is reduced; 0: the group reduces nothing
  Device device = {};     // of all that the group computes

  // The axes are the last dimensions, but not all.
  bool reduces_rows() const;
  friend bool operator==(const FusionFrame&, const FusionFrame&) = default;
};

// How a member's result fits a frame.
enum class FusionPlace : std::uint8_t { none, full, row, kept_row };

// vary and identity: the operand under another name.
bool is_alias(Op op);
// Every value's source: itself, or what it is an alias of.
std::vector<Value> look_through_aliases(const Graph& graph);

FusionPlace place_of(const Shape& shape, const FusionFrame& frame);
// The frame a node has by itself; none for what cannot be a member. (A view may be one beside
// others only.) Reductions over dimensions of size 1 only have one as well, but can't share it:
// their rows look like full values.
std::optional<FusionFrame> frame_of(const Graph& graph, NodeId node);
// The frame of a whole group.
FusionFrame frame_of(const Graph& graph, const FusionGroup& group);
// Whether a member may read a value of that shape that is computed in its group.
bool may_read(const Graph& graph, const FusionFrame& frame, const Shape& operand, NodeId reader);

}  // namespace tutti::ir
