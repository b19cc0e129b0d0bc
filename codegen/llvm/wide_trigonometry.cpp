// Functions of angles, of f64.

#include <tutti/codegen/llvm/wide_math.h>

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

}  // namespace tutti::codegen::native
