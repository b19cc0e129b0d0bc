#include <tutti/ir/ops/attention.h>
#include <tutti/ir/ops/family.h>

#include <cmath>
#include <limits>

namespace tutti::ir::family {

namespace {

// The size of a dimension, counted from the end.
std::int64_t from_end(const Shape& shape, int dimension) { return shape[shape.rank() - dimension]; }

Shape scores_shape(const Shape& q, const Shape& k) {
  std::vector<std::int64_t> sizes(q.begin(), q.end());
  sizes.back() = from_end(k, 2);
  return Shape(sizes);
}

// Checks the operands of attention; whether the last of `count` is a mask.
void check_attention(const Inference& in, bool masked) {
  const Type& q = in.operand(0);
  in.require(is_floating(q.dtype), "takes floating-point numbers; cast them first");
  for (int i = 1; i < 3; ++i) {
    const Type& other = in.operand(i);
    in.require(other.dtype == q.dtype, "mixed dtypes; cast q, k and v to one");
    in.require(q.shape.rank() >= 2 && other.shape.rank() == q.shape.rank(),
               "q, k and v need the same number of dimensions, two or more");
    in.require(batch_shape(other.shape) == batch_shape(q.shape),
               "the leading dimensions of q, k and v must be equal");
  }
  const Shape& k = in.operand(1).shape;
  const Shape& v = in.operand(2).shape;
  in.require(from_end(k, 1) == from_end(q.shape, 1), [&] {
    return "queries and keys differ in size: " + std::to_string(from_end(q.shape, 1)) + " and " +
           std::to_string(from_end(k, 1));
  });
  in.require(from_end(v, 2) == from_end(k, 2), [&] {
    return std::to_string(from_end(k, 2)) + " keys and " + std::to_string(from_end(v, 2)) +
           " values";
  });
  if (!masked) return;
  const Shape scores = scores_shape(q.shape, k);
  in.require(in.operand(3).dtype == DType::boolean, "the mask must be bool");
  in.require(broadcast_shapes(in, in.operand(3).shape, scores) == scores,
             [&] { return "the mask does not broadcast to " + scores.text(); });
}

Shape result_shape(const Shape& q, const Shape& v) {
  std::vector<std::int64_t> sizes(q.begin(), q.end());
  sizes.back() = from_end(v, 1);
  return Shape(sizes);
}

void infer_attention(Inference& in) {
  check_attention(in, in.count() == 4);
  const Type& q = in.operand(0);
  in.result(q.dtype, result_shape(q.shape, in.operand(2).shape));
}

void infer_attention_gradient(Inference& in) {
  check_attention(in, in.count() == 5);
  const Type& q = in.operand(0);
  const Type& g = in.operand(in.count() - 1);
  const Shape result = result_shape(q.shape, in.operand(2).shape);
  in.require(g.dtype == q.dtype && g.shape == result, [&] {
    return "the cotangent must be " + std::string(name_of(q.dtype)) + result.text();
  });
  for (int i = 0; i < 3; ++i) in.result(q.dtype, in.operand(i).shape);
}

double scale_of(const Decomposition& in) {
  return attention_scale(in.attributes.number("scale"), from_end(in.operand(0).shape(), 1));
}

// How much each query looks at each key: softmax of the scores, zeros where nothing is seen.
Term attention_weights(const Decomposition& in, Term q, Term k, bool masked) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  Term scores = matmul(q, transpose_last(k)) * scale_of(in);
  const std::int64_t last = scores.shape().rank() - 1;
  if (in.attributes.flag("causal")) {
    const Shape places = {from_end(scores.shape(), 2), from_end(scores.shape(), 1)};
    const Term query = iota_like(q, places, 0, DType::i64);
    scores = select(query >= iota_like(q, places, 1, DType::i64), scores, kNever);
  }
  if (masked) scores = select(in.operand(3), scores, kNever);
  if (scores.shape()[static_cast<int>(last)] == 0) return scores;
  const Term top = max(scores, {last}, true);
  const Term e = exp(scores - select(top.apply(Op::is_finite), top, 0));
  const Term total = sum(e, {last}, true);
  const Term one = total.constant(1);  // named, as compilers differ in what they evaluate first
  const Term none = total == 0;        // not `> 0`: a NaN stays
  return e / select(none, one, total);
}

void decompose_attention(Decomposition& in) {
  const DType dtype = in.operand(0).dtype();
  const Term weights =
      attention_weights(in, widened(in.operand(0)), widened(in.operand(1)), in.count() == 4);
  in.result(cast(matmul(weights, widened(in.operand(2))), dtype));
}

// With weights p and their cotangents h = g v^T, those of the scores are p * (h - sum(p * h)).
void decompose_attention_gradient(Decomposition& in) {
  const DType dtype = in.operand(0).dtype();
  const Term q = widened(in.operand(0));
  const Term k = widened(in.operand(1));
  const Term v = widened(in.operand(2));
  const Term g = widened(in.operand(in.count() - 1));
  const Term p = attention_weights(in, q, k, in.count() == 5);
  const Term h = matmul(g, transpose_last(v));
  const std::int64_t last = p.shape().rank() - 1;
  const Term of_scores = p * (h - sum(p * h, {last}, true)) * scale_of(in);
  in.result(cast(matmul(of_scores, k), dtype));
  in.result(cast(matmul(transpose_last(of_scores), q), dtype));
  in.result(cast(matmul(transpose_last(p), g), dtype));
}

void gradient_attention(Gradient& gradient) {
  std::vector<Value> operands;
  for (int i = 0; i < gradient.count(); ++i) operands.push_back(gradient.operand(i).value());
  operands.push_back(gradient.cotangent().value());
  Builder& builder = *gradient.builder();
  const NodeId node =
      builder.node(Op::attention_gradient, operands,
                   {gradient.attributes.flag("causal"), gradient.attributes.number("scale")});
  for (int i = 0; i < 3; ++i) {
    const Value cotangent = builder.graph().result(node, static_cast<std::size_t>(i));
    gradient.operand_cotangent(i, {&builder, cotangent});
  }
}
// Differentiated through its decomposition.
constexpr void (*gradient_attention_gradient)(Gradient&) = nullptr;

// The host has kernels for both that never hold all scores. Below kLeastScores a matrix these stay
// in the caches anyway, and the parts, shared by both directions, are less work.
bool is_worth_a_kernel(const Graph& graph, NodeId node) {
  constexpr std::int64_t kLeastScores = std::int64_t{64} * 64;
  const Shape& q = graph.type(graph.operand(node, 0)).shape;
  const Shape& k = graph.type(graph.operand(node, 1)).shape;
  const Shape& v = graph.type(graph.operand(node, 2)).shape;
  const bool empty = q.elements() == 0 || k.elements() == 0 || v.elements() == 0;
  return !empty && from_end(q, 2) * from_end(k, 2) >= kLeastScores &&
         graph.type(graph.result(node)).device.is_cpu();
}

}  // namespace

}  // namespace tutti::ir::family

namespace tutti::ir {

double attention_scale(double scale, std::int64_t d) {
  if (scale != 0) return scale;
  return d == 0 ? 1 : 1 / std::sqrt(static_cast<double>(d));
}

namespace family {

void add_attention(std::vector<Definition>& out) {
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
                 .is_taken_whole = is_worth_a_kernel,       \
                 .documentation = docs});
#include <tutti/ir/table/attention.def>
#undef TUTTI_STRUCTURED
}

}  // namespace family

}  // namespace tutti::ir
