#include <tutti/codegen/llvm/inline_math.h>

#include <limits>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace tutti::codegen::native {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

// Adding it to a number below 2^22 in magnitude leaves the nearest integer in the low bits.
constexpr float kRoundingShift = 12582912;  // 1.5 * 2^23

// ln 2 as a number of few bits, whose products with exponents are exact, and the rest.
constexpr float kLn2High = 0.693145751953125F;
constexpr float kLn2Low = 1.42860682e-6F;
constexpr float kLn2 = 0.693147182F;
constexpr float kLog2E = 1.44269502F;

}  // namespace

unsigned InlineMath::lanes_of_avx512(const Value* x) const {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!avx512_ || vector == nullptr || !vector->getElementType()->isFloatTy()) return 0;
  const unsigned lanes = vector->getNumElements();
  return lanes == 4 || lanes == 16 ? lanes : 0;
}

// ---- The larger and the smaller ----

Value* InlineMath::maximum(Value* x, Value* y) {
  if (Value* const found = range(x, y, 5)) return found;
  return ir_.CreateBinaryIntrinsic(intrinsic::maximum, x, y);
}

Value* InlineMath::minimum(Value* x, Value* y) {
  if (Value* const found = range(x, y, 4)) return found;
  return ir_.CreateBinaryIntrinsic(intrinsic::minimum, x, y);
}

// The instruction knows signs of zeros, but gives the number beside a NaN. Where one operand is a
// constant, LLVM knows better.
Value* InlineMath::range(Value* x, Value* y, std::uint32_t which) {
  const unsigned lanes = lanes_of_avx512(x);
  if (lanes == 0 || llvm::isa<llvm::Constant>(x) || llvm::isa<llvm::Constant>(y)) return nullptr;
  Value* const anything = llvm::PoisonValue::get(x->getType());
  Value* const number =
      lanes == 4 ? ir_.CreateIntrinsic(intrinsic::x86_avx512_mask_range_ps_128, {},
                                       {x, y, ir_.getInt32(which), anything, ir_.getInt8(0xFF)})
                 : ir_.CreateIntrinsic(intrinsic::x86_avx512_mask_range_ps_512, {},
                                       {x, y, ir_.getInt32(which), anything, ir_.getInt16(0xFFFF),
                                        ir_.getInt32(4)});
  return ir_.CreateSelect(ir_.CreateFCmpUNO(x, y), ir_.CreateFAdd(x, y), number);
}

// ---- exp and its like ----

InlineMath::Reduced InlineMath::reduce(Value* x) {
  Value* shifted = fused(x, number(x, kLog2E), number(x, kRoundingShift));
  Value* n = ir_.CreateFSub(shifted, number(x, kRoundingShift));
  Value* rest = fused(n, number(x, -kLn2High), x);
  rest = fused(n, number(x, -kLn2Low), rest);
  return {n, ir_.CreateSub(bits(shifted), bits(number(x, kRoundingShift))), rest};
}

Value* InlineMath::scale_moderately(Value* y, const Reduced& by) {
  if (Value* const scaled = scale_at_once(y, by.n)) return scaled;
  Value* exponent = ir_.CreateShl(ir_.CreateAdd(by.integer, integer(y, 127)), 23);
  return ir_.CreateFMul(y, from_bits(exponent));
}

// The instruction knows subnormal results and infinity.
Value* InlineMath::scale_at_once(Value* y, Value* n) {
  Value* const anything = llvm::PoisonValue::get(y->getType());
  switch (lanes_of_avx512(y)) {
    case 4:
      return ir_.CreateIntrinsic(intrinsic::x86_avx512_mask_scalef_ps_128, {},
                                 {y, n, anything, ir_.getInt8(0xFF)});
    case 16:
      return ir_.CreateIntrinsic(intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                 {y, n, anything, ir_.getInt16(0xFFFF), ir_.getInt32(4)});
    default:
      return nullptr;
  }
}

Value* InlineMath::limit(Value* x, float least, float most) {
  if (lanes_of_avx512(x) > 0) return clamp(x, least, most);
  Value* low = number(x, least);
  return ir_.CreateSelect(ir_.CreateFCmpOLT(x, low), low, x);
}

Value* InlineMath::scale(Value* y, const Reduced& by, const Argument& x) {
  // y * 2^n, by its exponent's bits alone; less than 2^-126 where these are used up.
  Value* word = ir_.CreateAdd(bits(y), ir_.CreateShl(by.integer, 23));
  // 2^100 times as large a tiny one is a normal number, and what lies above 2^-26 in the sum counts
  // steps of 2^-49, as a subnormal number's bits count steps of 2^-149.
  constexpr float kSubnormalShift = 0x1p-26F;
  Value* large = from_bits(ir_.CreateAdd(word, integer(y, 100 << 23)));
  Value* sum = ir_.CreateFAdd(large, number(y, kSubnormalShift));
  Value* count = ir_.CreateSub(bits(sum), bits(number(y, kSubnormalShift)));
  if (lanes_of_avx512(y) > 0) {
    Value* is_tiny = ir_.CreateFCmpOLT(x.value, number(y, x.least));
    Value* n = ir_.CreateSelect(is_tiny, number(y, 0), by.n);
    return ir_.CreateSelect(is_tiny, from_bits(count), scale_at_once(y, n));
  }
  Value* is_tiny = ir_.CreateICmpSLT(word, integer(y, 0x00800000));
  Value* finite = from_bits(ir_.CreateSelect(is_tiny, count, word));
  Value* infinite = ir_.CreateFAdd(x.value, number(y, std::numeric_limits<float>::infinity()));
  return ir_.CreateSelect(ir_.CreateFCmpUGT(x.value, number(y, x.most)), infinite, finite);
}

Value* InlineMath::exp(Value* x) {
  // Beyond these the results are 0 and infinity.
  const Reduced reduced = reduce(limit(x, -104, 89));
  return scale(power(reduced), reduced, {.value = x, .least = -87.34F, .most = 0x1.62e42ep+6F});
}

Value* InlineMath::exp_of_moderate(Value* x) {
  const Reduced reduced = reduce(x);
  return scale_moderately(power(reduced), reduced);
}

Value* InlineMath::power(const Reduced& reduced) {
  Value* r = reduced.rest;
  // e^r = 1 + r + r^2 q(r), relative error 2^-28.1
  Value* q = polynomial(r, {0.0013814522F, 0.008368739F, 0.04166837F, 0.16666521F, 0.49999994F});
  Value* y = fused(ir_.CreateFMul(r, r), q, r);
  return ir_.CreateFAdd(y, number(r, 1));
}

Value* InlineMath::exp2(Value* x) {
  Value* argument = x;
  x = limit(x, -151, 128);
  Value* shifted = ir_.CreateFAdd(x, number(x, kRoundingShift));
  Value* n = ir_.CreateFSub(shifted, number(x, kRoundingShift));
  Value* r = ir_.CreateFSub(x, n);  // exact
  // 2^r = 1 + r p(r), relative error 2^-26.6
  Value* p = polynomial(
      r, {1.5353326e-4F, 0.0013398932F, 0.009618443F, 0.055503346F, 0.24022646F, 0.6931472F});
  Value* y = fused(r, p, number(x, 1));
  Value* integer = ir_.CreateSub(bits(shifted), bits(number(x, kRoundingShift)));
  // 128 itself has a power, but none that is finite.
  return scale(y, {n, integer, r}, {.value = argument, .least = -126, .most = 0x1.fffffep+6F});
}

Value* InlineMath::expm1(Value* x) {
  Value* argument = x;
  x = clamp(x, -18, 89);
  const Reduced reduced = reduce(x);
  Value* r = reduced.rest;
  // e^r - 1 = r + r^2 q(r), relative error 2^-29.4
  Value* q =
      polynomial(r, {1.98459e-4F, 0.0013940675F, 0.008333395F, 0.04166638F, 0.16666666F, 0.5F});
  Value* p = fused(ir_.CreateFMul(r, r), q, r);
  // 2 * (2^(n-1) (p + 1) - 1/2), since 2^n itself may be too large.
  Value* power = from_bits(ir_.CreateShl(ir_.CreateAdd(reduced.integer, integer(x, 126)), 23));
  Value* half = fused(power, p, ir_.CreateFSub(power, number(x, 0.5F)));
  Value* y = ir_.CreateFMul(half, number(x, 2));
  // Halves of subnormal numbers are not exact, and -0 must stay what it is.
  Value* tiny = ir_.CreateFCmpOLT(magnitude(argument), number(x, 1e-8F));
  return ir_.CreateSelect(tiny, argument, y);
}

Value* InlineMath::tanh(Value* x) {
  Value* y = magnitude(x);
  Value* is_small = ir_.CreateFCmpOLT(y, number(x, 0.55F));
  // tanh(x) = x + x^3 P(x^2), relative error 2^-29.1
  Value* z = ir_.CreateFMul(x, x);
  Value* p = polynomial(z, {-0.0062700994F, 0.021068914F, -0.05385169F, 0.13332577F, -0.33333316F});
  Value* near = fused(ir_.CreateFMul(x, z), p, x);
  // tanh(y) = 1 - 2 / (e^2y + 1); 1 from about 9.01 on.
  Value* most = number(x, 9.02F);
  y = ir_.CreateSelect(ir_.CreateFCmpOGT(y, most), most, y);
  Value* power = exp_of_moderate(ir_.CreateFAdd(y, y));
  Value* part = ir_.CreateFDiv(number(x, 2), ir_.CreateFAdd(power, number(x, 1)));
  Value* far = ir_.CreateFSub(number(x, 1), part);
  return with_sign(ir_.CreateSelect(is_small, near, far), x);
}

// ---- log and its like ----

InlineMath::Split InlineMath::split(Value* x) {
  Value* least = number(x, std::numeric_limits<float>::min());
  Value* subnormal = ir_.CreateFCmpOLT(x, least);
  Value* normal = ir_.CreateSelect(subnormal, ir_.CreateFMul(x, number(x, 8388608)), x);
  Value* correction = ir_.CreateSelect(subnormal, number(x, -23), number(x, 0));
  Value* word = bits(normal);
  Value* high =
      ir_.CreateAnd(ir_.CreateSub(word, bits(number(x, 2.0F / 3))), integer(x, 0xFF800000));
  Value* m = from_bits(ir_.CreateSub(word, high));
  Value* exponent = ir_.CreateSIToFP(ir_.CreateAShr(high, 23), x->getType());
  return {ir_.CreateFSub(m, number(x, 1)), ir_.CreateFAdd(exponent, correction)};
}

Value* InlineMath::log1p_tail(Value* f) {
  // log(1 + f) = f + f^2 R(f), relative error 2^-27.1 for f in [-1/3, 1/3]
  Value* r = polynomial(f, {-0.12949035F, 0.14004661F, -0.121671356F, 0.1400118F, -0.16682316F,
                            0.20010756F, -0.24999726F, 0.33333206F, -0.5F});
  return ir_.CreateFMul(ir_.CreateFMul(f, f), r);
}

Value* InlineMath::log(Value* x) {
  const Split s = split(x);
  Value* tail = log1p_tail(s.fraction);
  Value* y = fused(s.exponent, number(x, kLn2), ir_.CreateFAdd(s.fraction, tail));
  return log_special(x, y);
}

Value* InlineMath::log2(Value* x) {
  const Split s = split(x);
  Value* tail = ir_.CreateFMul(log1p_tail(s.fraction), number(x, kLog2E));
  tail = fused(s.fraction, number(x, 1.92596303e-8F), tail);  // log2(e) - kLog2E
  // What the sum loses where it cancels (x just below 1) goes to the tail.
  Value* y = fused(s.fraction, number(x, kLog2E), s.exponent);
  Value* lost = fused(s.fraction, number(x, kLog2E), ir_.CreateFSub(s.exponent, y));
  tail = ir_.CreateFAdd(tail, lost);
  return log_special(x, ir_.CreateFAdd(y, tail));
}

Value* InlineMath::log1p(Value* x) {
  // 1 + x = m * 2^e decides e; then x is scaled by 2^-e on its own and 2^-e - 1 is added, so that
  // what 1 + x rounds away is kept.
  Value* sum = ir_.CreateFAdd(x, number(x, 1));
  Value* high =
      ir_.CreateAnd(ir_.CreateSub(bits(sum), bits(number(x, 2.0F / 3))), integer(x, 0xFF800000));
  Value* scaled = from_bits(ir_.CreateSub(bits(x), high));
  // 2^(2-e) in place of 2^-e, which may be subnormal.
  Value* power = from_bits(ir_.CreateSub(bits(number(x, 4)), high));
  Value* rest = fused(power, number(x, 0.25F), number(x, -1));
  Value* f = ir_.CreateFAdd(scaled, rest);
  Value* exponent = ir_.CreateSIToFP(ir_.CreateAShr(high, 23), x->getType());
  Value* y = fused(exponent, number(x, kLn2), ir_.CreateFAdd(f, log1p_tail(f)));
  return log_special(sum, with_sign(y, x));
}

// ---- sin, cos, erf ----

Value* InlineMath::sine(Value* x, std::uint32_t quarters) {
  llvm::Type* type = x->getType();
  // In f64.
  const auto [shifted, rest] =
      wide_quarters(ir_.CreateFPExt(x, type->getWithNewType(ir_.getDoubleTy())));
  Value* r = ir_.CreateFPTrunc(rest, type);
  Value* z = ir_.CreateFMul(r, r);

  // For r in [-pi/4, pi/4]: sin(r) = r + r^3 S(r^2), relative error 2^-27.3, and
  // cos(r) = 1 - r^2/2 + r^4 C(r^2), 2^-32.9.
  Value* s = polynomial(z, {-1.951495e-4F, 0.008332164F, -0.16666655F});
  Value* sine = fused(ir_.CreateFMul(r, z), s, r);
  Value* c = polynomial(z, {2.4432775e-5F, -0.0013887312F, 0.041666646F});
  Value* cosine = fused(z, number(x, -0.5F), number(x, 1));
  cosine = fused(ir_.CreateFMul(z, z), c, cosine);

  llvm::Type* word64 = type->getWithNewType(ir_.getInt64Ty());
  llvm::Type* word = type->getWithNewType(ir_.getInt32Ty());
  Value* quarter = ir_.CreateTrunc(ir_.CreateBitCast(shifted, word64), word);
  quarter = ir_.CreateAdd(quarter, integer(x, quarters));
  return after_quarters(sine, cosine, quarter);
}

Value* InlineMath::sin(Value* x) {
  // The polynomial loses the sign of -0.
  return ir_.CreateSelect(ir_.CreateFCmpOEQ(x, number(x, 0)), x, sine(x, 0));
}

Value* InlineMath::cos(Value* x) { return sine(x, 1); }

Value* InlineMath::erf(Value* x) {
  Value* t = magnitude(x);
  Value* is_small = ir_.CreateFCmpOLT(t, number(x, 0.92F));
  // erf(x) = x + x p(x^2), relative error 2^-28.2
  Value* z = ir_.CreateFMul(x, x);
  Value* p = polynomial(z, {8.370099e-5F, -8.142704e-4F, 0.0052010333F, -0.02685939F, 0.112836964F,
                            -0.37612635F, 0.12837917F});
  Value* near = fused(x, p, x);
  // erf(t) = 1 - e^(t q(t)), relative error 2^-29.8; 1 from about 3.92 on.
  t = ir_.CreateSelect(ir_.CreateFCmpOGT(t, number(x, 4)), number(x, 4), t);
  Value* q = polynomial(t, {-1.0838971e-5F, 3.1888887e-4F, -0.0036265934F, 0.023728633F,
                            -0.10619823F, -0.6351746F, -1.1286428F});
  Value* far = ir_.CreateFSub(number(x, 1), exp_of_moderate(ir_.CreateFMul(t, q)));
  return with_sign(ir_.CreateSelect(is_small, near, far), x);
}

}  // namespace tutti::codegen::native
