#include <tutti/codegen/lower.h>
#include <tutti/codegen/schedule.h>
#include <tutti/codegen/target.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

namespace tutti::codegen {

namespace {

using ir::Cell;
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
      : graph_(graph), members_(members), views_(views), stored_(stored), peers_(peers) {}

  LoweredKernel run() {
    find_shape();
    place_members();
    if (reduced_.empty()) {
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
    LoweredKernel out{std::move(kernel_), std::move(arguments_)};
    return out;
  }

 private:
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  bool is_member(Value value) const { return places_.count(value) != 0; }
  bool is_alias(NodeId id) const {
    return ir::definition(graph_.node(id).op).kind == OpClass::view;
  }
  // One over no axes at all reduces nothing: it is lowered like an elementwise node.
  bool is_reduction(NodeId id) const {
    return ir::definition(graph_.node(id).op).kind == OpClass::reduce &&
           !graph_.attributes(id).integers("axes").empty();
  }

  // The iteration shape and which of its axes are reduced.
  void find_shape() {
    for (const NodeId id : members_) {
      if (!is_reduction(id)) continue;
      space_ = shape(graph_.operand(id, 0));
      reduced_ = graph_.attributes(id).integers("axes");
    }
    if (reduced_.empty()) space_ = shape(graph_.result(members_.front()));
    kept_ = {};
    for (int d = 0; d < space_.rank(); ++d) {
      const bool reduced = std::find(reduced_.begin(), reduced_.end(), d) != reduced_.end();
      (reduced ? kernel_.inner : kernel_.outer).push_back(space_[d]);
      if (!reduced) kept_.push_back(d);
    }
    kernel_.vector_axis = reduces_along_memory() ? VectorAxis::inner : VectorAxis::outer;
  }

  // Whether neighbours in memory go into one sum: all of a row, or pieces of it long enough for a
  // vector, as where axes {0, 2, 3} of images are reduced.
  bool reduces_along_memory() const {
    constexpr std::int64_t kLongPiece = 16;
    std::int64_t piece = 1;
    auto axis = static_cast<std::int64_t>(space_.rank());
    auto reduced = reduced_.rbegin();
    for (; reduced != reduced_.rend() && *reduced == axis - 1; ++reduced) {
      piece *= space_[static_cast<int>(--axis)];
    }
    if (reduced == reduced_.rbegin()) return false;  // the last axis is kept, or there are none
    return reduced == reduced_.rend() || piece >= kLongPiece;
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
      if (is_reduction(id)) {
        place.row = true;
        ++place.level;
      } else if (!reduced_.empty()) {
        const bool same = shape(result) == space_;
        place.row = !same || (follows_reduction && kernel_.vector_axis == VectorAxis::outer);
      }
      places_[result] = place;
    }
  }

  void begin_segment(bool loop) {
    kernel_.segments.push_back({.loop = loop, .body = {}, .reductions = {}, .stores = {}});
    full_values_.clear();
    leaves_.clear();
  }
  Segment& segment() { return kernel_.segments.back(); }

  ValueId emit(Instruction instruction) {
    instruction.result = kernel_.value_count++;
    segment().body.push_back(std::move(instruction));
    return kernel_.value_count - 1;
  }

  // Rows that are ready before loop `level`.
  void point_segment(int level) {
    begin_segment(false);
    for (const NodeId id : members_) {
      Place& place = places_[graph_.result(id)];
      if (!place.row || place.level != level) continue;
      if (is_alias(id)) {
        place.value = places_.at(resolve(graph_, graph_.operand(id, 0))).value;
      } else if (!is_reduction(id)) {
        place.value = emit_elementwise(id, [&](Value operand) { return row_operand(id, operand); });
      } else if (const DType dtype = graph_.type(graph_.result(id)).dtype;
                 ir::compute_dtype(dtype) != dtype) {
        place.value = emit_round(place.value, dtype);
      }
      store(graph_.result(id), place.value, row_strides(shape(graph_.result(id))));
    }
    if (segment().body.empty() && segment().stores.empty()) kernel_.segments.pop_back();
  }

  // The reductions and full stores of one level, with all they need computed again.
  void loop_segment(int level) {
    std::map<Value, bool> needed;
    for (const NodeId member : std::views::reverse(members_)) {
      const Value result = graph_.result(member);
      const Place& place = places_.at(result);
      const bool reduces = is_reduction(member) && place.level == level + 1;
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
      if (is_reduction(id) && place.level == level + 1) {
        const DType dtype = ir::compute_dtype(graph_.type(result).dtype);
        const ValueId value = full_operand(graph_.operand(id, 0));
        place.value = kernel_.value_count++;
        segment().reductions.push_back({.combine = combination(graph_.node(id).op),
                                        .dtype = dtype,
                                        .value = value,
                                        .result = place.value});
      } else if (!place.row) {
        emit_full(id, place.level == level);
      }
    }
    const Segment& done = segment();
    if (done.reductions.empty() && done.stores.empty()) kernel_.segments.pop_back();
  }

  void emit_full(NodeId id, bool may_store = true) {
    const Value result = graph_.result(id);
    const ValueId value = is_alias(id)
                              ? full_operand(graph_.operand(id, 0))
                              : emit_elementwise(id, [&](Value v) { return full_operand(v); });
    full_values_[result] = value;
    const auto strides = space_.strides();
    if (may_store) store(result, value, {strides.begin(), strides.begin() + space_.rank()});
  }

  // Writes a member's value if it needs storage; `strides` per dimension of the iteration shape.
  void store(Value value, ValueId computed, const std::vector<std::int64_t>& strides) {
    if (!stored_[value.id]) return;
    const int buffer = add_buffer(value, graph_.type(value).dtype, true);
    segment().stores.push_back(
        {.buffer = buffer, .address = affine(0, strides), .value = computed});
  }

  // Splits strides per dimension of the iteration shape into outer and inner ones.
  Affine affine(std::int64_t offset, const std::vector<std::int64_t>& strides) const {
    Affine out{.offset = offset, .outer = {}, .inner = {}};
    for (std::size_t d = 0; d < strides.size(); ++d) {
      const bool reduced = std::find(reduced_.begin(), reduced_.end(), d) != reduced_.end();
      (reduced ? out.inner : out.outer).push_back(strides[d]);
    }
    return out;
  }

  // Strides per dimension of `from`, a row shape with or without the reduced axes, laid out over
  // the iteration shape.
  std::vector<std::int64_t> over_space(const Shape& from,
                                       std::span<const std::int64_t> strides) const {
    std::vector<std::int64_t> out(static_cast<std::size_t>(space_.rank()), 0);
    if (from.rank() == space_.rank()) {
      for (const int d : kept_)
        out[static_cast<std::size_t>(d)] = strides[static_cast<std::size_t>(d)];
    } else if (from.rank() == static_cast<int>(kept_.size())) {
      for (std::size_t i = 0; i < kept_.size(); ++i)
        out[static_cast<std::size_t>(kept_[i])] = strides[i];
    } else {
      throw InternalError("a fused row of shape " + from.text() + " does not fit " + space_.text());
    }
    return out;
  }

  std::vector<std::int64_t> row_strides(const Shape& from) const {
    const auto strides = from.strides();
    return over_space(from, std::span(strides.data(), static_cast<std::size_t>(from.rank())));
  }

  ValueId full_operand(Value operand) {
    const Value value = resolve(graph_, operand);
    if (const auto found = places_.find(value); found != places_.end()) {
      return found->second.row ? found->second.value : full_values_.at(value);
    }
    const View& view = views_[operand];
    const int skip = space_.rank() - view.shape.rank();
    return leaf(view, broadcast_strides(view, space_), [&](int d) { return d + skip; });
  }

  ValueId row_operand(NodeId user, Value operand) {
    const Value value = resolve(graph_, operand);
    if (const auto found = places_.find(value); found != places_.end()) return found->second.value;
    const Shape& row = shape(graph_.result(user));
    const View& view = views_[operand];
    const int skip = row.rank() - view.shape.rank();
    const bool has_all_axes = row.rank() == space_.rank();
    return leaf(view, over_space(row, broadcast_strides(view, row)), [&](int d) {
      return has_all_axes ? d + skip : kept_[static_cast<std::size_t>(d + skip)];
    });
  }

  // The bounds of a view, whose dimension d is dimension place(d) of the iteration shape.
  template <class F>
  std::vector<Bound> bounds_of(const View& view, F&& place) const {
    std::vector<Bound> out;
    for (int d = 0; d < view.shape.rank(); ++d) {
      if (!view.is_bounded(d)) continue;
      const View::Range inside = view.inside[static_cast<std::size_t>(d)];
      const std::int64_t own = place(d);
      const bool inner = std::ranges::find(reduced_, own) != reduced_.end();
      int axis = 0;
      for (std::int64_t other = 0; other < own; ++other) {
        if ((std::ranges::find(reduced_, other) != reduced_.end()) == inner) ++axis;
      }
      out.push_back({.inner = inner, .axis = axis, .begin = inside.begin, .end = inside.end});
    }
    return out;
  }

  // A value from outside the group.
  template <class F>
  ValueId leaf(const View& view, const std::vector<std::int64_t>& strides, F&& place) {
    const Affine address = affine(view.offset, strides);
    const std::vector<Bound> bounds = bounds_of(view, place);
    const DType dtype = ir::compute_dtype(view.dtype);
    if (view.source == View::Source::constant) {
      return emit({.kind = Instruction::Kind::constant,
                   .dtype = dtype,
                   .constant = ir::load_cell(view.dtype, view.scalar->bytes().data()),
                   .type = dtype});
    }
    const auto peers = view.source == View::Source::index ? peers_.end() : peers_.find(view.base);
    const bool combined = peers != peers_.end();
    const int buffer =
        view.source == View::Source::index
            ? -1
            : add_buffer(view.base, view.dtype, false, combined ? 0 : -1, starts_of(view));
    for (const auto& [key, value] : leaves_) {
      if (key.buffer == buffer && key.dtype == view.dtype && key.address == address &&
          key.bounds == bounds && (bounds.empty() || *key.around == *view.scalar)) {
        return value;
      }
    }
    ValueId value = -1;
    if (view.source == View::Source::index) {
      value = emit({.kind = Instruction::Kind::index,
                    .dtype = DType::i64,
                    .address = address,
                    .type = DType::i64});
      if (view.dtype != DType::i64) value = emit_cast(value, DType::i64, view.dtype);
    } else {
      value = emit_load(buffer, view.dtype, address);
      if (!bounds.empty()) {
        Instruction& load = segment().body.back();
        load.bounds = bounds;
        load.constant = ir::load_cell(view.dtype, view.scalar->bytes().data());
      }
      if (combined) value = combine(peers->second, view, address, value);
    }
    leaves_.push_back({{buffer, view.dtype, address, bounds, view.scalar}, value});
    return value;
  }

  ValueId emit_load(int buffer, DType dtype, const Affine& address) {
    return emit({.kind = Instruction::Kind::load,
                 .dtype = dtype,
                 .buffer = buffer,
                 .address = address,
                 .type = ir::compute_dtype(dtype)});
  }

  // What the first member has, combined with what the others have.
  ValueId combine(const PeerReading& peers, const View& view, const Affine& address,
                  ValueId value) {
    const DType dtype = ir::compute_dtype(view.dtype);
    const auto apply = [&](ScalarOp op, ValueId other) {
      value = emit({.kind = Instruction::Kind::scalar,
                    .op = op,
                    .operands = {value, other, -1},
                    .dtype = dtype,
                    .type = dtype});
    };
    for (int member = 1; member < peers.members; ++member) {
      const int buffer = add_buffer(view.base, view.dtype, false, member);
      apply(ir::combination_of(name_of(peers.reduction)), emit_load(buffer, view.dtype, address));
    }
    if (peers.reduction == runtime::Reduction::mean) {
      apply(ScalarOp::div, emit({.kind = Instruction::Kind::constant,
                                 .dtype = dtype,
                                 .constant = ir::cell_of(dtype, peers.members),
                                 .type = dtype}));
    }
    return dtype == view.dtype ? value : emit_round(value, view.dtype);
  }

  ValueId emit_round(ValueId value, DType dtype) {
    return emit({.kind = Instruction::Kind::round,
                 .operands = {value, -1, -1},
                 .dtype = dtype,
                 .type = DType::f32});
  }

  ValueId emit_cast(ValueId value, DType from, DType to) {
    const DType compute = ir::compute_dtype(to);
    const ValueId cast = emit({.kind = Instruction::Kind::scalar,
                               .op = ScalarOp::cast,
                               .operands = {value, -1, -1},
                               .dtype = ir::compute_dtype(from),
                               .to = compute,
                               .type = compute});
    return compute == to ? cast : emit_round(cast, to);
  }

  // Expands the meaning of an elementwise node over its operands.
  template <class F>
  ValueId emit_elementwise(NodeId id, F&& operand_value) {
    const std::size_t count = graph_.node(id).operand_count;
    const DType from = graph_.type(graph_.operand(id, count - 1)).dtype;
    const DType to = graph_.type(graph_.result(id)).dtype;
    const Op op = graph_.node(id).op;
    if (op == Op::cast) return emit_cast(operand_value(graph_.operand(id, 0)), from, to);
    if (op == Op::bitcast) {
      return emit({.kind = Instruction::Kind::scalar,
                   .op = ScalarOp::bitcast,
                   .operands = {operand_value(graph_.operand(id, 0)), -1, -1},
                   .dtype = from,
                   .to = to,
                   .type = ir::compute_dtype(to)});
    }
    const DType dtype = ir::compute_dtype(from);
    const auto constant = [&](double number) {
      return emit({.kind = Instruction::Kind::constant,
                   .dtype = dtype,
                   .constant = ir::cell_of(dtype, number),
                   .type = dtype});
    };
    if (ir::definition(op).kind == OpClass::reduce) {
      const ValueId value = operand_value(graph_.operand(id, 0));
      if (op != Op::sum || !is_floating(from)) return value;
      // A sum starts at 0, and 0 + -0 is 0.
      return emit({.kind = Instruction::Kind::scalar,
                   .op = ScalarOp::add,
                   .operands = {value, constant(0), -1},
                   .dtype = dtype,
                   .type = dtype});
    }
    struct Part {
      ValueId value;
      DType type;
    };
    std::vector<Part> parts;
    for (const ir::ScalarNode& node : ir::definition(op).meaning->nodes) {
      const auto part = [&](std::size_t i) {
        return parts[static_cast<std::size_t>(node.operands[i])];
      };
      if (node.op == ScalarOp::argument) {
        const Value operand = graph_.operand(id, static_cast<std::size_t>(node.operands[0]));
        parts.push_back({operand_value(operand), ir::compute_dtype(graph_.type(operand).dtype)});
      } else if (node.op == ScalarOp::constant) {
        parts.push_back({constant(node.constant), dtype});
      } else {
        const DType operands = part(node.op == ScalarOp::select ? 1 : 0).type;
        const DType type = ir::is_comparison(node.op) ? DType::boolean : operands;
        Instruction instruction{
            .kind = Instruction::Kind::scalar, .op = node.op, .dtype = operands, .type = type};
        for (std::size_t i = 0; i < static_cast<std::size_t>(operand_count(node.op)); ++i) {
          instruction.operands[i] = part(i).value;
        }
        parts.push_back({emit(std::move(instruction)), type});
      }
    }
    const ValueId value = parts.back().value;
    return ir::compute_dtype(to) == to ? value : emit_round(value, to);
  }

  int add_buffer(Value value, DType dtype, bool written, int member = -1,
                 const std::vector<Start>& starts = {}) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].value == value && arguments_[i].member == member &&
          kernel_.buffers[i].written == written && kernel_.buffers[i].dtype == dtype &&
          kernel_.buffers[i].starts == starts) {
        return static_cast<int>(i);
      }
    }
    arguments_.push_back({.value = value, .member = member});
    kernel_.buffers.push_back({.dtype = dtype, .written = written, .starts = starts});
    return static_cast<int>(arguments_.size()) - 1;
  }

  std::vector<Start> starts_of(const View& view) {
    std::vector<Start> out;
    for (const View::Start& start : view.starts) {
      out.push_back({.buffer = add_buffer(start.index, start.dtype, false),
                     .element = start.element,
                     .most = start.most,
                     .stride = start.stride});
    }
    return out;
  }

  void name_kernel() {
    constexpr std::size_t kNamed = 4;
    std::vector<std::string_view> names;
    for (const NodeId id : members_) {
      if (!is_alias(id)) names.push_back(name_of(graph_.node(id).op));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i >= kNamed / 2 && i + kNamed / 2 < names.size()) continue;
      kernel_.name += (kernel_.name.empty() ? "" : "_") + std::string(names[i]);
    }
    if (names.size() > kNamed) kernel_.name += "_of_" + std::to_string(names.size());
    if (names.empty()) kernel_.name = "spread";
  }

  struct LeafKey {
    int buffer;
    DType dtype;
    Affine address;
    std::vector<Bound> bounds;
    const ir::Array* around;  // where there are bounds: what is outside of them
  };

  const ir::Graph& graph_;
  const std::vector<NodeId>& members_;
  const Views& views_;
  const std::vector<bool>& stored_;
  const PeerReadings& peers_;
  Shape space_;
  std::vector<std::int64_t> reduced_;
  std::vector<int> kept_;
  Kernel kernel_;
  std::vector<LoweredKernel::Argument> arguments_;
  std::map<Value, Place> places_;
  // Of the segment under construction:
  std::map<Value, ValueId> full_values_;
  std::vector<std::pair<LeafKey, ValueId>> leaves_;
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
