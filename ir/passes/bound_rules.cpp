#include <tutti/ir/cumulative.h>
#include <tutti/ir/neutral.h>
#include <tutti/ir/passes/bound_control.h>
#include <tutti/ir/passes/bound_sizes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// How each op is rebuilt with its sizes at their bounds. Behind the elements that a value has in
// the instance lies anything, also NaN: it is replaced where an op would mix it with others.
namespace tutti::ir {

namespace {

Array zero_of(DType dtype) { return {dtype, {}}; }

// The least number of a dtype, or the largest: what loses against every other one.
Array extreme(DType dtype, bool largest) {
  return neutral(largest ? ScalarOp::minimum : ScalarOp::maximum, dtype);
}

void reduction(SizeBounds& in) {
  const DType dtype = in.operand(0).dtype();
  Array fill = zero_of(dtype);
  if (in.op() == Op::prod || in.op() == Op::all) fill = Array::scalar_of(dtype, 1);
  if (in.op() == Op::max) fill = extreme(dtype, false);
  if (in.op() == Op::min) fill = extreme(dtype, true);
  const Value x = in.filled_operand(0, in.attributes().integers("axes"), fill).value();
  in.copy({&x, 1});
}

void extreme_place(SizeBounds& in) {
  const Array fill = extreme(in.operand(0).dtype(), in.op() == Op::argmin);
  const std::int64_t axis = in.attributes().integer("axis");
  const Value x = in.filled_operand(0, {&axis, 1}, fill).value();
  in.copy({&x, 1});
}

// What was put behind the elements stays behind them, since equal ones keep their order.
void sort(SizeBounds& in) {
  const DType dtype = in.operand(0).dtype();
  const bool descending = in.attributes().flag("descending");
  const bool nan_is_last = !descending && is_floating(dtype);
  const Array fill = nan_is_last ? Array::scalar_of(dtype, std::numeric_limits<double>::quiet_NaN())
                                 : extreme(dtype, !descending);
  const std::int64_t axis = in.attributes().integer("axis");
  const Value x = in.filled_operand(0, {&axis, 1}, fill).value();
  in.copy({&x, 1});
}

// What lies behind is gone through first if it goes backwards: it has to change nothing.
void running_reduction(SizeBounds& in, ScalarOp combine) {
  if (!in.attributes().flag("reverse")) return in.copy();
  const Array fill = neutral(combine, in.operand(0).dtype());
  const std::int64_t axis = in.attributes().integer("axis");
  const Value x = in.filled_operand(0, {&axis, 1}, fill).value();
  in.copy({&x, 1});
}

void matmul(SizeBounds& in) {
  const std::int64_t last = in.operand(0).shape().rank() - 1;
  const std::int64_t before_last = in.operand(1).shape().rank() - 2;
  const Array zero = zero_of(in.operand(0).dtype());
  const std::vector<Value> operands{in.filled_operand(0, {&last, 1}, zero).value(),
                                    in.filled_operand(1, {&before_last, 1}, zero).value()};
  in.copy(operands);
}

void reshape_rule(SizeBounds& in) {
  const Value old = in.from().operand(in.node(), 0);
  in.result(in.reshaped(in.operand(0), size_expressions(in.from(), old),
                        size_expressions(in.from(), in.from().result(in.node()))));
}

// A part that begins at a place that varies is taken first, then every step-th of it.
void slice(SizeBounds& in) {
  Term x = in.operand(0);
  const auto rank = static_cast<std::size_t>(x.shape().rank());
  std::vector<std::int64_t> start = in.attributes().integers("start");
  std::vector<std::int64_t> stop = in.attributes().integers("stop");
  const std::vector<std::int64_t> step = in.attributes().integers("step");
  std::vector<SizeExpression> starts(rank);
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  bool moves = false;
  if (in.attribute_varies("step")) in.fail("`step` cannot vary in size");
  for (std::size_t d = 0; d < rank; ++d) {
    const SizeExpression begin = in.attribute("start", d);
    if (begin.is_constant()) continue;
    moves = true;
    starts[d] = begin;
    sizes[d] = in.largest(in.attribute("stop", d) - begin);
    start[d] = 0;
    stop[d] = sizes[d];
  }
  if (moves) x = in.part(x, starts, sizes);
  in.result(x.apply(Op::slice, {start, stop, step}));
}

void reverse(SizeBounds& in) {
  Term x = in.operand(0);
  const auto rank = static_cast<std::size_t>(x.shape().rank());
  std::vector<SizeExpression> starts(rank);
  bool moves = false;
  for (const std::int64_t axis : in.attributes().integers("axes")) {
    const auto d = static_cast<int>(axis);
    if (!in.operand_varies(0, d)) continue;
    moves = true;
    starts[static_cast<std::size_t>(axis)] = x.shape()[d] - in.operand_size(0, d);
  }
  const std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  x = x.apply(Op::reverse, {in.attributes().integers("axes")});
  in.result(moves ? in.part(x, starts, sizes) : x);
}

// What lies behind the elements is shown as zeros, and is right.
void observe(SizeBounds& in) {
  std::vector<std::int64_t> axes;
  for (int d = 0; d < in.operand(0).shape().rank(); ++d) {
    if (in.operand_varies(0, d)) axes.push_back(d);
  }
  const Array zero = zero_of(in.operand(0).dtype());
  const std::vector<Value> operands{in.filled_operand(0, axes, zero).value()};
  in.copy(operands);
}

// What lies behind the elements becomes padding.
void pad(SizeBounds& in) {
  const Term x = in.operand(0);
  const Term value = in.operand(1);
  std::vector<SizeExpression> sizes;
  for (int d = 0; d < x.shape().rank(); ++d) {
    const auto place = static_cast<std::size_t>(d);
    if (!in.attribute("low", place).is_constant()) in.fail("`low` cannot vary in size");
    if (!in.attribute("interior", place).is_constant()) in.fail("`interior` cannot vary in size");
    sizes.push_back(in.operand_size(0, d));
  }
  const Term inside = in.inside(x.shape(), sizes);
  const Value filled = inside.valid() ? select(inside, x, value).value() : x.value();
  const std::vector<Value> operands{filled, value.value()};
  in.copy(operands);
}

// Each operand is put over what lies behind the one before.
void concat(SizeBounds& in) {
  const auto axis = static_cast<int>(in.attributes().integer("axis"));
  const std::size_t count = in.operands().size();
  bool moves = false;
  for (std::size_t i = 0; i + 1 < count; ++i) moves = moves || in.operand_varies(i, axis);
  if (!moves) return in.copy();
  const Type& type = in.from().type(in.from().result(in.node()));
  Term out = broadcast_to({&in.builder(), in.builder().constant(zero_of(type.dtype))}, type.shape);
  std::vector<SizeExpression> starts(static_cast<std::size_t>(type.shape.rank()));
  for (std::size_t i = 0; i < count; ++i) {
    out = apply(Op::dynamic_update_slice, out, in.operand(i), in.starts(starts));
    SizeExpression& start = starts[static_cast<std::size_t>(axis)];
    start = start + in.operand_size(i, axis);
  }
  in.result(out);
}

// Indices are clamped to what the instance has.
void take(SizeBounds& in) {
  const auto axis = static_cast<int>(in.attributes().integer("axis"));
  if (!in.operand_varies(0, axis)) return in.copy();
  Term indices = in.operand(1);
  if (indices.dtype() != DType::u64) indices = cast(indices, DType::i64);
  const Term last = cast(in.size(in.operand_size(0, axis) - 1), indices.dtype());
  const std::vector<Value> operands{in.operand(0).value(), minimum(indices, last).value()};
  in.copy(operands);
}

// Indices that the instance has not are out of range.
void scatter_add(SizeBounds& in) {
  Term indices = in.operand(1);
  if (!size_varies(in.from(), in.from().operand(in.node(), 1))) return in.copy();
  const std::vector<SizeExpression> sizes =
      size_expressions(in.from(), in.from().operand(in.node(), 1));
  const bool wide = indices.dtype() == DType::u64;
  if (!wide) indices = cast(indices, DType::i64);
  const Array outside = wide ? extreme(DType::u64, true) : Array::scalar(std::int64_t{-1});
  indices = in.filled(indices, sizes, outside);
  const std::vector<Value> operands{in.operand(0).value(), indices.value(), in.operand(2).value()};
  in.copy(operands);
}

// The starts as i64, no larger than what fits into the instance. `sizes` are the part's.
Term clamped_starts(SizeBounds& in, Term starts, std::span<const SizeExpression> sizes) {
  std::vector<SizeExpression> last;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    last.push_back(in.operand_size(0, static_cast<int>(d)) - sizes[d]);
  }
  const Term most = in.starts(last);
  // A u64 beyond the range of i64 is too large, not negative.
  if (starts.dtype() == DType::u64)
    return cast(minimum(starts, cast(most, DType::u64)), DType::i64);
  return maximum(minimum(cast(starts, DType::i64), most), 0);
}

// x with room behind it, so that a part that begins inside fits.
Term with_room(SizeBounds& in, Term x, std::span<const std::int64_t> sizes) {
  const std::vector<std::int64_t> none(sizes.size());
  return apply(Op::pad, x, {&in.builder(), in.builder().constant(zero_of(x.dtype()))},
               {none, std::vector<std::int64_t>(sizes.begin(), sizes.end()), none});
}

void dynamic_slice(SizeBounds& in) {
  const std::vector<std::int64_t> most = in.attributes().integers("sizes");
  std::vector<SizeExpression> sizes;
  std::vector<std::int64_t> room;
  for (std::size_t d = 0; d < most.size(); ++d) {
    sizes.push_back(in.attribute("sizes", d));
    room.push_back(sizes[d].is_constant() ? 0 : most[d]);
  }
  const Term starts = clamped_starts(in, in.operand(1), sizes);
  const bool fits = std::ranges::all_of(room, [](std::int64_t r) { return r == 0; });
  const Term x = fits ? in.operand(0) : with_room(in, in.operand(0), room);
  in.result(apply(Op::dynamic_slice, x, starts, {most}));
}

// Of an update that varies only the elements that it has come to stand in x.
void dynamic_update_slice(SizeBounds& in) {
  Term x = in.operand(0);
  Term update = in.operand(1);
  std::vector<SizeExpression> sizes;
  std::vector<std::int64_t> room;
  for (int d = 0; d < x.shape().rank(); ++d) {
    sizes.push_back(in.operand_size(1, d));
    room.push_back(sizes.back().is_constant() ? 0 : update.shape()[d]);
  }
  const Term starts = clamped_starts(in, in.operand(2), sizes);
  if (std::ranges::all_of(room, [](std::int64_t r) { return r == 0; })) {
    const std::vector<Value> operands{x.value(), update.value(), starts.value()};
    return in.copy(operands);
  }
  const Shape shape = x.shape();
  x = with_room(in, x, room);
  const std::vector<std::int64_t> extents(update.shape().begin(), update.shape().end());
  const Term old = apply(Op::dynamic_slice, x, starts, {extents});
  const Term inside = in.inside(update.shape(), sizes);
  x = apply(Op::dynamic_update_slice, x, select(inside, update, old), starts);
  const std::vector<std::int64_t> none(extents.size());
  const std::vector<std::int64_t> ones(extents.size(), 1);
  in.result(
      x.apply(Op::slice, {none, std::vector<std::int64_t>(shape.begin(), shape.end()), ones}));
}

// Numbers are drawn by their place in the instance.
void random(SizeBounds& in) {
  const Value old = in.from().result(in.node());
  const std::vector<SizeExpression> sizes = size_expressions(in.from(), old);
  if (in.has_leading_layout(sizes)) return in.copy();
  std::vector<Attribute> attributes = in.from().node(in.node()).attributes;
  attributes.back() = std::vector<std::int64_t>{in.from().type(old).shape.elements()};
  const Term flat = {&in.builder(),
                     in.builder().add(in.op(), in.operands(), std::move(attributes))};
  in.result(apply(Op::take, flat, in.numbers(sizes), {std::int64_t{0}}));
}

void size_rule(SizeBounds& in) {
  const Attributes attributes = in.attributes();
  const DType dtype = attributes.dtype("dtype");
  const Term value = in.size(in.attribute("value"));
  // Rounded once.
  in.result(cast(attributes.flag("reciprocal") ? 1 / cast(value, DType::f64) : value, dtype));
}

void collective(SizeBounds& in) {
  for (const std::string_view name : {"sizes", "send_sizes", "receive_sizes", "part"}) {
    if (!in.attribute_varies(name)) continue;
    in.fail(std::string(name) + " cannot vary: where a rank's part begins would depend on it");
  }
  const auto& specs = definition(in.op()).attributes;
  const bool has_axis = std::ranges::find(specs, "axis", &AttributeSpec::name) != specs.end();
  for (std::size_t i = 0; has_axis && i < in.operands().size(); ++i) {
    if (!in.operand_varies(i, static_cast<int>(in.attributes().integer("axis")))) continue;
    in.fail("the ranks' parts cannot vary in size along axis " +
            std::to_string(in.attributes().integer("axis")) +
            ": where one begins would depend on the sizes of others");
  }
  in.copy();
}

}  // namespace

void bound_node(SizeBounds& in) {
  switch (definition(in.op()).kind) {
    case OpClass::reduce:
      return reduction(in);
    case OpClass::collective:
      return collective(in);
    case OpClass::control:
      return bound_control(in);
    default:
      break;
  }
  switch (in.op()) {
    case Op::reshape:
      return reshape_rule(in);
    case Op::slice:
      return slice(in);
    case Op::reverse:
      return reverse(in);
    case Op::pad:
      return pad(in);
    case Op::concat:
      return concat(in);
    case Op::take:
    case Op::take_along_axis:
      return take(in);
    case Op::scatter_add:
      return scatter_add(in);
    case Op::dynamic_slice:
      return dynamic_slice(in);
    case Op::dynamic_update_slice:
      return dynamic_update_slice(in);
    case Op::argmax:
    case Op::argmin:
      return extreme_place(in);
    case Op::sort:
      return sort(in);
    case Op::observe:
      return observe(in);
    case Op::cumsum:
    case Op::cumprod:
    case Op::cummax:
    case Op::cummin:
      return running_reduction(in, *running_combination(in.op()));
    case Op::matmul:
      return matmul(in);
    case Op::random_bits:
    case Op::uniform:
    case Op::normal:
      return random(in);
    case Op::size:
      return size_rule(in);
    default:
      return in.copy();
  }
}

}  // namespace tutti::ir
