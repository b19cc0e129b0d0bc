#pragma once

#include <tutti/lazy/axis.h>
#include <tutti/lazy/operand.h>
#include <tutti/lazy/tree.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

// The ops of the front end. Each records a node and returns at once. Unless said otherwise:
// - operands broadcast as in NumPy; tensors must agree in dtype (cast(x, dtype) converts), C++
//   numbers take the tensor's; a mistake is a TypeError with the op, the operand types and your
//   line;
// - axes count from 0, negative ones from the end (axis.h);
// - gradients exist for floating-point operands.
namespace tutti {

// ---- Elementwise, one operand. The result has the operand's shape.
Tensor neg(const Operand& x);    // -x; unsigned integers wrap
Tensor abs(const Operand& x);    // |x|; the most negative integer stays
Tensor sign(const Operand& x);   // -1, 0 or 1; NaN stays
Tensor exp(const Operand& x);    // e^x; floating point, like all down to round
Tensor exp2(const Operand& x);   // 2^x
Tensor expm1(const Operand& x);  // e^x - 1, exact near 0
Tensor log(const Operand& x);    // natural logarithm; NaN below 0
Tensor log2(const Operand& x);
Tensor log1p(const Operand& x);  // log(1 + x), exact near 0
Tensor sqrt(const Operand& x);
Tensor rsqrt(const Operand& x);  // 1 / sqrt(x)
Tensor cbrt(const Operand& x);
Tensor sin(const Operand& x);
Tensor cos(const Operand& x);
Tensor tan(const Operand& x);
Tensor tanh(const Operand& x);
Tensor sigmoid(const Operand& x);  // 1 / (1 + e^-x)
Tensor erf(const Operand& x);
Tensor floor(const Operand& x);  // gradient 0, as for ceil and round
Tensor ceil(const Operand& x);
Tensor round(const Operand& x);        // to nearest, ties to even
Tensor logical_not(const Operand& x);  // bool
Tensor bitwise_not(const Operand& x);  // integers
Tensor is_nan(const Operand& x);       // bool result
Tensor is_finite(const Operand& x);    // bool result
Tensor relu(const Operand& x);         // max(x, 0); gradient 0 at 0
Tensor silu(const Operand& x);         // x * sigmoid(x)
Tensor softplus(const Operand& x);     // log(1 + e^x)
Tensor zeros_like(const Operand& x);   // zeros of x's shape, dtype (also bool) and replication
Tensor ones_like(const Operand& x);
Tensor stop_gradient(const Operand& x);  // x, whose gradient is 0
// x, which nothing is computed of before `after` is there; of any shape and dtype.
Tensor optimization_barrier(const Operand& x, const Operand& after);

// ---- Elementwise, two operands.
Tensor add(const Operand& x, const Operand& y);
Tensor sub(const Operand& x, const Operand& y);
Tensor mul(const Operand& x, const Operand& y);
Tensor div(const Operand& x, const Operand& y);      // integers truncate; x / 0 is -1
Tensor mod(const Operand& x, const Operand& y);      // the dividend's sign, as C++; x mod 0 is x
Tensor pow(const Operand& x, const Operand& y);      // floating point
Tensor maximum(const Operand& x, const Operand& y);  // NaN wins; ties share the gradient
Tensor minimum(const Operand& x, const Operand& y);
Tensor atan2(const Operand& y, const Operand& x);        // the angle of (x, y)
Tensor logical_and(const Operand& x, const Operand& y);  // bool
Tensor logical_or(const Operand& x, const Operand& y);
Tensor logical_xor(const Operand& x, const Operand& y);
Tensor bitwise_and(const Operand& x, const Operand& y);  // integers
Tensor bitwise_or(const Operand& x, const Operand& y);
Tensor bitwise_xor(const Operand& x, const Operand& y);
Tensor shift_left(const Operand& x, const Operand& y);   // by the width or more: 0
Tensor shift_right(const Operand& x, const Operand& y);  // arithmetic for signed integers
Tensor eq(const Operand& x, const Operand& y);           // comparisons give bool
Tensor ne(const Operand& x, const Operand& y);
Tensor lt(const Operand& x, const Operand& y);
Tensor le(const Operand& x, const Operand& y);
Tensor gt(const Operand& x, const Operand& y);
Tensor ge(const Operand& x, const Operand& y);

// ---- Elementwise, three operands.
Tensor select(const Operand& condition, const Operand& x, const Operand& y);  // condition ? x : y
inline Tensor where(const Operand& condition, const Operand& x, const Operand& y) {  // as NumPy's
  return select(condition, x, y);
}
Tensor clamp(const Operand& x, const Operand& low, const Operand& high);
Tensor fma(const Operand& x, const Operand& y, const Operand& z);  // x * y + z, rounded once

// ---- Conversion.
Tensor cast(const Operand& x, DType dtype);     // float to integer saturates, NaN gives 0
Tensor bitcast(const Operand& x, DType dtype);  // the same bits as another dtype of that size

// ---- Reductions over `axes`, which stay with size 1 if keepdims.
Tensor sum(const Operand& x, Axes axes = {}, bool keepdims = false);
Tensor prod(const Operand& x, Axes axes = {}, bool keepdims = false);
Tensor max(const Operand& x, Axes axes = {}, bool keepdims = false);  // ties share the gradient
Tensor min(const Operand& x, Axes axes = {}, bool keepdims = false);
Tensor mean(const Operand& x, Axes axes = {}, bool keepdims = false);  // floating point
Tensor any(const Operand& x, Axes axes = {}, bool keepdims = false);   // bool
Tensor all(const Operand& x, Axes axes = {}, bool keepdims = false);   // bool
Tensor logsumexp(const Operand& x, Axes axes = {}, bool keepdims = false);
// The index of the first extreme element (a NaN is extreme), i64.
Tensor argmax(const Operand& x, Axis axis, bool keepdims = false);
Tensor argmin(const Operand& x, Axis axis, bool keepdims = false);
// Of all elements in row-major order.
Tensor argmax(const Operand& x);
Tensor argmin(const Operand& x);
// Running reductions along an axis, with x's shape and dtype: element i is the sum, product,
// largest or smallest of the elements up to i, or from i on if `reverse`. Numbers of any dtype;
// integers wrap, narrow floats are combined in f32 and each result is rounded once, NaN is the
// largest and the smallest. The gradient of the sums is the running sum the other way; that of the
// products divides by no element, so zeros are all right, and takes no axis whose size varies; that
// of an extreme goes to the element that reached it last, ties included.
Tensor cumsum(const Operand& x, Axis axis, bool reverse = false);
Tensor cumprod(const Operand& x, Axis axis, bool reverse = false);
Tensor cummax(const Operand& x, Axis axis, bool reverse = false);
Tensor cummin(const Operand& x, Axis axis, bool reverse = false);

// ---- Order. Numbers of any dtype (cast bool first); NaN counts as the largest, and -0 as equal to
// 0. Stable: equal elements keep their order. Gradients go through the values to where they came
// from; indices have none.
struct Sorted {
  Tensor values;
  Tensor indices;  // i64: where the values stood along the axis
  TUTTI_FIELDS(values, indices)
};
// x's elements along the axis in order, both of x's shape.
Sorted sort(const Operand& x, Axis axis = -1, bool descending = false);
Tensor argsort(const Operand& x, Axis axis = -1, bool descending = false);
// The k largest elements along the axis, from the largest on (the smallest ones, from the smallest
// on, unless `largest`): x's shape with k in place of the axis. A k beyond the axis is a TypeError.
Sorted topk(const Operand& x, std::int64_t k, Axis axis = -1, bool largest = true);

// ---- Shape. These cost nothing, or one copy.
// The same elements, row-major, in another shape; one size may be -1 and follows from the others.
Tensor reshape(const Operand& x, Integers shape);
// Dimension d of the result is dimension permutation[d] of x; reversed without a permutation.
Tensor transpose(const Operand& x, Integers permutation = {});
Tensor broadcast_to(const Operand& x, Integers shape);
Tensor expand_dims(const Operand& x, Integers axes);  // new axes, of the result
template <std::convertible_to<Integer> Number>
Tensor expand_dims(const Operand& x, Number axis) {
  return expand_dims(x, Integers({Integer(axis)}));
}
Tensor squeeze(const Operand& x, Axes axes = {});  // all axes of size 1 without a list
// Elements start, start + step, ... before stop of every listed dimension; missing ones are whole.
// Numbers beyond the ends are cut; negative ones count from the end; step may be negative.
struct Range {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
};
Tensor slice(const Operand& x, std::vector<Range> ranges);
Tensor reverse(const Operand& x, Integers axes);
// Element i moves to place i + shift along the axis; what leaves at one end comes in at the other.
Tensor roll(const Operand& x, std::int64_t shift, Axis axis);
// Each element along the axis `count` times, one after another.
Tensor repeat(const Operand& x, std::int64_t count, Axis axis);
// The lower (upper) triangle of the last two axes, zeros elsewhere: what lies on the diagonal
// number `diagonal` and below (above) it; 0 is the main one, 1 the next above.
Tensor tril(const Operand& x, std::int64_t diagonal = 0);
Tensor triu(const Operand& x, std::int64_t diagonal = 0);
// The same of the result of a collective that may still be under way: nobody waits for it until the
// view is used.
AsyncTensor reshape(const AsyncTensor& x, Integers shape,
                    std::source_location at = std::source_location::current());
AsyncTensor transpose(const AsyncTensor& x, Integers permutation = {},
                      std::source_location at = std::source_location::current());
AsyncTensor broadcast_to(const AsyncTensor& x, Integers shape,
                         std::source_location at = std::source_location::current());
AsyncTensor expand_dims(const AsyncTensor& x, Integers axes,
                        std::source_location at = std::source_location::current());
template <std::convertible_to<Integer> Number>
AsyncTensor expand_dims(const AsyncTensor& x, Number axis,
                        std::source_location at = std::source_location::current()) {
  return expand_dims(x, Integers({Integer(axis)}), at);
}
AsyncTensor squeeze(const AsyncTensor& x, Axes axes = {},
                    std::source_location at = std::source_location::current());
AsyncTensor slice(const AsyncTensor& x, std::vector<Range> ranges,
                  std::source_location at = std::source_location::current());
AsyncTensor reverse(const AsyncTensor& x, Integers axes,
                    std::source_location at = std::source_location::current());
// low[d] and high[d] elements of `value` before and after dimension d.
Tensor pad(const Operand& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
           const Operand& value);
// The same, with interior[d] elements of it between each two along dimension d as well.
Tensor pad(const Operand& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
           std::vector<std::int64_t> interior, const Operand& value);
Tensor concat(std::span<const Tensor> tensors, Axis axis = 0,
              std::source_location at = std::source_location::current());
inline Tensor concat(std::initializer_list<Tensor> tensors, Axis axis = 0,
                     std::source_location at = std::source_location::current()) {
  return concat(std::span(tensors.begin(), tensors.size()), axis, at);
}
// Tensors of one shape and dtype along a new axis, counted in the result.
Tensor stack(std::span<const Tensor> tensors, Axis axis = 0,
             std::source_location at = std::source_location::current());
inline Tensor stack(std::initializer_list<Tensor> tensors, Axis axis = 0,
                    std::source_location at = std::source_location::current()) {
  return stack(std::span(tensors.begin(), tensors.size()), axis, at);
}
// The parts of those sizes along an axis, one after another; the sizes have to add up to its own.
std::vector<Tensor> split(const Operand& x, const std::vector<std::int64_t>& sizes, Axis axis = 0);
// So many equal parts; their number has to divide the axis.
std::vector<Tensor> split_evenly(const Operand& x, std::int64_t parts, Axis axis);
template <WholeNumber Number>
std::vector<Tensor> split(const Operand& x, Number parts, Axis axis = 0) {
  return split_evenly(x, static_cast<std::int64_t>(parts), axis);
}

// ---- Linear algebra.
// Matrix product [..., m, k] x [..., k, n]; leading dimensions broadcast. A 1-D operand is a row
// (left) or a column (right) and its dimension disappears.
Tensor matmul(const Operand& x, const Operand& y);
// Sums of products over pairs of axes: contract_x[i] of x with contract_y[i] of y. The batch axes
// run side by side. The result has the batch axes in that order, then what is left of x, then what
// is left of y; eight dimensions at most. Paired axes must agree in size, the operands in dtype
// (any but bool). Gradients for both.
struct DotDimensions {
  std::vector<std::int64_t> contract_x = {};
  std::vector<std::int64_t> contract_y = {};
  std::vector<std::int64_t> batch_x = {};
  std::vector<std::int64_t> batch_y = {};
};
Tensor dot_general(const Operand& x, const Operand& y, const DotDimensions& dimensions);

// How a convolution moves over its spatial dimensions. A list has one number for all of them, or
// one for each: ConvOptions{.stride = {2}, .padding = {{0, 1}, {1, 1}}}.
struct ConvOptions {
  // Zeros before and after a dimension; one number stands for both.
  struct Padding {
    std::int64_t low;
    std::int64_t high;
    Padding(std::int64_t both) : low(both), high(both) {}
    Padding(std::int64_t before, std::int64_t after) : low(before), high(after) {}
  };
  std::vector<std::int64_t> stride = {1};
  std::vector<Padding> padding = {0};
  std::vector<std::int64_t> dilation = {1};  // the distance of the weight's elements
  std::int64_t groups = 1;
};
// Convolution, the weight not turned around: x [n, c, spatial...], weight [o, c / groups,
// spatial...] -> [n, o, spatial...], with one to three spatial dimensions of which each gets
// (size + paddings - dilation * (weight size - 1) - 1) / stride + 1 results. Channels are divided
// into groups that do not see each other. Any dtype but bool, the same for both; a weight that is
// larger than x with its padding is a TypeError. Gradients for both.
Tensor conv(const Operand& x, const Operand& weight, const ConvOptions& options = {});

// ---- Indexing by data. Indices are integers.
// x's axis replaced by the dimensions of `indices`; indices out of range are clamped. A C++ number
// takes one element, counted from the end if it is negative, and must be in range.
Tensor take(const Operand& x, const Operand& indices, Axis axis = 0);
// result[..., i, ...] = x[..., indices[..., i, ...], ...] along axis; clamped.
Tensor take_along_axis(const Operand& x, const Operand& indices, Axis axis);
// x with `updates` (shaped like take(x, indices, axis)) added at the indices; out of range:
// dropped.
Tensor scatter_add(const Operand& x, const Operand& indices, const Operand& updates, Axis axis = 0);
// The part of x of those sizes that begins at `starts`, integers [rank]. A start at which the part
// would not fit is moved to the next at which it does. A part larger than x is a TypeError. The
// gradient lies where the part lay.
Tensor dynamic_slice(const Operand& x, const Operand& starts, std::vector<std::int64_t> sizes);
// x with `update`, of x's rank and dtype and no larger, in place of the part that begins at
// `starts`, which is moved in the same way. Gradients: x's without that part, and the part's.
Tensor dynamic_update_slice(const Operand& x, const Operand& update, const Operand& starts);
Tensor one_hot(const Operand& indices, std::int64_t depth, DType dtype = DType::f32);

// ---- Composites. They compute in f32 and round once.
Tensor softmax(const Operand& x, Axis axis = -1);
Tensor log_softmax(const Operand& x, Axis axis = -1);
// (x - mean) / sqrt(variance + epsilon) * scale + shift over the last dimension.
Tensor layer_norm(const Operand& x, const Operand& scale, const Operand& shift,
                  double epsilon = 1e-5);
// x / sqrt(mean(x^2) + epsilon) * scale over the last dimension; scale [size] of x's dtype.
Tensor rms_norm(const Operand& x, const Operand& scale, double epsilon = 1e-6);
// -log softmax(logits)[label]: logits [..., classes], floating point; labels [...], integers, out
// of range: clamped; the result [...] has the dtype of the logits. Gradient to the logits: softmax
// less 1 at the label, times the cotangent.
Tensor cross_entropy(const Operand& logits, const Operand& labels);
enum class Gelu : std::uint8_t { none, tanh };  // exact, or the tanh approximation
Tensor gelu(const Operand& x, Gelu approximate = Gelu::none);

struct AttentionOptions {
  bool causal = false;  // query i sees the keys j <= i
  double scale = 0;     // of the scores; 0: 1 / sqrt(d)
  // How many of the keys there are as yet, where k and v have room for more, which holds finite
  // numbers: an integer, or one for each matrix (it broadcasts to the leading dimensions). Causal
  // queries are then the last of as many: query i sees the keys j < keys - t + i + 1.
  std::optional<Tensor> keys = std::nullopt;
};
// A tensor that is given; no number, so that attention(q, k, v, true) does not compile.
struct AttentionMask {
  AttentionMask(const Tensor& mask, std::source_location at = std::source_location::current())
      : tensor(mask.state(at)) {}
  AttentionMask(const AsyncTensor& mask, std::source_location at = std::source_location::current())
      : tensor(mask.wait(at)) {}
  Tensor tensor;
};
// softmax(q k^T * scale) v: q [..., t, d], k [..., s, d], v [..., s, e] -> [..., t, e], of one
// floating-point dtype. The leading dimensions are equal, but that k and v may have fewer heads
// (dimension -3), each for as many heads of q in a row (grouped queries, Ainslie et al. 2023, arXiv
// 2305.13245). `mask` is bool and broadcasts to [..., t, s]: true where a query may see a key; with
// `keys` both must allow it. A query that sees none gives zeros. What is hidden weighs nothing, but
// has to be finite numbers, as zeros are: it may be multiplied by zero. On the host the scores
// never exist as a whole, and what is hidden by `keys` or in whole blocks takes no time. Gradients
// for q, k and v. Vaswani et al. 2017, arXiv 1706.03762.
Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options = {});
Tensor attention(const Operand& q, const Operand& k, const Operand& v, const AttentionMask& mask,
                 const AttentionOptions& options = {});

// ---- Operators. == and its kin are elementwise.
inline Tensor operator-(const Operand& x) { return neg(x); }
#define TUTTI_OPERATOR(symbol, name) \
  inline Tensor operator symbol(const Operand& x, const Operand& y) { return name(x, y); }
TUTTI_OPERATOR(+, add)
TUTTI_OPERATOR(-, sub)
TUTTI_OPERATOR(*, mul)
TUTTI_OPERATOR(/, div)
TUTTI_OPERATOR(%, mod)
TUTTI_OPERATOR(==, eq)
TUTTI_OPERATOR(!=, ne)
TUTTI_OPERATOR(<, lt)
TUTTI_OPERATOR(<=, le)
TUTTI_OPERATOR(>, gt)
TUTTI_OPERATOR(>=, ge)
#undef TUTTI_OPERATOR
// x = x + y: another value for this handle, others keep theirs.
#define TUTTI_ASSIGNING_OPERATOR(symbol, name)                  \
  inline Tensor& operator symbol(Tensor& x, const Operand& y) { \
    return x = name(Operand(x, y.where()), y);                  \
  }
TUTTI_ASSIGNING_OPERATOR(+=, add)
TUTTI_ASSIGNING_OPERATOR(-=, sub)
TUTTI_ASSIGNING_OPERATOR(*=, mul)
TUTTI_ASSIGNING_OPERATOR(/=, div)
#undef TUTTI_ASSIGNING_OPERATOR
// Bitwise on integers, logical on bool.
Tensor operator&(const Operand& x, const Operand& y);
Tensor operator|(const Operand& x, const Operand& y);
Tensor operator^(const Operand& x, const Operand& y);
// Of bool alone; element by element, as all operators: both sides are computed.
Tensor operator&&(const Operand& x, const Operand& y);
Tensor operator||(const Operand& x, const Operand& y);
Tensor operator!(const Operand& x);

}  // namespace tutti
