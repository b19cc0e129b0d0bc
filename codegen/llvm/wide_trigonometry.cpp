// Functions of angles, of f64.

#include <tutti/codegen/llvm/wide_math.h>

#include <limits>
#include <numbers>

namespace tutti::codegen::native {

using llvm::Value;

namespace {

// pi / 2 in three numbers.
constexpr double kHalfPi = 1.5707963267948966;
constexpr double kHalfPiRest = 6.123233995736766e-17;
constexpr double kHalfPiLast = -1.4973849048591698e-33;

}  // namespace

// ---- sin and cos ----

Value* WideMath::sine(Value* x, std::uint64_t quarters) {
  // The first product is subtracted without an error: what is left is a multiple of 2^-53 and less
  // than 1.
  Value* shift = number(x, kWideShift);
  Value* shifted = fused(x, number(x, 0.6366197723675814), shift);
  Value* n = ir_.CreateFSub(shifted, shift);
  Value* r = fused(n, number(x, -kHalfPi), x);
  r = fused(n, number(x, -kHalfPiRest), r);
  r = fused(n, number(x, -kHalfPiLast), r);
  Value* z = ir_.CreateFMul(r, r);

  // For r in [-pi/4, pi/4]: sin(r) = r + r^3 S(r^2), relative error 2^-57.9, and
  // cos(r) = 1 - r^2/2 + r^4 C(r^2), 2^-64.
  Value* s = polynomial(z, {1.5896148840771626e-10, -2.505074640074952e-08, 2.7557313612960366e-06,
                            -0.0001984126982956609, 0.00833333333332209, -0.1666666666666663});
  Value* sine = fused(ir_.CreateFMul(r, z), s, r);
  Value* c = polynomial(z, {-1.135848003636672e-11, 2.0875699775861844e-09, -2.7557314171643083e-07,
                            2.4801587288825893e-05, -0.0013888888888873017, 0.041666666666666595});
  Value* cosine = fused(z, number(x, -0.5), number(x, 1));
  cosine = fused(ir_.CreateFMul(z, z), c, cosine);

  Value* quarter = ir_.CreateAdd(bits(shifted), integer(x, quarters));
  return after_quarters(sine, cosine, quarter);
}

Value* WideMath::sin(Value* x) {
  // The polynomial loses the sign of -0.
  return ir_.CreateSelect(ir_.CreateFCmpOEQ(x, number(x, 0)), x, sine(x, 0));
}

Value* WideMath::cos(Value* x) { return sine(x, 1); }

// ---- tan ----

Value* WideMath::tan(Value* x) {
  // As for sin, but with what the second product and its difference round away (Dekker's and
  // Knuth's exact product and sum): near pi/4 tan has twice the relative error of its argument.
  Value* shift = number(x, kWideShift);
  Value* shifted = fused(x, number(x, 0.6366197723675814), shift);
  Value* n = ir_.CreateFSub(shifted, shift);
  Value* first = fused(n, number(x, -kHalfPi), x);
  Value* product = ir_.CreateFMul(n, number(x, kHalfPiRest));
  Value* product_lost = fused(n, number(x, kHalfPiRest), ir_.CreateFNeg(product));
  Value* r = ir_.CreateFSub(first, product);
  Value* taken = ir_.CreateFSub(first, r);
  Value* lost = ir_.CreateFAdd(ir_.CreateFSub(first, ir_.CreateFAdd(r, taken)),
                               ir_.CreateFSub(taken, product));
  lost = fused(n, number(x, -kHalfPiLast), ir_.CreateFSub(lost, product_lost));

  // tan(r) = r + r^3 T(r^2), relative error 2^-57, and its derivative is 1 + tan(r)^2.
  Value* z = ir_.CreateFMul(r, r);
  Value* p = polynomial(z, {9.752171930831586e-06, -2.4091452768873382e-05, 4.8314308087481395e-05,
                            -2.5288636197265902e-05, 6.696522555834065e-05, 8.370087541459338e-05,
                            0.00024369096395641493, 0.0005888839554161427, 0.0014560409258112226,
                            0.0035921016696860634, 0.008863237829930029, 0.02186948840637256,
                            0.05396825397258209, 0.13333333333326078, 0.33333333333333376});
  Value* tail = ir_.CreateFMul(ir_.CreateFMul(r, z), p);
  Value* near = ir_.CreateFAdd(r, tail);
  tail = ir_.CreateFAdd(tail, fused(ir_.CreateFMul(near, near), lost, lost));
  Value* tangent = ir_.CreateFAdd(r, tail);
  tail = ir_.CreateFAdd(ir_.CreateFSub(r, tangent), tail);

  // A quarter turn further it is -1 / tan: the quotient and, of what times that lacks of -1, as
  // much again.
  Value* quotient = ir_.CreateFDiv(number(x, -1), tangent);
  Value* missing = fused(quotient, tail, fused(quotient, tangent, number(x, 1)));
  Value* cotangent = fused(quotient, missing, quotient);
  Value* even = ir_.CreateIsNull(ir_.CreateAnd(bits(shifted), integer(x, 1)));
  Value* result = ir_.CreateSelect(even, tangent, cotangent);
  // The sums lose the sign of -0.
  return ir_.CreateSelect(ir_.CreateFCmpOEQ(x, number(x, 0)), x, result);
}

// ---- atan2 ----

Value* WideMath::atan2(Value* y, Value* x) {
  Value* a = magnitude(x);
  Value* b = magnitude(y);
  auto [steep, small, large] = slope(a, b);
  // So that sums do not overflow, and products with subnormal numbers have all their bits.
  Value* huge = ir_.CreateFCmpOGT(large, number(x, 0x1p1000));
  Value* tiny = ir_.CreateFCmpOLT(large, number(x, 0x1p-900));
  Value* power = ir_.CreateSelect(tiny, number(x, 0x1p100), number(x, 1));
  power = ir_.CreateSelect(huge, number(x, 0x1p-100), power);
  small = ir_.CreateFMul(small, power);
  large = ir_.CreateFMul(large, power);
  // Above tan(pi/8) by the distance from pi/4: u = above / below.
  Value* zero = number(x, 0);
  Value* wide = ir_.CreateFCmpOGT(small, ir_.CreateFMul(large, number(x, std::numbers::sqrt2 - 1)));
  Value* taken = ir_.CreateSelect(wide, large, zero);
  Value* added = ir_.CreateSelect(wide, small, zero);
  Value* above = ir_.CreateFSub(small, taken);
  Value* below = ir_.CreateFAdd(large, added);
  // What u lacks: of the quotient where the target fuses, and with what the difference and the sum
  // round away (Dekker's exact sum).
  Value* inverse = ir_.CreateFDiv(number(x, 1), below);
  Value* u = fuses_ ? ir_.CreateFMul(above, inverse) : ir_.CreateFDiv(above, below);
  Value* minus_u = ir_.CreateFNeg(u);
  Value* above_lost = ir_.CreateFSub(small, ir_.CreateFAdd(above, taken));
  Value* below_lost = ir_.CreateFAdd(ir_.CreateFSub(large, below), added);
  Value* lost = fused(minus_u, below_lost, above_lost);
  if (fuses_) lost = ir_.CreateFAdd(fused(minus_u, below, above), lost);
  lost = ir_.CreateFMul(lost, inverse);
  // atan(u) = u + u^3 A(u^2), relative error 2^-59, and its derivative is nearly 1 - u^2.
  Value* z = ir_.CreateFMul(u, u);
  Value* p = polynomial(
      z, {-0.017906020796598754, 0.038063241757458816, -0.05039244609111991, 0.0584787471158383,
          -0.06663101996714517, 0.07692060045579555, -0.09090897749957506, 0.11111110783301757,
          -0.14285714280197223, 0.19999999999953663, -0.333333333333332});
  lost = fused(ir_.CreateFNeg(lost), z, lost);
  Value* tail = fused(ir_.CreateFMul(u, z), p, lost);
  // So many times pi/4, and u that way or the other.
  Value* negative = is_negative(x);
  Value* eighths = ir_.CreateSelect(wide, number(x, 1), zero);
  eighths = ir_.CreateSelect(steep, ir_.CreateFSub(number(x, 2), eighths), eighths);
  eighths = ir_.CreateSelect(negative, ir_.CreateFSub(number(x, 4), eighths), eighths);
  Value* back = ir_.CreateXor(steep, negative);
  u = ir_.CreateSelect(back, ir_.CreateFNeg(u), u);
  tail = ir_.CreateSelect(back, ir_.CreateFNeg(tail), tail);
  // Its 50 bits times up to 4 are exact. They are 0 or larger than u.
  constexpr double kQuarterPi = kHalfPi / 2;
  constexpr double kQuarterPiRest = kHalfPiRest / 2;
  Value* whole = ir_.CreateFMul(eighths, number(x, kQuarterPi));
  Value* angle = ir_.CreateFAdd(whole, u);
  Value* rest = ir_.CreateFAdd(ir_.CreateFSub(whole, angle), u);
  rest = ir_.CreateFAdd(rest, fused(eighths, number(x, kQuarterPiRest), tail));
  angle = with_sign(ir_.CreateFAdd(angle, rest), y);
  Value* nan = number(x, std::numeric_limits<double>::quiet_NaN());
  return ir_.CreateSelect(ir_.CreateFCmpUNO(x, y), nan, angle);
}

}  // namespace tutti::codegen::native
