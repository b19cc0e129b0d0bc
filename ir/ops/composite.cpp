#include <tutti/ir/ops/family.h>

#include <algorithm>

namespace tutti::ir::family {

namespace {

void check_floating(const Inference& in) {
  in.require(is_floating(in.operand(0).dtype), "takes floating-point numbers; cast it first");
}

void infer_mean(Inference& in) {
  check_floating(in);
  check_axes(in, in.attributes.integers("axes"), in.operand(0).shape.rank());
  in.result(in.operand(0).dtype, reduced_shape(in.operand(0).shape, in.attributes.integers("axes"),
                                               in.attributes.flag("keepdims")));
}
Term mean(Term x, const std::vector<std::int64_t>& axes, bool keepdims) {
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= x.shape()[static_cast<int>(axis)];
  return sum(x, axes, keepdims) / static_cast<double>(count);
}
void decompose_mean(Decomposition& in) {
  const Term x = in.operand(0);
  in.result(cast(mean(widened(x), in.attributes.integers("axes"), in.attributes.flag("keepdims")),
                 x.dtype()));
}

constexpr auto infer_logsumexp = infer_mean;
bool is_empty(Term x, const std::vector<std::int64_t>& axes) {
  return std::ranges::any_of(
      axes, [&](std::int64_t axis) { return x.shape()[static_cast<int>(axis)] == 0; });
}
// The largest element along the axes, kept. Nothing has no largest element, nor needs one here.
Term top_of(Term x, const std::vector<std::int64_t>& axes) {
  return is_empty(x, axes) ? x.constant(0) : max(x, axes, true);
}

// The same, or 0 where it is infinite. (That of an empty row stays a literal, which is replicated
// where x is.)
Term finite_top_of(Term x, const std::vector<std::int64_t>& axes) {
  const Term top = top_of(x, axes);
  return is_empty(x, axes) ? top : select(top.apply(Op::is_finite), top, 0);
}

// max + log(sum(exp(x - max))); a row of -inf gives -inf.
void decompose_logsumexp(Decomposition& in) {
  const auto& axes = in.attributes.integers("axes");
  const Term x = widened(in.operand(0));
  const Term finite = finite_top_of(x, axes);
  const Term total = log(sum(exp(x - finite), axes, true)) + finite;
  const Shape shape = reduced_shape(x.shape(), axes, in.attributes.flag("keepdims"));
  in.result(cast(reshape(total, shape), in.operand(0).dtype()));
}

// The elements' shares of the sum. The largest one cancels out: what rounding leaves of its own
// derivative is more than its share, where there are many.
void gradient_logsumexp(Gradient& gradient) {
  const auto& axes = gradient.attributes.integers("axes");
  const Term x = widened(gradient.operand(0));
  const Term g = reshape(widened(gradient.cotangent()), reduced_shape(x.shape(), axes, true));
  const Term e = exp(x - finite_top_of(x, axes).apply(Op::stop_gradient));
  const Term shares = e / sum(e, axes, true);
  gradient.operand_cotangent(0, cast(shares * g, gradient.operand(0).dtype()));
}

void infer_softmax(Inference& in) {
  check_floating(in);
  check_axis(in, in.attributes.integer("axis"), in.operand(0).shape.rank());
  in.result(in.operand(0).dtype, in.operand(0).shape);
}
void decompose_softmax(Decomposition& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  const Term x = widened(in.operand(0));
  const Term e = exp(x - top_of(x, {axis}));
  in.result(cast(e / sum(e, {axis}, true), in.operand(0).dtype()));
}
void gradient_softmax(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const Term r = widened(gradient.result());
  const Term g = widened(gradient.cotangent());
  const Term dx = r * (g - sum(g * r, {axis}, true));
  gradient.operand_cotangent(0, cast(dx, gradient.operand(0).dtype()));
}

constexpr auto infer_log_softmax = infer_softmax;
void decompose_log_softmax(Decomposition& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  const Term x = widened(in.operand(0));
  const Term shifted = x - top_of(x, {axis});
  in.result(cast(shifted - log(sum(exp(shifted), {axis}, true)), in.operand(0).dtype()));
}
void gradient_log_softmax(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const Term r = widened(gradient.result());
  const Term g = widened(gradient.cotangent());
  const Term dx = g - exp(r) * sum(g, {axis}, true);
  gradient.operand_cotangent(0, cast(dx, gradient.operand(0).dtype()));
}

void infer_layer_norm(Inference& in) {
  check_floating(in);
  const Shape& shape = in.operand(0).shape;
  in.require(shape.rank() >= 1, "needs a dimension to normalise");
  const Shape row = {shape[shape.rank() - 1]};
  for (int i = 1; i < 3; ++i) {
    in.require(in.operand(i).shape == row && in.operand(i).dtype == in.operand(0).dtype, [&] {
      return "scale and shift must be " + std::string(name_of(in.operand(0).dtype)) + row.text();
    });
  }
  in.result(in.operand(0).dtype, shape);
}
void decompose_layer_norm(Decomposition& in) {
  const Term x = widened(in.operand(0));
  const std::vector<std::int64_t> last = {x.shape().rank() - 1};
  const Term centred = x - mean(x, last, true);
  const Term variance = mean(centred * centred, last, true);
  const Term normal = centred * rsqrt(variance + in.attributes.number("epsilon"));
  in.result(cast(normal * widened(in.operand(1)) + widened(in.operand(2)), in.operand(0).dtype()));
}
// With n = (x - mean) / sigma and h = g * scale: dx = (h - mean(h) - n * mean(h * n)) / sigma.
void gradient_layer_norm(Gradient& gradient) {
  const Term x = widened(gradient.operand(0));
  const Term g = widened(gradient.cotangent());
  const DType dtype = gradient.operand(0).dtype();
  const std::vector<std::int64_t> last = {x.shape().rank() - 1};
  const Term centred = x - mean(x, last, true);
  const Term inverse =
      rsqrt(mean(centred * centred, last, true) + gradient.attributes.number("epsilon"));
  const Term normal = centred * inverse;
  if (gradient.wants(0)) {
    const Term h = g * widened(gradient.operand(1));
    const Term dx = inverse * (h - mean(h, last, true) - normal * mean(h * normal, last, true));
    gradient.operand_cotangent(0, cast(dx, dtype));
  }
  const Shape row = gradient.operand(1).shape();
  if (gradient.wants(1)) gradient.operand_cotangent(1, cast(sum_to(g * normal, row), dtype));
  if (gradient.wants(2)) gradient.operand_cotangent(2, cast(sum_to(g, row), dtype));
}

void infer_rms_norm(Inference& in) {
  check_floating(in);
  const Shape& shape = in.operand(0).shape;
  in.require(shape.rank() >= 1, "needs a dimension to normalise");
  const Shape row = {shape[shape.rank() - 1]};
  in.require(in.operand(1).shape == row && in.operand(1).dtype == in.operand(0).dtype, [&] {
    return "scale must be " + std::string(name_of(in.operand(0).dtype)) + row.text();
  });
  in.result(in.operand(0).dtype, shape);
}
// 1 / sqrt(mean(x^2) + epsilon), kept.
Term inverse_rms(Term x, double epsilon) {
  return rsqrt(mean(x * x, {x.shape().rank() - 1}, true) + epsilon);
}
void decompose_rms_norm(Decomposition& in) {
  const Term x = widened(in.operand(0));
  const Term normal = x * inverse_rms(x, in.attributes.number("epsilon"));
  in.result(cast(normal * widened(in.operand(1)), in.operand(0).dtype()));
}
// With n = x / rms and h = g * scale: dx = (h - n * mean(h * n)) / rms.
void gradient_rms_norm(Gradient& gradient) {
  const Term x = widened(gradient.operand(0));
  const Term g = widened(gradient.cotangent());
  const DType dtype = gradient.operand(0).dtype();
  const Term inverse = inverse_rms(x, gradient.attributes.number("epsilon"));
  const Term normal = x * inverse;
  if (gradient.wants(0)) {
    const Term h = g * widened(gradient.operand(1));
    const Term dx = inverse * (h - normal * mean(h * normal, {x.shape().rank() - 1}, true));
    gradient.operand_cotangent(0, cast(dx, dtype));
  }
  if (gradient.wants(1)) {
    const Term dscale = sum_to(g * normal, gradient.operand(1).shape());
    gradient.operand_cotangent(1, cast(dscale, dtype));
  }
}

void infer_cross_entropy(Inference& in) {
  check_floating(in);
  in.require(is_integer(in.operand(1).dtype), "labels must be integers");
  const Shape& shape = in.operand(0).shape;
  in.require(shape.rank() >= 1, "logits need a dimension of classes");
  const std::int64_t last = shape.rank() - 1;
  const Shape rows = reduced_shape(shape, std::span(&last, 1), false);
  in.require(in.operand(1).shape == rows,
             [&] { return "labels must have the shape " + rows.text() + ", one for each row"; });
  in.require(shape[static_cast<int>(last)] > 0 || rows.elements() == 0, "there are no classes");
  in.result(in.operand(0).dtype, rows);
}
// Where a class is its row's label: bool [..., classes]. A comparison with positions, not a take,
// so that all of it is one kernel.
Term is_label(Term logits, Term labels) {
  const std::int64_t last = logits.shape().rank() - 1;
  const std::int64_t classes = logits.shape()[static_cast<int>(last)];
  // Narrow integers cannot count to the number of classes.
  const Term column = labels.apply(Op::expand_dims, {std::vector<std::int64_t>{last}});
  const Term wide = size_of(labels.dtype()) < 4 ? cast(column, DType::i32) : column;
  const auto most = static_cast<double>(std::max<std::int64_t>(classes - 1, 0));
  const Term label = minimum(maximum(wide, 0), most);
  return label == iota_like(logits, logits.shape(), last, label.dtype());
}
void decompose_cross_entropy(Decomposition& in) {
  const Term x = widened(in.operand(0));
  const std::int64_t last = x.shape().rank() - 1;
  const Term shifted = x - top_of(x, {last});
  const Term all = log(sum(exp(shifted), {last}, true));
  const Term own = sum(select(is_label(x, in.operand(1)), shifted, 0), {last}, true);
  in.result(cast(reshape(all - own, in.operand(1).shape()), in.operand(0).dtype()));
}
// softmax(logits) less 1 at the label, times the row's cotangent. (The largest logit cancels out,
// as for logsumexp.)
void gradient_cross_entropy(Gradient& gradient) {
  const Term logits = gradient.operand(0);
  const Term x = widened(logits);
  const std::int64_t last = x.shape().rank() - 1;
  const Term g = widened(gradient.cotangent()).apply(Op::expand_dims, {std::vector{last}});
  const Term e = exp(x - top_of(x, {last}).apply(Op::stop_gradient));
  const Term weights = e / sum(e, {last}, true);
  const Term dx = select(is_label(x, gradient.operand(1)), weights - 1, weights) * g;
  gradient.operand_cotangent(0, cast(dx, logits.dtype()));
}

void infer_gelu(Inference& in) {
  check_floating(in);
  const std::string& approximate = in.attributes.text("approximate");
  in.require(approximate == "none" || approximate == "tanh",
             [&] { return "approximate is \"none\" or \"tanh\", not \"" + approximate + "\""; });
  in.result(in.operand(0).dtype, in.operand(0).shape);
}
void decompose_gelu(Decomposition& in) {
  const Term x = widened(in.operand(0));
  Term share;  // named, since compilers differ in which operand they evaluate first
  if (in.attributes.text("approximate") == "tanh") {
    const Term inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x));  // sqrt(2 / pi)
    share = 1 + tanh(inner);
  } else {
    share = 1 + erf(x * 0.7071067811865476);
  }
  in.result(cast(0.5 * x * share, in.operand(0).dtype()));
}

void infer_one_hot(Inference& in) {
  in.require(is_integer(in.operand(0).dtype), "takes integers");
  std::vector<std::int64_t> sizes(in.operand(0).shape.begin(), in.operand(0).shape.end());
  sizes.push_back(in.attributes.integer("depth"));
  in.result(in.attributes.dtype("dtype"), Shape(sizes));
}
void decompose_one_hot(Decomposition& in) {
  // Narrow integers cannot count to the depth.
  const Term x =
      size_of(in.operand(0).dtype()) < 4 ? cast(in.operand(0), DType::i32) : in.operand(0);
  const std::int64_t last = x.shape().rank();
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes.push_back(in.attributes.integer("depth"));
  const Term position = iota_like(x, Shape(sizes), last, x.dtype());
  const Term index = x.apply(Op::expand_dims, {std::vector<std::int64_t>{last}});
  in.result(cast(index == position, in.attributes.dtype("dtype")));
}

void infer_size(Inference& in) {
  const DType dtype = in.attributes.dtype("dtype");
  in.require(dtype != DType::boolean, "is a number, not bool");
  in.require(!in.attributes.flag("reciprocal") || is_floating(dtype),
             "one over a size is a floating-point number");
  in.result(dtype, {});
}
void decompose_size(Decomposition& in) {
  const std::int64_t value = in.attributes.integer("value");
  const DType dtype = in.attributes.dtype("dtype");
  if (in.attributes.flag("reciprocal")) {
    const double reciprocal = 1 / static_cast<double>(value);
    return in.result({in.builder(), in.builder()->scalar(dtype, reciprocal)});
  }
  Array out(dtype, {});
  const Cell cell = evaluate(ScalarOp::cast, DType::i64, {Cell{.integer = value}}, dtype);
  store_cell(dtype, cell, out.bytes().data());
  in.result({in.builder(), in.builder()->constant(std::move(out))});
}

// These are differentiated through their decomposition.
constexpr void (*gradient_mean)(Gradient&) = nullptr;
constexpr void (*gradient_gelu)(Gradient&) = nullptr;
constexpr void (*gradient_one_hot)(Gradient&) = nullptr;
constexpr void (*gradient_size)(Gradient&) = nullptr;

}  // namespace

void add_composite(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .decompose = decompose_##id,               \
                 .documentation = docs});
#include <tutti/ir/table/composite.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
