// Roots and powers of f64.

#include <tutti/codegen/llvm/wide_math.h>

#include <limits>

namespace tutti::codegen::native {

using llvm::Value;

// ---- cbrt ----

// Without a division: the inverse of the root is improved by multiplications alone.
Value* WideMath::cbrt(Value* x) {
  Value* size = magnitude(x);
  const auto [f, exponent] = split(size);
  // The exponent as 3 k + j with j in {-1, 0, 1}; then the root of (1 + f) 2^j, times 2^k.
  Value* e = wide_exponent(exponent);
  Value* shift = number(x, kWideShift);
  Value* shifted = fused(e, number(x, 1.0 / 3), shift);
  Value* j = fused(ir_.CreateFSub(shifted, shift), number(x, -3), e);
  Value* below = ir_.CreateFCmpOLT(j, number(x, 0));
  Value* above = ir_.CreateFCmpOGT(j, number(x, 0));
  const auto by_j = [&](double of_minus_one, double of_one) {
    Value* other = ir_.CreateSelect(above, number(x, of_one), number(x, 1));
    return ir_.CreateSelect(below, number(x, of_minus_one), other);
  };
  Value* m = ir_.CreateFMul(ir_.CreateFAdd(f, number(x, 1)), by_j(0.5, 2));
  // m^(-1/3), relative error 2^-14.7, and after a step of the third order 2^-41: from
  // y (1 - d)^(-1/3) with d = 1 - m y^3.
  Value* y = polynomial(f, {0.16566742211327987, -0.19201622279181846, 0.2212253954439739,
                            -0.33278082832695766, 1.000006986055016});
  y = ir_.CreateFMul(y, by_j(1.2599210498948732, 0.7937005259840998));
  Value* d = fused(ir_.CreateFMul(m, ir_.CreateFNeg(y)), ir_.CreateFMul(y, y), number(x, 1));
  Value* step = fused(d, number(x, 2.0 / 9), number(x, 1.0 / 3));
  y = fused(ir_.CreateFMul(y, d), step, y);
  // The root is m y^2. Of its first 26 bits, t, the square and what the cube leaves of m are exact,
  // as in FreeBSD's cbrt, where halves are multiplied; with w = m y^2 the rest of the root is
  // (m - t^3) / (w^2 + w t + t^2), which is nearly (m - t^3) / (3 w^2) (1 + (w - t) / w).
  const auto first_bits = [&](Value* of) {
    return from_bits(ir_.CreateAnd(bits(of), integer(x, 0xFFFFFFFFF8000000)));
  };
  Value* inverse_square = ir_.CreateFMul(y, y);
  Value* w = ir_.CreateFMul(m, inverse_square);
  Value* t = first_bits(w);
  Value* square = ir_.CreateFMul(t, t);
  Value* high = first_bits(square);
  Value* left = ir_.CreateFSub(m, ir_.CreateFMul(high, t));
  left = ir_.CreateFSub(left, ir_.CreateFMul(ir_.CreateFSub(square, high), t));
  Value* third = ir_.CreateFMul(inverse_square, number(x, 1.0 / 3));
  Value* factor = fused(ir_.CreateFSub(w, t), y, number(x, 1));
  Value* root = fused(ir_.CreateFMul(left, third), factor, t);
  Value* k = ir_.CreateShl(ir_.CreateSub(bits(shifted), bits(shift)), 52);
  root = with_sign(from_bits(ir_.CreateAdd(bits(root), k)), x);
  Value* infinity = number(x, std::numeric_limits<double>::infinity());
  Value* ordinary =
      ir_.CreateAnd(ir_.CreateFCmpONE(x, number(x, 0)), ir_.CreateFCmpOLT(size, infinity));
  return ir_.CreateSelect(ordinary, root, x);
}

}  // namespace tutti::codegen::native
