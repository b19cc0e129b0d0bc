#include <tutti/ir/ops/family.h>

#include <algorithm>

namespace tutti::ir::family {

namespace {

Shape keep(const Shape& shape, std::span<const std::int64_t> axes) {
  return reduced_shape(shape, axes, true);
}

void infer_reduction(Inference& in, bool truth) {
  const auto& axes = in.attributes.integers("axes");
  check_axes(in, axes, in.operand(0).shape.rank());
  in.require(truth == (in.operand(0).dtype == DType::boolean),
             truth ? "takes bool; compare with 0 first" : "takes numbers; cast bool first");
  in.result(in.operand(0).dtype,
            reduced_shape(in.operand(0).shape, axes, in.attributes.flag("keepdims")));
}

// max and min of nothing have no value.
void infer_extreme(Inference& in) {
  infer_reduction(in, false);
  for (const std::int64_t axis : in.attributes.integers("axes")) {
    in.require(
        in.operand(0).shape[static_cast<int>(axis)] > 0 || in.results()[0].shape.elements() == 0,
        [&] { return "axis " + std::to_string(axis) + " is empty and has no extreme element"; });
  }
}

void infer_sum(Inference& in) { infer_reduction(in, false); }
void infer_prod(Inference& in) { infer_reduction(in, false); }
void infer_max(Inference& in) { infer_extreme(in); }
void infer_min(Inference& in) { infer_extreme(in); }
void infer_any(Inference& in) { infer_reduction(in, true); }
void infer_all(Inference& in) { infer_reduction(in, true); }

// The term in the operand's shape with reduced axes of size 1, ready to broadcast.
Term kept(const Gradient& gradient, Term term) {
  return reshape(term, keep(gradient.operand(0).shape(), gradient.attributes.integers("axes")));
}

void gradient_sum(Gradient& gradient) {
  gradient.operand_cotangent(
      0, broadcast_to(kept(gradient, gradient.cotangent()), gradient.operand(0).shape()));
}

// x moved by `by` places along its last axis, towards the end if by > 0; ones follow.
Term moved(Term x, std::int64_t by) {
  const auto last = static_cast<std::size_t>(x.shape().rank() - 1);
  std::vector<std::int64_t> low(last + 1, 0);
  std::vector<std::int64_t> high(last + 1, 0);
  std::vector<std::int64_t> start(last + 1, 0);
  std::vector<std::int64_t> stop(x.shape().begin(), x.shape().end());
  (by > 0 ? low : high)[last] = std::abs(by);
  (by > 0 ? stop : start)[last] += -by;
  const std::vector<std::int64_t> ones(last + 1, 1);
  const Term kept = x.apply(Op::slice, {start, stop, ones});
  return apply(Op::pad, kept, x.constant(1), {low, high, std::vector<std::int64_t>(last + 1, 0)});
}

// The product of the elements before each one along the last axis (behind it if `from_end`), by
// doubling the number of factors: Hillis and Steele, "Data parallel algorithms" (CACM 1986).
Term product_of_others(Term x, bool from_end) {
  const std::int64_t size = x.shape()[x.shape().rank() - 1];
  Term out = moved(x, from_end ? -1 : 1);
  for (std::int64_t factors = 1; factors < size - 1; factors *= 2) {
    out = out * moved(out, from_end ? -factors : factors);
  }
  return out;
}

// Of each factor the product of the others. No division by the factor, which may be 0. What stands
// on one side of it may have a product beyond f32, and a zero on the other: so in f64.
void gradient_prod(Gradient& gradient) {
  const DType dtype = gradient.operand(0).dtype();
  const Term x = cast(gradient.operand(0), DType::f64);
  const Shape& shape = gradient.operand(0).shape();
  const auto& axes = gradient.attributes.integers("axes");
  const Term g = cast(broadcast_to(kept(gradient, gradient.cotangent()), shape), x.dtype());
  std::int64_t size = 1;
  for (const std::int64_t axis : axes) size *= shape[static_cast<int>(axis)];
  if (size <= 1) {  // no others
    gradient.operand_cotangent(0, cast(g, dtype));
    return;
  }
  // All factors of a product in a row: [products, factors].
  std::vector<std::int64_t> permutation;
  for (int d = 0; d < shape.rank(); ++d) {
    if (std::ranges::find(axes, d) == axes.end()) permutation.push_back(d);
  }
  permutation.insert(permutation.end(), axes.begin(), axes.end());
  std::vector<std::int64_t> sizes;
  for (const std::int64_t from : permutation) sizes.push_back(shape[static_cast<int>(from)]);
  const Term rows = reshape(transpose(x, permutation), {shape.elements() / size, size});
  const Term others = product_of_others(rows, false) * product_of_others(rows, true);
  const Term back = transpose(reshape(others, Shape(sizes)), inverse_permutation(permutation));
  gradient.operand_cotangent(0, cast(g * back, dtype));
}

// Elements that tie share the cotangent evenly.
void gradient_max(Gradient& gradient) {
  const Term x = gradient.operand(0);
  const Term winners = cast(x == kept(gradient, gradient.result()), compute_dtype(x.dtype()));
  const Term count = sum(winners, gradient.attributes.integers("axes"), true);
  const Term share = widened(kept(gradient, gradient.cotangent())) / count;
  gradient.operand_cotangent(0, cast(winners * share, x.dtype()));
}
constexpr auto gradient_min = gradient_max;
constexpr void (*gradient_any)(Gradient&) = nullptr;
constexpr void (*gradient_all)(Gradient&) = nullptr;
constexpr void (*gradient_argmax)(Gradient&) = nullptr;
constexpr void (*gradient_argmin)(Gradient&) = nullptr;

// Floats are combined in f64 and rounded once, so that the reference is the better one.
void interpret_reduction(Interpretation& in, ScalarOp combine, double start) {
  const Array& x = in.operand(0);
  const auto& axes = in.attributes.integers("axes");
  const DType dtype = x.dtype();
  const DType wide = is_floating(dtype) ? DType::f64 : dtype;
  const Shape shape = keep(x.shape(), axes);
  const auto strides = shape.strides();
  std::vector<Cell> cells(static_cast<std::size_t>(shape.elements()), cell_of(wide, start));
  if (dtype == DType::u64 || is_signed_integer(dtype) || is_unsigned(dtype)) {
    // The extremes of integers are not exact as doubles.
    const bool least = combine == ScalarOp::maximum;
    if (least || combine == ScalarOp::minimum) {
      Cell extreme{};
      const int bits = static_cast<int>(size_of(dtype)) * 8;
      if (is_unsigned(dtype)) {
        extreme.natural = least ? 0 : (~0ULL >> (64 - bits));
      } else {
        const auto most = static_cast<std::int64_t>(~0ULL >> (65 - bits));
        extreme.integer = least ? -most - 1 : most;
      }
      std::fill(cells.begin(), cells.end(), extreme);
    }
  }
  std::int64_t from = 0;
  for_each_index(x.shape(), [&](std::span<const std::int64_t> index) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (shape[static_cast<int>(d)] != 1) to += index[d] * strides[d];
    }
    Cell& cell = cells[static_cast<std::size_t>(to)];
    cell = evaluate(combine, wide, {cell, load_wide(x, from++, wide)});
  });
  Array out(dtype, in.result_type().shape);
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    store_wide(cells[static_cast<std::size_t>(i)], wide, out, i);
  }
  in.result(std::move(out));
}

void interpret_sum(Interpretation& in) { interpret_reduction(in, ScalarOp::add, 0); }
void interpret_prod(Interpretation& in) { interpret_reduction(in, ScalarOp::mul, 1); }
void interpret_max(Interpretation& in) {
  interpret_reduction(in, ScalarOp::maximum, -__builtin_inf());
}
void interpret_min(Interpretation& in) {
  interpret_reduction(in, ScalarOp::minimum, __builtin_inf());
}
void interpret_any(Interpretation& in) { interpret_reduction(in, ScalarOp::bit_or, 0); }
void interpret_all(Interpretation& in) { interpret_reduction(in, ScalarOp::bit_and, 1); }

void infer_argmax(Inference& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  const Shape& shape = in.operand(0).shape;
  check_axis(in, axis, shape.rank());
  in.require(in.operand(0).dtype != DType::boolean, "takes numbers; cast bool first");
  in.require(shape[static_cast<int>(axis)] > 0,
             [&] { return "axis " + std::to_string(axis) + " is empty"; });
  in.result(DType::i64, reduced_shape(shape, std::span(&axis, 1), in.attributes.flag("keepdims")));
}
constexpr auto infer_argmin = infer_argmax;

void interpret_extreme_index(Interpretation& in, ScalarOp better) {
  const Array& x = in.operand(0);
  const std::int64_t axis = in.attributes.integer("axis");
  const std::int64_t size = x.shape()[static_cast<int>(axis)];
  const std::int64_t inner = x.shape().strides()[static_cast<std::size_t>(axis)];
  Array out(DType::i64, in.result_type().shape);
  const DType dtype = compute_dtype(x.dtype());
  const auto load = [&](std::int64_t at) {
    return load_cell(x.dtype(), x.bytes().data() + at * size_of(x.dtype()));
  };
  const auto holds = [&](ScalarOp op, Cell a, Cell b) { return evaluate(op, dtype, {a, b}).truth; };
  for (std::int64_t o = 0; o < out.elements(); ++o) {
    const std::int64_t base = o / inner * inner * size + o % inner;
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < size; ++i) {
      const Cell leader = load(base + best * inner);
      const Cell challenger = load(base + i * inner);
      if (holds(ScalarOp::ne, leader, leader)) break;  // NaN leads
      if (holds(better, challenger, leader) || holds(ScalarOp::ne, challenger, challenger))
        best = i;
    }
    out.data<std::int64_t>()[static_cast<std::size_t>(o)] = best;
  }
  in.result(std::move(out));
}
void interpret_argmax(Interpretation& in) { interpret_extreme_index(in, ScalarOp::gt); }
void interpret_argmin(Interpretation& in) { interpret_extreme_index(in, ScalarOp::lt); }

}  // namespace

void add_reduce(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .interpret = interpret_##id,               \
                 .documentation = docs});
#include <tutti/ir/table/reduce.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
