// Roots and powers of f64.

#include <tutti/codegen/llvm/wide_math.h>

#include <cstdint>
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

// ---- pow ----

WideMath::Pair WideMath::log2_pair(Value* x) {
  // Each step in pairs, by Dekker's and Knuth's exact products and sums.
  // log2(x) = e + log2(1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and s = f / (2 + f).
  constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCD;
  const auto [f, exponent] = split(x, kRootOfHalf);
  Value* two = number(x, 2);
  Value* below = ir_.CreateFAdd(f, two);
  Value* below_lost = ir_.CreateFSub(f, ir_.CreateFSub(below, two));
  Value* inverse = ir_.CreateFDiv(number(x, 1), below);
  Value* s = ir_.CreateFMul(f, inverse);
  Value* minus_s = ir_.CreateFNeg(s);
  Value* s_lost = fused(minus_s, below_lost, fused(minus_s, below, f));
  s_lost = ir_.CreateFMul(s_lost, inverse);
  Value* z = ir_.CreateFMul(s, s);
  Value* z_lost = fused(ir_.CreateFAdd(s, s), s_lost, fused(s, s, ir_.CreateFNeg(z)));
  // log2(1 + f) = s (2 / ln 2 + z (2 / (3 ln 2) + z Q(z))), relative error of Q 2^-53.3
  constexpr double kSecond = 0.9617966939259756;
  constexpr double kSecondLost = 5.0577616648125907e-17;
  Value* q = polynomial(
      z, {0.19098588604142952, 0.16663183140073592, 0.19247177371138505, 0.22195095980438267,
          0.2623082102676912, 0.32059889787528734, 0.41219858311131174, 0.5770780163555853});
  Value* second = number(x, kSecond);
  Value* t = fused(z, q, second);
  Value* t_lost = fused(z, q, ir_.CreateFSub(second, t));
  t_lost = ir_.CreateFAdd(fused(z_lost, q, number(x, kSecondLost)), t_lost);
  Value* u = ir_.CreateFMul(z, t);
  Value* u_lost = fused(z, t, ir_.CreateFNeg(u));
  u_lost = fused(z, t_lost, fused(z_lost, t, u_lost));
  constexpr double kFirst = 2.8853900817779268;
  constexpr double kFirstLost = 4.0710547481862066e-17;
  Value* first = number(x, kFirst);
  Value* g = ir_.CreateFAdd(first, u);
  Value* g_lost = ir_.CreateFAdd(ir_.CreateFSub(first, g), u);
  g_lost = ir_.CreateFAdd(g_lost, ir_.CreateFAdd(u_lost, number(x, kFirstLost)));
  Value* l = ir_.CreateFMul(s, g);
  Value* l_lost = fused(s, g, ir_.CreateFNeg(l));
  l_lost = fused(s, g_lost, fused(s_lost, g, l_lost));
  Value* e = wide_exponent(exponent);  // 0 or larger than l
  Value* logarithm = ir_.CreateFAdd(e, l);
  Value* lost = ir_.CreateFAdd(ir_.CreateFAdd(ir_.CreateFSub(e, logarithm), l), l_lost);
  Value* infinity = number(x, std::numeric_limits<double>::infinity());
  logarithm = ir_.CreateSelect(ir_.CreateFCmpOEQ(x, infinity), infinity, logarithm);
  logarithm =
      ir_.CreateSelect(ir_.CreateFCmpOEQ(x, number(x, 0)), ir_.CreateFNeg(infinity), logarithm);
  return {.value = logarithm, .lost = lost};
}

Value* WideMath::pow(Value* x, Value* y) {
  Value* size = magnitude(x);
  // y makes the logarithm's error a thousand times as large: hence a pair.
  const auto [logarithm, logarithm_lost] = log2_pair(size);
  Value* power = ir_.CreateFMul(y, logarithm);
  Value* lost = fused(y, logarithm_lost, fused(y, logarithm, ir_.CreateFNeg(power)));
  // Beyond, the result is 0 or infinity, and what was lost may be anything.
  constexpr double kMost = 1100;
  Value* ordinary = ir_.CreateFCmpOLT(magnitude(power), number(x, kMost));
  lost = ir_.CreateSelect(ordinary, lost, number(x, 0));
  // Of 1 to an infinite power.
  power = ir_.CreateSelect(ir_.CreateFCmpOEQ(size, number(x, 1)), number(x, 0), power);
  power = clamp(power, -1080, 1025);
  Value* shift = number(x, kWideShift);
  Value* shifted = ir_.CreateFAdd(power, shift);
  Value* exact = ir_.CreateFSub(power, ir_.CreateFSub(shifted, shift));
  Value* rest = ir_.CreateFAdd(exact, lost);
  lost = ir_.CreateFAdd(ir_.CreateFSub(exact, rest), lost);
  Value* result = scale(exp2_of_rest(rest, lost), ir_.CreateSub(bits(shifted), bits(shift)),
                        ir_.CreateFCmpOLT(power, number(x, -1022)));
  return power_special(x, y, result);
}

}  // namespace tutti::codegen::native
