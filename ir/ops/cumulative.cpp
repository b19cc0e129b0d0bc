#include <tutti/ir/cumulative.h>
#include <tutti/ir/ops/family.h>

namespace tutti::ir {

std::optional<ScalarOp> running_combination(Op op) {
  switch (op) {
    case Op::cumsum:
      return ScalarOp::add;
    case Op::cumprod:
      return ScalarOp::mul;
    case Op::cummax:
      return ScalarOp::maximum;
    case Op::cummin:
      return ScalarOp::minimum;
    default:
      return std::nullopt;
  }
}

namespace family {

namespace {

using List = std::vector<std::int64_t>;

void infer_cumulative(Inference& in) {
  check_axis(in, in.attributes.integer("axis"), in.operand(0).shape.rank());
  in.require(in.operand(0).dtype != DType::boolean, "takes numbers; cast bool first");
  in.result(in.operand(0).dtype, in.operand(0).shape);
}

// An element is in the sums from itself on.
void gradient_cumsum(Gradient& gradient) {
  gradient.operand_cotangent(
      0, gradient.cotangent().apply(Op::cumsum, {gradient.attributes.integer("axis"),
                                                 !gradient.attributes.flag("reverse")}));
}

// The elements [begin, end) along an axis.
Term part(Term x, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  const auto rank = static_cast<std::size_t>(x.shape().rank());
  List start(rank, 0);
  List stop(x.shape().begin(), x.shape().end());
  start[static_cast<std::size_t>(axis)] = begin;
  stop[static_cast<std::size_t>(axis)] = end;
  return x.apply(Op::slice, {start, stop, List(rank, 1)});
}
Term joined(Term a, Term b, std::int64_t axis) { return apply(Op::concat, a, b, {axis}); }

// r[j] = g[j] + x[j + 1] r[j + 1], from the end on: affine maps, each put together with the one
// behind all that it stands for, so that it stands for twice as many (Hillis and Steele, "Data
// parallel algorithms", CACM 1986).
Term recurrence(Term g, Term x, std::int64_t axis) {
  const std::int64_t size = g.shape()[static_cast<int>(axis)];
  Term factor = part(x, axis, 1, size);  // of r[j + width] in r[j], where that is there
  for (std::int64_t width = 1; width < size; width *= 2) {
    const Term longer = part(g, axis, 0, size - width) + factor * part(g, axis, width, size);
    g = joined(longer, part(g, axis, size - width, size), axis);
    const std::int64_t left = size - 2 * width;
    if (left <= 0) break;
    factor = part(factor, axis, 0, left) * part(factor, axis, width, width + left);
  }
  return g;
}

// x[j] is in all products from the j-th on, each time with what comes before and what follows. No
// division by it, which may be 0.
void gradient_cumprod(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const bool reverse = gradient.attributes.flag("reverse");
  const Term given = gradient.operand(0);
  const std::int64_t size = given.shape()[static_cast<int>(axis)];
  if (size <= 1) return gradient.operand_cotangent(0, gradient.cotangent());
  const auto turned = [&](Term term) {
    return reverse ? term.apply(Op::reverse, {List{axis}}) : term;
  };
  // What is far behind a zero may have products beyond f32, and counts for nothing.
  const Term x = turned(cast(given, DType::f64));
  const Term g = turned(cast(gradient.cotangent(), DType::f64));
  const Term products = x.apply(Op::cumprod, {axis, false});
  const Term ones = broadcast_to(x.constant(1), part(x, axis, 0, 1).shape());
  const Term before = joined(ones, part(products, axis, 0, size - 1), axis);
  gradient.operand_cotangent(0, cast(turned(before * recurrence(g, x, axis)), given.dtype()));
}

// The cotangent goes where the extreme was reached last.
void gradient_extreme(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const bool reverse = gradient.attributes.flag("reverse");
  const Term x = gradient.operand(0);
  const Term reaches = apply(Op::logical_or, x == gradient.result(), x.apply(Op::is_nan));
  const Term place = iota_like(x, x.shape(), axis, DType::i64);
  const auto size = static_cast<double>(x.shape()[static_cast<int>(axis)]);
  const Term last = select(reaches, place, reverse ? size - 1 : 0.0)
                        .apply(reverse ? Op::cummin : Op::cummax, {axis, reverse});
  gradient.operand_cotangent(0, put_along_axis(x, last, gradient.cotangent(), axis));
}
constexpr auto gradient_cummax = gradient_extreme;
constexpr auto gradient_cummin = gradient_extreme;

// Floats are combined in f64 and rounded once, so that the reference is the better one; products as
// they are computed, since they leave the range.
void interpret_cumulative(Interpretation& in, ScalarOp combine) {
  const Array& x = in.operand(0);
  const auto axis = in.attributes.integer("axis");
  const bool reverse = in.attributes.flag("reverse");
  const std::int64_t size = x.shape()[static_cast<int>(axis)];
  const std::int64_t inner = x.shape().strides()[static_cast<std::size_t>(axis)];
  const DType dtype = x.dtype();
  const bool wider = is_floating(dtype) && combine != ScalarOp::mul;
  const DType wide = wider ? DType::f64 : compute_dtype(dtype);
  Array out(dtype, x.shape());
  for (std::int64_t row = 0; size > 0 && row < x.elements() / size; ++row) {
    Cell total{};
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t place = reverse ? size - 1 - i : i;
      const std::int64_t at = (row / inner * size + place) * inner + row % inner;
      const Cell element = load_wide(x, at, wide);
      total = i == 0 ? element : evaluate(combine, wide, {total, element});
      store_wide(total, wide, out, at);
    }
  }
  in.result(std::move(out));
}

template <Op op>
void interpret_running(Interpretation& in) {
  interpret_cumulative(in, *running_combination(op));
}

}  // namespace

void add_cumulative(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_cumulative,                 \
                 .gradient = gradient_##id,                 \
                 .interpret = interpret_running<Op::id>,    \
                 .documentation = docs});
#include <tutti/ir/table/cumulative.def>
#undef TUTTI_STRUCTURED
}

}  // namespace family

}  // namespace tutti::ir
