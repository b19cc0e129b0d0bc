#pragma once

#include <tutti/ir/dtype.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::ir {

// The few scalar primitives from which every elementwise op is built. The interpreter, the kernel
// evaluator and the code emitters are driven by them: one rendering per primitive each.
//
// Semantics (StableHLO's where C++ leaves a hole, so that nothing traps):
// - integers wrap; x div 0 is -1 (all bits set), MIN div -1 is MIN; mod has the dividend's sign,
//   x mod 0 is x and MIN mod -1 is 0; shifts by the width or more give 0 (shift_right of a negative
//   signed value: -1); a negative shift count counts as too large;
// - minimum and maximum propagate NaN;
// - round goes to the nearest, ties to even;
// - cast float to integer saturates and sends NaN to 0; anything to bool is "not equal to 0".
// clang-format off
#define TUTTI_SCALAR_OPS(X)                                                                   \
  X(argument, 0)                                                                              \
  X(constant, 0) /* leaves */                                                                 \
  X(neg, 1)                                                                                   \
  X(abs, 1) X(exp, 1) X(exp2, 1) X(expm1, 1) X(log, 1) X(log2, 1) X(log1p, 1) X(sqrt, 1)      \
      X(cbrt, 1) X(sin, 1) X(cos, 1) X(tan, 1) X(tanh, 1) X(erf, 1) X(floor, 1) X(ceil, 1)    \
          X(round, 1) X(bit_not, 1) X(add, 2) X(sub, 2) X(mul, 2) X(div, 2) X(mod, 2)         \
              X(minimum, 2) X(maximum, 2) X(pow, 2) X(atan2, 2) X(bit_and, 2) X(bit_or, 2)    \
                  X(bit_xor, 2) X(shift_left, 2) X(shift_right, 2) X(eq, 2) X(ne, 2) X(lt, 2) \
                      X(le, 2) X(gt, 2) X(ge, 2) X(select, 3) X(fma, 3) X(cast, 1) X(bitcast, 1)
// clang-format on

enum class ScalarOp : std::uint8_t {
#define TUTTI_ENUMERATOR(name, operands) name,
  TUTTI_SCALAR_OPS(TUTTI_ENUMERATOR)
#undef TUTTI_ENUMERATOR
};

std::string_view name_of(ScalarOp op);
int operand_count(ScalarOp op);
constexpr bool is_comparison(ScalarOp op) { return op >= ScalarOp::eq && op <= ScalarOp::ge; }

// Whether it is a function of a mathematical library: many operations, whose last bits differ from
// library to library.
bool is_transcendental(ScalarOp op);

// One element of any dtype. Which member is live follows from the dtype that goes with it: `truth`
// for bool, `integer` for signed and `natural` for unsigned integers (sign- or zero-extended),
// `single` for f32 (and for the narrower ones, which are computed in f32), `number` for f64.
union Cell {
  bool truth;
  std::int64_t integer;
  std::uint64_t natural = 0;
  float single;
  double number;
};

// The dtype in which arithmetic on a stored dtype happens: f32 for narrower floats, else itself.
constexpr DType compute_dtype(DType dtype) {
  return is_narrow_floating(dtype) ? DType::f32 : dtype;
}

// A stored element, widened to its compute dtype; and back, rounded once.
Cell load_cell(DType dtype, const void* element);
void store_cell(DType dtype, Cell cell, void* element);

// `value` in a compute dtype.
Cell cell_of(DType dtype, double value);

// The reference meaning of a primitive. `dtype` is the compute dtype of the operands (of the second
// operand for select, of the operand for cast and bitcast); `to` is the dtype a cast goes to.
Cell evaluate(ScalarOp op, DType dtype, std::array<Cell, 3> operands, DType to = DType::f32);

// One node of a scalar expression; operands are indices of earlier nodes.
struct ScalarNode {
  ScalarOp op = ScalarOp::argument;
  std::array<std::int16_t, 3> operands{};  // an argument's number, or operands
  double constant = 0;

  friend bool operator==(const ScalarNode&, const ScalarNode&) = default;
};

// The meaning of an elementwise op as an expression over its operands, all of one compute dtype T
// (the first operand of select is bool). Comparisons give bool, everything else T; constants are T.
// The last node is the result.
struct ScalarExpression {
  std::vector<ScalarNode> nodes;
  int arguments = 0;
};

// Writes expressions with C++ operators: `0.5 * x * (1 + tanh(x))`.
class Scalar {
 public:
  Scalar(ScalarExpression* expression, std::int16_t node) : expression_(expression), node_(node) {}
  static Scalar argument(ScalarExpression* expression, int number);

  friend Scalar apply(ScalarOp op, Scalar a);
  friend Scalar apply(ScalarOp op, Scalar a, Scalar b);
  friend Scalar apply(ScalarOp op, Scalar a, Scalar b, Scalar c);
  Scalar constant(double value) const;

 private:
  ScalarExpression* expression_;
  std::int16_t node_;
};

#define TUTTI_UNARY_FUNCTION(name) \
  inline Scalar name(Scalar a) { return apply(ScalarOp::name, a); }
TUTTI_UNARY_FUNCTION(abs)
TUTTI_UNARY_FUNCTION(exp)
TUTTI_UNARY_FUNCTION(exp2)
TUTTI_UNARY_FUNCTION(expm1)
TUTTI_UNARY_FUNCTION(log)
TUTTI_UNARY_FUNCTION(log2)
TUTTI_UNARY_FUNCTION(log1p)
TUTTI_UNARY_FUNCTION(sqrt)
TUTTI_UNARY_FUNCTION(cbrt)
TUTTI_UNARY_FUNCTION(sin)
TUTTI_UNARY_FUNCTION(cos)
TUTTI_UNARY_FUNCTION(tan)
TUTTI_UNARY_FUNCTION(tanh)
TUTTI_UNARY_FUNCTION(erf)
TUTTI_UNARY_FUNCTION(floor)
TUTTI_UNARY_FUNCTION(ceil)
TUTTI_UNARY_FUNCTION(round)
TUTTI_UNARY_FUNCTION(bit_not)
#undef TUTTI_UNARY_FUNCTION

#define TUTTI_BINARY_FUNCTION(name, op)                                                    \
  inline Scalar name(Scalar a, Scalar b) { return apply(ScalarOp::op, a, b); }             \
  inline Scalar name(Scalar a, double b) { return apply(ScalarOp::op, a, a.constant(b)); } \
  inline Scalar name(double a, Scalar b) { return apply(ScalarOp::op, b.constant(a), b); }
TUTTI_BINARY_FUNCTION(operator+, add)
TUTTI_BINARY_FUNCTION(operator-, sub)
TUTTI_BINARY_FUNCTION(operator*, mul)
TUTTI_BINARY_FUNCTION(operator/, div)
TUTTI_BINARY_FUNCTION(operator<, lt)
TUTTI_BINARY_FUNCTION(operator<=, le)
TUTTI_BINARY_FUNCTION(operator>, gt)
TUTTI_BINARY_FUNCTION(operator>=, ge)
TUTTI_BINARY_FUNCTION(operator==, eq)
TUTTI_BINARY_FUNCTION(operator!=, ne)
TUTTI_BINARY_FUNCTION(mod, mod)
TUTTI_BINARY_FUNCTION(minimum, minimum)
TUTTI_BINARY_FUNCTION(maximum, maximum)
TUTTI_BINARY_FUNCTION(pow, pow)
TUTTI_BINARY_FUNCTION(atan2, atan2)
TUTTI_BINARY_FUNCTION(bit_and, bit_and)
TUTTI_BINARY_FUNCTION(bit_or, bit_or)
TUTTI_BINARY_FUNCTION(bit_xor, bit_xor)
TUTTI_BINARY_FUNCTION(shift_left, shift_left)
TUTTI_BINARY_FUNCTION(shift_right, shift_right)
#undef TUTTI_BINARY_FUNCTION

inline Scalar operator-(Scalar a) { return apply(ScalarOp::neg, a); }
inline Scalar select(Scalar p, Scalar a, Scalar b) { return apply(ScalarOp::select, p, a, b); }
inline Scalar select(Scalar p, double a, Scalar b) { return select(p, b.constant(a), b); }
inline Scalar select(Scalar p, Scalar a, double b) { return select(p, a, a.constant(b)); }
inline Scalar select(Scalar p, double a, double b, Scalar like) {
  return select(p, like.constant(a), like.constant(b));
}
inline Scalar fma(Scalar a, Scalar b, Scalar c) { return apply(ScalarOp::fma, a, b, c); }

}  // namespace tutti::ir
