#include <tutti/codegen/iteration_space.h>
#include <tutti/codegen/kernel_builder.h>
#include <tutti/codegen/lower.h>
#include <tutti/codegen/schedule.h>
#include <tutti/codegen/target.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;
using ir::OpClass;
using ir::ScalarOp;
using ir::Value;

ScalarOp combination(Op op) {
  switch (op) {
    case Op::sum:
      return ScalarOp::add;
    case Op::prod:
      return ScalarOp::mul;
    case Op::max:
      return ScalarOp::maximum;
    case Op::min:
      return ScalarOp::minimum;
    case Op::any:
      return ScalarOp::bit_or;
    case Op::all:
      return ScalarOp::bit_and;
    default:
      throw InternalError("no combination for " + std::string(name_of(op)));
  }
}

// One over no axes at all reduces nothing: it is lowered like an elementwise node.
bool is_reduction(const ir::Graph& graph, NodeId id) {
  return ir::definition(graph.node(id).op).kind == OpClass::reduce &&
         !graph.attributes(id).integers("axes").empty();
}

IterationSpace space_of(const ir::Graph& graph, const std::vector<NodeId>& members) {
  for (const NodeId id : std::views::reverse(members)) {
    if (!is_reduction(graph, id)) continue;
    return {graph.type(graph.operand(id, 0)).shape, graph.attributes(id).integers("axes")};
  }
  return {graph.type(graph.result(members.front())).shape, {}};
}

// A group member's place in the loop nest. A row value is a point value: one per outer point.
struct Place {
  bool row = false;
  int level = 0;  // full: the first loop that can compute it; row: computed just before this loop
  ValueId value = -1;  // row values: once emitted
};

class Lowering {
 public:
  Lowering(const ir::Graph& graph, const std::vector<NodeId>& members, const Views& views,
           const std::vector<bool>& stored, const PeerReadings& peers)
      : graph_(graph),
        members_(members),
        views_(views),
        stored_(stored),
        space_(space_of(graph, members)),
        builder_(peers) {}

  LoweredKernel run() {
    space_.set_axes(builder_.kernel());
    place_members();
    if (!space_.reduces()) {
      begin_segment(false);
      for (const NodeId id : members_) emit_full(id);
    } else {
      int last = 0;
      for (const auto& [value, place] : places_) last = std::max(last, place.level);
      for (int level = 0; level <= last; ++level) {
        point_segment(level);
        loop_segment(level);
      }
    }
    name_kernel();
    return builder_.take();
  }

 private:
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  bool is_alias(NodeId id) const {
    return ir::definition(graph_.node(id).op).kind == OpClass::view;
  }

  void place_members() {
    for (const NodeId id : members_) {
      Place place;
      bool follows_reduction = false;
      for (const Value operand : graph_.operands(id)) {
        const auto found = places_.find(resolve(graph_, operand));
        if (found == places_.end()) continue;
        place.level = std::max(place.level, found->second.level);
        follows_reduction = follows_reduction || found->second.row;
      }
      const Value result = graph_.result(id);
      if (is_reduction(graph_, id)) {
        place.row = true;
        ++place.level;
      } else if (space_.reduces()) {
        const bool same = shape(result) == space_.shape();
        const bool along_outer = builder_.kernel().vector_axis == VectorAxis::outer;
        place.row = !same || (follows_reduction && along_outer);
      }
      places_[result] = place;
    }
  }

  void begin_segment(bool loop) {
    builder_.begin_segment(loop);
    full_values_.clear();
  }

  // Rows that are ready before loop `level`.
  void point_segment(int level) {
    begin_segment(false);
    for (const NodeId id : members_) {
      Place& place = places_[graph_.result(id)];
      if (!place.row || place.level != level) continue;
      if (is_alias(id)) {
        place.value = places_.at(resolve(graph_, graph_.operand(id, 0))).value;
      } else if (!is_reduction(graph_, id)) {
        place.value = builder_.elementwise(graph_, id,
                                           [&](Value operand) { return row_operand(id, operand); });
      } else if (const DType dtype = graph_.type(graph_.result(id)).dtype;
                 ir::compute_dtype(dtype) != dtype) {
        place.value = builder_.round(place.value, dtype);
      }
      store(graph_.result(id), place.value, space_.row_strides(shape(graph_.result(id))));
    }
    const Segment& done = builder_.segment();
    if (done.body.empty() && done.stores.empty()) builder_.drop_segment();
  }

  // The reductions and full stores of one level, with all they need computed again.
  void loop_segment(int level) {
    std::map<Value, bool> needed;
    for (const NodeId member : std::views::reverse(members_)) {
      const Value result = graph_.result(member);
      const Place& place = places_.at(result);
      const bool reduces = is_reduction(graph_, member) && place.level == level + 1;
      const bool stores = !place.row && place.level == level && stored_[result.id];
      if (!reduces && !stores && !(needed[result] && !place.row)) continue;
      needed[result] = true;
      for (const Value operand : graph_.operands(member)) needed[resolve(graph_, operand)] = true;
    }
    begin_segment(true);
    for (const NodeId id : members_) {
      const Value result = graph_.result(id);
      Place& place = places_[result];
      if (!needed[result]) continue;
      if (is_reduction(graph_, id) && place.level == level + 1) {
        const DType dtype = ir::compute_dtype(graph_.type(result).dtype);
        const ValueId value = full_operand(graph_.operand(id, 0));
        place.value = builder_.reduce(combination(graph_.node(id).op), dtype, value);
      } else if (!place.row) {
        emit_full(id, place.level == level);
      }
    }
    const Segment& done = builder_.segment();
    if (done.reductions.empty() && done.stores.empty()) builder_.drop_segment();
  }

  void emit_full(NodeId id, bool may_store = true) {
    const Value result = graph_.result(id);
    const ValueId value =
        is_alias(id) ? full_operand(graph_.operand(id, 0))
                     : builder_.elementwise(graph_, id, [&](Value v) { return full_operand(v); });
    full_values_[result] = value;
    if (may_store) store(result, value, space_.strides());
  }

  // Writes a member's value if it needs storage; `strides` per dimension of the iteration shape.
  void store(Value value, ValueId computed, const std::vector<std::int64_t>& strides) {
    if (!stored_[value.id]) return;
    builder_.store(value, graph_.type(value).dtype, space_.affine(0, strides), computed);
  }

  ValueId full_operand(Value operand) {
    const Value value = resolve(graph_, operand);
    if (const auto found = places_.find(value); found != places_.end()) {
      return found->second.row ? found->second.value : full_values_.at(value);
    }
    const auto strides_of = [&](const View& view) {
      return broadcast_strides(view, space_.shape());
    };
    return read(views_[operand], strides_of, space_.axes());
  }

  ValueId row_operand(NodeId user, Value operand) {
    const Value value = resolve(graph_, operand);
    if (const auto found = places_.find(value); found != places_.end()) return found->second.value;
    const Shape& row = shape(graph_.result(user));
    const auto strides_of = [&](const View& view) {
      return space_.row_strides(row, broadcast_strides(view, row));
    };
    return read(views_[operand], strides_of, space_.row_axes(row));
  }

  // A value from outside the group, whose last dimension is the last of these axes, and so on; and
  // before it the indices that say where it lies. Views have these strides along the axes of the
  // kernel.
  ValueId read(const View& view,
               const std::function<std::vector<std::int64_t>(const View&)>& strides_of,
               std::span<const int> axes) {
    std::vector<ValueId> indices;
    for (const View::Term& term : view.terms) {
      indices.push_back(read(*term.index, strides_of, axes));
    }
    return builder_.read(view, space_.affine(view.offset, strides_of(view)),
                         space_.bounds(view, axes), indices);
  }

  void name_kernel() {
    constexpr std::size_t kNamed = 4;
    std::string& name = builder_.kernel().name;
    std::vector<std::string_view> names;
    for (const NodeId id : members_) {
      if (!is_alias(id)) names.push_back(name_of(graph_.node(id).op));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i >= kNamed / 2 && i + kNamed / 2 < names.size()) continue;
      name += (name.empty() ? "" : "_") + std::string(names[i]);
    }
    if (names.size() > kNamed) name += "_of_" + std::to_string(names.size());
    if (names.empty()) name = "spread";
  }

  const ir::Graph& graph_;
  const std::vector<NodeId>& members_;
  const Views& views_;
  const std::vector<bool>& stored_;
  const IterationSpace space_;
  KernelBuilder builder_;
  std::map<Value, Place> places_;
  std::map<Value, ValueId> full_values_;  // of the segment under construction
};

}  // namespace

std::vector<LoweredKernel> lower_group(const ir::Graph& graph, const std::vector<NodeId>& members,
                                       const Views& views, const std::vector<bool>& stored,
                                       const PeerReadings& peers, const Target& target) {
  LoweredKernel lowered = Lowering(graph, members, views, stored, peers).run();
  merge_axes(lowered.kernel);
  std::vector<LoweredKernel> out = target.schedule(std::move(lowered));
  for (LoweredKernel& part : out) {
    set_block(part.kernel);
    check(part.kernel);
  }
  return out;
}

}  // namespace tutti::codegen
