#include <tutti/codegen/llvm/widened_math.h>

#include <limits>
#include <numbers>

#include <llvm/IR/Intrinsics.h>

namespace tutti::codegen::native {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

constexpr double kWideInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Value* WidenedMath::widened(Value* x) {
  return ir_.CreateFPExt(x, x->getType()->getWithNewType(ir_.getDoubleTy()));
}

Value* WidenedMath::rounded(Value* x) {
  return ir_.CreateFPTrunc(x, x->getType()->getWithNewType(ir_.getFloatTy()));
}

// ---- pow ----

Value* WidenedMath::log2(Value* x) {
  // x = m * 2^e with m in [2/3, 4/3), and s = (m - 1) / (m + 1): log2(m) = s Q(s^2)
  Value* word = bits(x);
  Value* exponent = wide_exponent_bits(word);
  Value* m = from_bits(ir_.CreateSub(word, exponent));
  Value* s = ir_.CreateFDiv(ir_.CreateFSub(m, number(x, 1)), ir_.CreateFAdd(m, number(x, 1)));
  Value* q =
      polynomial(ir_.CreateFMul(s, s), {0.2907981904670842, 0.3192880327022863, 0.4122260795978174,
                                        0.5770777567764933, 0.9617966948203075, 2.885390081777428});
  Value* y = fused(s, q, wide_exponent(exponent));
  y = ir_.CreateSelect(ir_.CreateFCmpOEQ(x, number(x, 0)), number(x, -kWideInfinity), y);
  return ir_.CreateSelect(ir_.CreateFCmpOEQ(x, number(x, kWideInfinity)), x, y);
}

Value* WidenedMath::exp2(Value* x) {
  Value* shift = number(x, kWideShift);
  Value* shifted = ir_.CreateFAdd(x, shift);
  Value* r = ir_.CreateFSub(x, ir_.CreateFSub(shifted, shift));  // exact
  // 2^r = 1 + r p(r)
  Value* p = polynomial(
      r, {1.519615442577228e-05, 0.00015466758837097972, 0.001333393508506618, 0.009618038124822863,
          0.05550410365932242, 0.24022651066605222, 0.6931471807045549});
  Value* n = ir_.CreateSub(bits(shifted), bits(shift));
  return ir_.CreateFMul(fused(r, p, number(x, 1)), wide_power_of_two(n));
}

Value* WidenedMath::pow(Value* x, Value* y) {
  Value* size = magnitude(x);
  Value* power = ir_.CreateFMul(widened(y), log2(widened(size)));
  // Of 1 to an infinite power.
  power = ir_.CreateSelect(ir_.CreateFCmpOEQ(size, number(x, 1)), number(power, 0), power);
  Value* result = rounded(exp2(clamp(power, -160, 130)));
  return power_special(x, y, result);
}

// ---- atan2 ----

Value* WidenedMath::atan2(Value* y, Value* x) {
  Value* a = widened(magnitude(x));
  Value* b = widened(magnitude(y));
  const auto [steep, small, large] = slope(a, b);
  // Above tan(pi/8) by the distance from pi/4: atan(u) = u + u^3 A(u^2), relative error 2^-35.
  Value* wide = ir_.CreateFCmpOGT(small, ir_.CreateFMul(large, number(a, std::numbers::sqrt2 - 1)));
  Value* u = ir_.CreateFDiv(ir_.CreateSelect(wide, ir_.CreateFSub(small, large), small),
                            ir_.CreateSelect(wide, ir_.CreateFAdd(small, large), large));
  Value* z = ir_.CreateFMul(u, u);
  Value* p = polynomial(z, {0.047436176043906174, -0.0847606904899791, 0.11044657300229281,
                            -0.14282005114133067, 0.19999903820250806, -0.33333332498196755});
  Value* angle = fused(ir_.CreateFMul(u, z), p, u);
  constexpr double kPi = std::numbers::pi;
  angle = ir_.CreateSelect(wide, ir_.CreateFAdd(angle, number(a, kPi / 4)), angle);
  angle = ir_.CreateSelect(steep, ir_.CreateFSub(number(a, kPi / 2), angle), angle);
  angle = ir_.CreateSelect(is_negative(x), ir_.CreateFSub(number(a, kPi), angle), angle);
  Value* nan = number(x, std::numeric_limits<double>::quiet_NaN());
  return ir_.CreateSelect(ir_.CreateFCmpUNO(x, y), nan, with_sign(rounded(angle), y));
}

// ---- cbrt ----

Value* WidenedMath::cbrt(Value* x) {
  Value* size = magnitude(x);
  Value* tiny = ir_.CreateFCmpOLT(size, number(x, 0x1p-126));
  Value* normal = ir_.CreateSelect(tiny, ir_.CreateFMul(size, number(x, 0x1p24)), size);
  // A third of the exponent: within 4 %. Each of Halley's steps cubes the error.
  Value* guess = ir_.CreateAdd(ir_.CreateUDiv(bits(normal), integer(x, 3)), integer(x, 0x2A510800));
  Value* a = widened(normal);
  Value* t = widened(from_bits(guess));
  for (int step = 0; step < 2; ++step) {
    Value* cube = ir_.CreateFMul(ir_.CreateFMul(t, t), t);
    Value* above = fused(a, number(a, 2), cube);
    Value* below = fused(cube, number(a, 2), a);
    t = ir_.CreateFMul(t, ir_.CreateFDiv(above, below));
  }
  t = ir_.CreateSelect(tiny, ir_.CreateFMul(t, number(a, 0x1p-8)), t);
  Value* ordinary = ir_.CreateAnd(ir_.CreateFCmpONE(x, number(x, 0)),
                                  ir_.CreateFCmpOLT(size, number(x, kWideInfinity)));
  return ir_.CreateSelect(ordinary, with_sign(rounded(t), x), x);
}

// ---- tan ----

Value* WidenedMath::tan(Value* x) {
  Value* y = widened(x);
  const auto [shifted, r] = wide_quarters(y);
  Value* z = ir_.CreateFMul(r, r);
  // sin(r) = r + r^3 S(r^2), relative error 2^-37.5; cos(r) = 1 - r^2/2 + r^4 C(r^2), 2^-42.9.
  Value* s = polynomial(z, {2.7181028479933855e-06, -0.00019839310308438017, 0.00833332929877532,
                            -0.16666666640744981});
  Value* sine = fused(ir_.CreateFMul(r, z), s, r);
  Value* c = polynomial(z, {-2.7205578231570883e-07, 2.4799458017535927e-05, -0.0013888883491931987,
                            0.04166666661939602});
  Value* cosine = fused(z, number(y, -0.5), number(y, 1));
  cosine = fused(ir_.CreateFMul(z, z), c, cosine);
  // A quarter turn further it is -cos / sin.
  Value* even = ir_.CreateIsNull(ir_.CreateAnd(bits(shifted), integer(y, 1)));
  Value* above = ir_.CreateSelect(even, sine, cosine);
  Value* below = ir_.CreateSelect(even, cosine, ir_.CreateFNeg(sine));
  Value* result = rounded(ir_.CreateFDiv(above, below));
  // The polynomial loses the sign of -0.
  return ir_.CreateSelect(ir_.CreateFCmpOEQ(x, number(x, 0)), x, result);
}

// ---- mod ----

WidenedMath::Remainder WidenedMath::mod(Value* x, Value* y) {
  // Up to this many times y, products with y are exact, and a quotient just below a whole number is
  // not rounded to it.
  constexpr double kMostQuotient = 1 << 28;
  Value* a = widened(x);
  Value* b = widened(y);
  Value* quotient = ir_.CreateFDiv(a, b);
  Value* whole = ir_.CreateUnaryIntrinsic(intrinsic::trunc, quotient);
  Value* rest = rounded(ir_.CreateFSub(a, ir_.CreateFMul(whole, b)));
  // Of an infinite y: a finite x itself.
  Value* infinity = number(y, kWideInfinity);
  Value* small = ir_.CreateAnd(ir_.CreateFCmpOEQ(magnitude(y), infinity),
                               ir_.CreateFCmpOLT(magnitude(x), infinity));
  return {.value = ir_.CreateSelect(small, x, with_sign(rest, x)),
          .beyond = ir_.CreateFCmpOGE(magnitude(quotient), number(quotient, kMostQuotient))};
}

}  // namespace tutti::codegen::native
