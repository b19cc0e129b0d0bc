#include <tutti/lazy/axes.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/range_span.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tutti {

namespace {

using detail::normal_axes;
using detail::normal_axis;
using detail::RankContext;
using detail::record;
using ir::Op;

Tensor apply(Op op, std::initializer_list<detail::StatePtr> operands,
             std::vector<ir::Attribute> attributes, Location where) {
  return Tensor(record(op, operands, std::move(attributes), where));
}

// One operand; a number stands for itself.
Tensor unary(Op op, const Operand& x, std::vector<ir::Attribute> attributes = {}) {
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, x.where());
  const ir::Value value = x.value_in(context, x.dtype());
  return Tensor(context.record_local(op, std::span(&value, 1), std::move(attributes), x.where()));
}

// An op of the tables. Zeros and ones like a tensor are ops of numbers, by way of which bools go.
Tensor unary_op(Op op, const Operand& x) {
  const bool fills = op == Op::zeros_like || op == Op::ones_like;
  if (!fills || x.dtype() != DType::boolean) return unary(op, x);
  const Tensor numbers = unary(op, Operand(unary(Op::cast, x, {DType::u8}), x.where()));
  return unary(Op::cast, Operand(numbers, x.where()), {DType::boolean});
}

// Operands of one dtype, in the trace: numbers take that of the first tensor among them.
template <std::size_t count>
std::array<ir::Value, count> unified(RankContext& context,
                                     const std::array<const Operand*, count>& operands) {
  const auto tensor = std::ranges::find_if(operands, &Operand::is_tensor);
  const DType dtype = (tensor != operands.end() ? *tensor : operands[0])->dtype();
  std::array<ir::Value, count> values;
  for (const bool tensors : {false, true}) {
    for (std::size_t i = 0; i < count; ++i) {
      if (operands[i]->is_tensor() == tensors) values[i] = operands[i]->value_in(context, dtype);
    }
  }
  return values;
}

// Operands of one dtype, and attributes.
template <std::size_t count>
Tensor apply_unified(Op op, const std::array<const Operand*, count>& operands,
                     std::vector<ir::Attribute> attributes = {}) {
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, operands[0]->where());
  const auto values = unified(context, operands);
  return Tensor(context.record_local(op, values, std::move(attributes), operands[0]->where()));
}

Tensor binary(Op op, const Operand& x, const Operand& y) { return apply_unified<2>(op, {&x, &y}); }

Tensor reduce(Op op, const Operand& x, const Axes& axes, bool keepdims) {
  const Tensor t = x.tensor();
  return apply(op, {t.state()}, {normal_axes(name_of(op), axes, t, x.where()), keepdims},
               x.where());
}

}  // namespace

#define TUTTI_UNARY(name, ...) \
  Tensor name(const Operand& x) { return unary_op(Op::name, x); }
#define TUTTI_BINARY(name, ...) \
  Tensor name(const Operand& x, const Operand& y) { return binary(Op::name, x, y); }
#define TUTTI_TERNARY(name, ...)
#include <tutti/ir/table/elementwise.def>
#undef TUTTI_UNARY
#undef TUTTI_BINARY
#undef TUTTI_TERNARY

namespace {

Tensor bits(Op of_bool, Op of_integers, const Operand& x, const Operand& y) {
  const DType dtype = (y.is_tensor() && !x.is_tensor() ? y : x).dtype();
  return binary(dtype == DType::boolean ? of_bool : of_integers, x, y);
}

}  // namespace

Tensor operator&(const Operand& x, const Operand& y) {
  return bits(Op::logical_and, Op::bitwise_and, x, y);
}
Tensor operator|(const Operand& x, const Operand& y) {
  return bits(Op::logical_or, Op::bitwise_or, x, y);
}
Tensor operator&&(const Operand& x, const Operand& y) { return logical_and(x, y); }
Tensor operator||(const Operand& x, const Operand& y) { return logical_or(x, y); }
Tensor operator!(const Operand& x) { return logical_not(x); }
Tensor operator^(const Operand& x, const Operand& y) {
  return bits(Op::logical_xor, Op::bitwise_xor, x, y);
}

Tensor select(const Operand& condition, const Operand& x, const Operand& y) {
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, condition.where());
  const auto [if_true, if_false] = unified<2>(context, {&x, &y});
  const std::array values = {condition.value_in(context, condition.dtype()), if_true, if_false};
  return Tensor(context.record_local(Op::select, values, {}, condition.where()));
}
Tensor clamp(const Operand& x, const Operand& low, const Operand& high) {
  return apply_unified<3>(Op::clamp, {&x, &low, &high});
}
Tensor fma(const Operand& x, const Operand& y, const Operand& z) {
  return apply_unified<3>(Op::fma, {&x, &y, &z});
}

Tensor stop_gradient(const Operand& x) { return unary(Op::stop_gradient, x); }
Tensor optimization_barrier(const Operand& x, const Operand& after) {
  return apply(Op::optimization_barrier, {x.tensor().state(), after.tensor().state()}, {},
               x.where());
}

Tensor cast(const Operand& x, DType dtype) { return unary(Op::cast, x, {dtype}); }
Tensor bitcast(const Operand& x, DType dtype) { return unary(Op::bitcast, x, {dtype}); }

#define TUTTI_REDUCTION(name)                               \
  Tensor name(const Operand& x, Axes axes, bool keepdims) { \
    return reduce(Op::name, x, axes, keepdims);             \
  }
TUTTI_REDUCTION(sum)
TUTTI_REDUCTION(prod)
TUTTI_REDUCTION(max)
TUTTI_REDUCTION(min)
TUTTI_REDUCTION(mean)
TUTTI_REDUCTION(any)
TUTTI_REDUCTION(all)
TUTTI_REDUCTION(logsumexp)
#undef TUTTI_REDUCTION

Tensor argmax(const Operand& x, Axis axis, bool keepdims) {
  const Tensor t = x.tensor();
  return apply(Op::argmax, {t.state()}, {normal_axis("argmax", axis, t, x.where()), keepdims},
               x.where());
}
Tensor argmin(const Operand& x, Axis axis, bool keepdims) {
  const Tensor t = x.tensor();
  return apply(Op::argmin, {t.state()}, {normal_axis("argmin", axis, t, x.where()), keepdims},
               x.where());
}
Tensor argmax(const Operand& x) { return argmax(Operand(reshape(x, {-1}), x.where()), 0); }
Tensor argmin(const Operand& x) { return argmin(Operand(reshape(x, {-1}), x.where()), 0); }

Tensor reshape(const Operand& x, Integers shape) {
  const Tensor t = x.tensor();
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) {
    std::int64_t known = 1;
    bool fits = true;
    for (const std::int64_t size : shape) {
      fits = fits && !__builtin_mul_overflow(known, size == -1 ? 1 : size, &known);
    }
    if (std::count(shape.begin(), shape.end(), -1) > 1 || !fits || known <= 0 ||
        t.elements() % known != 0) {
      throw TypeError("reshape: one size may be -1 if the others divide the " +
                          std::to_string(t.elements()) + " elements",
                      x.where());
    }
    *open = t.elements() / known;
  }
  return apply(Op::reshape, {t.state()}, {std::move(shape)}, x.where());
}

Tensor transpose(const Operand& x, Integers permutation) {
  const Tensor t = x.tensor();
  if (permutation.empty()) {
    for (int d = t.rank() - 1; d >= 0; --d) permutation.push_back(d);
  }
  for (std::int64_t& axis : permutation) axis = normal_axis("transpose", axis, t, x.where());
  return apply(Op::transpose, {t.state()}, {std::move(permutation)}, x.where());
}

Tensor broadcast_to(const Operand& x, Integers shape) {
  return unary(Op::broadcast_to, x, {std::move(shape)});
}

Tensor expand_dims(const Operand& x, Integers axes) {
  const Tensor t = x.tensor();
  const int rank = t.rank() + static_cast<int>(axes.size());
  return apply(Op::expand_dims, {t.state()}, {normal_axes("expand_dims", axes, rank, x.where())},
               x.where());
}

Tensor squeeze(const Operand& x, Axes axes) {
  const Tensor t = x.tensor();
  std::vector<std::int64_t> dropped;
  for (int d = 0; !axes && d < t.rank(); ++d) {
    if (t.shape()[d] == 1) dropped.push_back(d);
  }
  if (axes) dropped = normal_axes("squeeze", axes, t, x.where());
  return apply(Op::squeeze, {t.state()}, {std::move(dropped)}, x.where());
}

Tensor slice(const Operand& x, std::vector<Range> ranges) {
  const Tensor t = x.tensor();
  if (static_cast<int>(ranges.size()) > t.rank()) {
    throw TypeError("slice: " + std::to_string(ranges.size()) + " ranges for the " +
                        std::to_string(t.rank()) + " axes of " + t.state()->type.text(),
                    x.where());
  }
  ranges.resize(static_cast<std::size_t>(t.rank()));
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> stop;
  std::vector<std::int64_t> step;
  std::vector<std::int64_t> reversed;
  for (int d = 0; d < t.rank(); ++d) {
    const Range& range = ranges[static_cast<std::size_t>(d)];
    if (range.step == 0) throw TypeError("slice: a step of 0", x.where());
    const detail::RangeSpan span = detail::span_of(range, t.shape()[d]);
    start.push_back(span.first);
    stop.push_back(span.stop);
    step.push_back(span.step);
    if (span.backwards) reversed.push_back(d);
  }
  Tensor out = apply(Op::slice, {t.state()}, {start, stop, step}, x.where());
  if (reversed.empty()) return out;
  return apply(Op::reverse, {out.state()}, {std::move(reversed)}, x.where());
}

Tensor reverse(const Operand& x, Integers axes) {
  const Tensor t = x.tensor();
  return apply(Op::reverse, {t.state()}, {normal_axes("reverse", std::move(axes), t, x.where())},
               x.where());
}

Tensor pad(const Operand& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
           const Operand& value) {
  std::vector<std::int64_t> interior(low.size(), 0);
  return pad(x, std::move(low), std::move(high), std::move(interior), value);
}

Tensor pad(const Operand& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
           std::vector<std::int64_t> interior, const Operand& value) {
  return apply_unified<2>(Op::pad, {&x, &value},
                          {std::move(low), std::move(high), std::move(interior)});
}

Tensor concat(std::span<const Tensor> tensors, Axis axis, std::source_location at) {
  if (tensors.empty()) throw TypeError("concat: no tensors", at);
  std::vector<detail::StatePtr> operands;
  for (const Tensor& tensor : tensors) operands.push_back(tensor.state(at));
  return Tensor(record(Op::concat, operands, {normal_axis("concat", axis, tensors[0], at)}, at));
}

Tensor matmul(const Operand& x, const Operand& y) {
  Tensor a = x.tensor();
  Tensor b = y.tensor();
  const bool row = a.rank() == 1;
  const bool column = b.rank() == 1;
  if (row) a = apply(Op::expand_dims, {a.state()}, {std::vector<std::int64_t>{0}}, x.where());
  if (column) b = apply(Op::expand_dims, {b.state()}, {std::vector<std::int64_t>{1}}, x.where());
  Tensor out = apply(Op::matmul, {a.state(), b.state()}, {}, x.where());
  std::vector<std::int64_t> dropped;
  if (row) dropped.push_back(out.rank() - 2);
  if (column) dropped.push_back(out.rank() - 1);
  if (dropped.empty()) return out;
  return apply(Op::squeeze, {out.state()}, {std::move(dropped)}, x.where());
}

Tensor take(const Operand& x, const Operand& indices, Axis axis) {
  const Tensor t = x.tensor();
  const std::int64_t normal = normal_axis("take", axis, t, x.where());
  std::optional<std::int64_t> number;
  if (const auto* const given = std::get_if<std::int64_t>(&indices.value())) number = *given;
  if (const auto* const given = std::get_if<std::uint64_t>(&indices.value())) {
    number = Integer(*given).value;
  }
  if (number) {
    const std::int64_t size = t.shape()[static_cast<int>(normal)];
    const std::int64_t index = *number < 0 ? *number + size : *number;
    if (index < 0 || index >= size) {
      throw TypeError("take: there is no element " + std::to_string(*number) + " along axis " +
                          std::to_string(axis.value) + " of " + t.state()->type.text() +
                          detail::elements_there(size),
                      x.where());
    }
    return apply(Op::take, {t.state(), Operand(index).tensor().state()}, {normal}, x.where());
  }
  return apply(Op::take, {t.state(), indices.tensor().state()}, {normal}, x.where());
}
Tensor take_along_axis(const Operand& x, const Operand& indices, Axis axis) {
  const Tensor t = x.tensor();
  return apply(Op::take_along_axis, {t.state(), indices.tensor().state()},
               {normal_axis("take_along_axis", axis, t, x.where())}, x.where());
}
Tensor scatter_add(const Operand& x, const Operand& indices, const Operand& updates, Axis axis) {
  const Tensor t = x.tensor();
  return apply(Op::scatter_add,
               {t.state(), indices.tensor().state(), updates.tensor(t.dtype()).state()},
               {normal_axis("scatter_add", axis, t, x.where())}, x.where());
}
Tensor dynamic_slice(const Operand& x, const Operand& starts, std::vector<std::int64_t> sizes) {
  return apply(Op::dynamic_slice, {x.tensor().state(), starts.tensor().state()}, {std::move(sizes)},
               x.where());
}
Tensor dynamic_update_slice(const Operand& x, const Operand& update, const Operand& starts) {
  const Tensor t = x.tensor();
  return apply(Op::dynamic_update_slice,
               {t.state(), update.tensor(t.dtype()).state(), starts.tensor().state()}, {},
               x.where());
}
Tensor one_hot(const Operand& indices, std::int64_t depth, DType dtype) {
  return unary(Op::one_hot, indices, {depth, dtype});
}

Tensor softmax(const Operand& x, Axis axis) {
  const Tensor t = x.tensor();
  return apply(Op::softmax, {t.state()}, {normal_axis("softmax", axis, t, x.where())}, x.where());
}
Tensor log_softmax(const Operand& x, Axis axis) {
  const Tensor t = x.tensor();
  return apply(Op::log_softmax, {t.state()}, {normal_axis("log_softmax", axis, t, x.where())},
               x.where());
}
Tensor layer_norm(const Operand& x, const Operand& scale, const Operand& shift, double epsilon) {
  detail::check_epsilon("layer_norm", epsilon, x.where());
  return apply(Op::layer_norm, {x.tensor().state(), scale.tensor().state(), shift.tensor().state()},
               {epsilon}, x.where());
}
Tensor rms_norm(const Operand& x, const Operand& scale, double epsilon) {
  detail::check_epsilon("rms_norm", epsilon, x.where());
  return apply(Op::rms_norm, {x.tensor().state(), scale.tensor().state()}, {epsilon}, x.where());
}
Tensor cross_entropy(const Operand& logits, const Operand& labels) {
  return apply(Op::cross_entropy, {logits.tensor().state(), labels.tensor().state()}, {},
               logits.where());
}
Tensor gelu(const Operand& x, Gelu approximate) {
  return unary(Op::gelu, x, {std::string(approximate == Gelu::tanh ? "tanh" : "none")});
}

}  // namespace tutti
