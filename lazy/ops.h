#pragma once

#include <tutti/lazy/operand.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// The ops of the front end. Each records a node and returns at once. Unless said otherwise:
// - operands broadcast as in NumPy; tensors must agree in dtype (cast(x, dtype) converts; C++
// numbers
//   take the tensor's dtype); a mistake is a TypeError with the op, the operand types and your
//   line;
// - axes count from 0, negative ones from the end;
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
Tensor zeros_like(const Operand& x);   // zeros of x's shape, dtype and replication
Tensor ones_like(const Operand& x);

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
Tensor clamp(const Operand& x, const Operand& low, const Operand& high);
Tensor fma(const Operand& x, const Operand& y, const Operand& z);  // x * y + z, rounded once

// ---- Conversion.
Tensor cast(const Operand& x, DType dtype);     // float to integer saturates, NaN gives 0
Tensor bitcast(const Operand& x, DType dtype);  // the same bits as another dtype of that size

// ---- Reductions over `axes` (all without them); reduced axes stay with size 1 if keepdims.
using Axes = std::optional<std::vector<std::int64_t>>;
Tensor sum(const Operand& x, Axes axes = {}, bool keepdims = false);
Tensor prod(const Operand& x, Axes axes = {}, bool keepdims = false);  // no gradient
Tensor max(const Operand& x, Axes axes = {}, bool keepdims = false);   // ties share the gradient
Tensor min(const Operand& x, Axes axes = {}, bool keepdims = false);
Tensor mean(const Operand& x, Axes axes = {}, bool keepdims = false);  // floating point
Tensor any(const Operand& x, Axes axes = {}, bool keepdims = false);   // bool
Tensor all(const Operand& x, Axes axes = {}, bool keepdims = false);   // bool
Tensor logsumexp(const Operand& x, Axes axes = {}, bool keepdims = false);
// The index of the first extreme element (a NaN is extreme), i64.
Tensor argmax(const Operand& x, std::int64_t axis, bool keepdims = false);
Tensor argmin(const Operand& x, std::int64_t axis, bool keepdims = false);

// ---- Shape. These cost nothing, or one copy.
// The same elements, row-major, in another shape; one size may be -1 and follows from the others.
Tensor reshape(const Operand& x, std::vector<std::int64_t> shape);
// Dimension d of the result is dimension permutation[d] of x; reversed without a permutation.
Tensor transpose(const Operand& x, std::vector<std::int64_t> permutation = {});
Tensor broadcast_to(const Operand& x, std::vector<std::int64_t> shape);
Tensor expand_dims(const Operand& x, std::vector<std::int64_t> axes);  // new axes, of the result
Tensor squeeze(const Operand& x, Axes axes = {});  // all axes of size 1 without a list
// Elements start, start + step, ... before stop of every listed dimension; missing ones are whole.
// Numbers beyond the ends are cut; negative ones count from the end; step may be negative.
struct Range {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
};
Tensor slice(const Operand& x, std::vector<Range> ranges);
Tensor reverse(const Operand& x, std::vector<std::int64_t> axes);
// low[d] and high[d] elements of `value` before and after dimension d.
Tensor pad(const Operand& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
           const Operand& value);
Tensor concat(std::span<const Tensor> tensors, std::int64_t axis = 0,
              std::source_location at = std::source_location::current());

// ---- Linear algebra.
// Matrix product [..., m, k] x [..., k, n]; leading dimensions broadcast. A 1-D operand is a row
// (left) or a column (right) and its dimension disappears.
Tensor matmul(const Operand& x, const Operand& y);

// ---- Indexing by data. Indices are integers.
// x's axis replaced by the dimensions of `indices`; indices out of range are clamped.
Tensor take(const Operand& x, const Operand& indices, std::int64_t axis = 0);
// result[..., i, ...] = x[..., indices[..., i, ...], ...] along axis; clamped.
Tensor take_along_axis(const Operand& x, const Operand& indices, std::int64_t axis);
// x with `updates` (shaped like take(x, indices, axis)) added at the indices; out of range:
// dropped.
Tensor scatter_add(const Operand& x, const Operand& indices, const Operand& updates,
                   std::int64_t axis = 0);
Tensor one_hot(const Operand& indices, std::int64_t depth, DType dtype = DType::f32);

// ---- Composites. They compute in f32 and round once.
Tensor softmax(const Operand& x, std::int64_t axis = -1);
Tensor log_softmax(const Operand& x, std::int64_t axis = -1);
// (x - mean) / sqrt(variance + epsilon) * scale + shift over the last dimension.
Tensor layer_norm(const Operand& x, const Operand& scale, const Operand& shift,
                  double epsilon = 1e-5);
enum class Gelu : std::uint8_t { none, tanh };  // exact, or the tanh approximation
Tensor gelu(const Operand& x, Gelu approximate = Gelu::none);

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
// Bitwise on integers, logical on bool.
Tensor operator&(const Operand& x, const Operand& y);
Tensor operator|(const Operand& x, const Operand& y);
Tensor operator^(const Operand& x, const Operand& y);

}  // namespace tutti
