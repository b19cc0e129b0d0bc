#include <tutti/ir/ops/family.h>

namespace tutti::ir::family {

namespace {

void check_floating(const Inference& in) {
  in.require(is_floating(in.operand(0).dtype), "takes floating-point numbers; cast it first");
}

// Composites compute in f32 and round once.
Term widened(Term x) {
  return compute_dtype(x.dtype()) == x.dtype() ? x : cast(x, compute_dtype(x.dtype()));
}
Term rounded(Term x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

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
  in.result(rounded(
      mean(widened(x), in.attributes.integers("axes"), in.attributes.flag("keepdims")), x.dtype()));
}

constexpr auto infer_logsumexp = infer_mean;
// The largest element along the axes, kept. Nothing has no largest element, nor needs one here.
Term top_of(Term x, const std::vector<std::int64_t>& axes) {
  for (const std::int64_t axis : axes) {
    if (x.shape()[static_cast<int>(axis)] == 0) return x.constant(0);
  }
  return max(x, axes, true);
}

// max + log(sum(exp(x - max))); a row of -inf gives -inf.
void decompose_logsumexp(Decomposition& in) {
  const auto& axes = in.attributes.integers("axes");
  const Term x = widened(in.operand(0));
  const Term top = top_of(x, axes);
  const Term finite = select(top.apply(Op::is_finite), top, 0);
  const Term total = log(sum(exp(x - finite), axes, true)) + finite;
  const Shape shape = reduced_shape(x.shape(), axes, in.attributes.flag("keepdims"));
  in.result(rounded(reshape(total, shape), in.operand(0).dtype()));
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
  in.result(rounded(e / sum(e, {axis}, true), in.operand(0).dtype()));
}
void gradient_softmax(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const Term r = gradient.result();
  const Term g = gradient.cotangent();
  gradient.operand_cotangent(0, r * (g - sum(g * r, {axis}, true)));
}

constexpr auto infer_log_softmax = infer_softmax;
void decompose_log_softmax(Decomposition& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  const Term x = widened(in.operand(0));
  const Term shifted = x - top_of(x, {axis});
  in.result(rounded(shifted - log(sum(exp(shifted), {axis}, true)), in.operand(0).dtype()));
}
void gradient_log_softmax(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const Term r = gradient.result();
  const Term g = gradient.cotangent();
  gradient.operand_cotangent(0, g - exp(r) * sum(g, {axis}, true));
}

void infer_layer_norm(Inference& in) {
  check_floating(in);
  const Shape& shape = in.operand(0).shape;
  in.require(shape.rank() >= 1, "needs a dimension to normalise");
  const Shape row = {shape[shape.rank() - 1]};
  for (int i = 1; i < 3; ++i) {
    in.require(in.operand(i).shape == row && in.operand(i).dtype == in.operand(0).dtype,
               "scale and shift must be " + std::string(name_of(in.operand(0).dtype)) + row.text());
  }
  in.result(in.operand(0).dtype, shape);
}
void decompose_layer_norm(Decomposition& in) {
  const Term x = widened(in.operand(0));
  const std::vector<std::int64_t> last = {x.shape().rank() - 1};
  const Term centred = x - mean(x, last, true);
  const Term variance = mean(centred * centred, last, true);
  const Term normal = centred * rsqrt(variance + in.attributes.number("epsilon"));
  in.result(
      rounded(normal * widened(in.operand(1)) + widened(in.operand(2)), in.operand(0).dtype()));
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
    gradient.operand_cotangent(0, rounded(dx, dtype));
  }
  const Shape row = gradient.operand(1).shape();
  if (gradient.wants(1)) gradient.operand_cotangent(1, rounded(sum_to(g * normal, row), dtype));
  if (gradient.wants(2)) gradient.operand_cotangent(2, rounded(sum_to(g, row), dtype));
}

void infer_gelu(Inference& in) {
  check_floating(in);
  const std::string& approximate = in.attributes.text("approximate");
  in.require(approximate == "none" || approximate == "tanh",
             "approximate is \"none\" or \"tanh\", not \"" + approximate + "\"");
  in.result(in.operand(0).dtype, in.operand(0).shape);
}
void decompose_gelu(Decomposition& in) {
  const Term x = widened(in.operand(0));
  Term out;
  if (in.attributes.text("approximate") == "tanh") {
    const Term inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x));  // sqrt(2 / pi)
    out = 0.5 * x * (1 + tanh(inner));
  } else {
    out = 0.5 * x * (1 + erf(x * 0.7071067811865476));
  }
  in.result(rounded(out, in.operand(0).dtype()));
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

// These are differentiated through their decomposition.
constexpr void (*gradient_mean)(Gradient&) = nullptr;
constexpr void (*gradient_logsumexp)(Gradient&) = nullptr;
constexpr void (*gradient_gelu)(Gradient&) = nullptr;
constexpr void (*gradient_one_hot)(Gradient&) = nullptr;

}  // namespace

void add_composite(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, ...) \
  out.push_back({.op = Op::id,                        \
                 .name = #id,                         \
                 .kind = OpClass::kind_,              \
                 .least_operands = least,             \
                 .most_operands = most,               \
                 .attributes = __VA_ARGS__,           \
                 .infer = infer_##id,                 \
                 .gradient = gradient_##id,           \
                 .decompose = decompose_##id});
#include <tutti/ir/ops/composite.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
