#include <tutti/codegen/llvm/math_pieces.h>

#include <limits>
#include <numbers>

#include <llvm/IR/Intrinsics.h>

namespace tutti::codegen::native {

using llvm::Value;

Value* MathPieces::polynomial(Value* x, std::initializer_list<double> coefficients) {
  Value* sum = nullptr;
  for (const double coefficient : coefficients) {
    Value* c = number(x, coefficient);
    sum = sum == nullptr ? c : fused(sum, x, c);
  }
  return sum;
}

Value* MathPieces::fused(Value* a, Value* b, Value* c) {
  if (!fuses_) return ir_.CreateFAdd(ir_.CreateFMul(a, b), c);
  return ir_.CreateIntrinsic(llvm::Intrinsic::fma, a->getType(), {a, b, c});
}

Value* MathPieces::number(const Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

Value* MathPieces::integer(const Value* like, std::uint64_t value) {
  llvm::Type* const type = like->getType();
  return llvm::ConstantInt::get(type->getWithNewType(ir_.getIntNTy(type->getScalarSizeInBits())),
                                value);
}

Value* MathPieces::bits(Value* x) {
  llvm::Type* const type = x->getType();
  return ir_.CreateBitCast(x, type->getWithNewType(ir_.getIntNTy(type->getScalarSizeInBits())));
}

Value* MathPieces::from_bits(Value* x) {
  llvm::Type* const type = x->getType();
  const bool wide = type->getScalarSizeInBits() == 64;
  return ir_.CreateBitCast(x, type->getWithNewType(wide ? ir_.getDoubleTy() : ir_.getFloatTy()));
}

Value* MathPieces::clamp(Value* x, double least, double most) {
  // Comparisons in this direction let NaN pass.
  Value* low = number(x, least);
  Value* high = number(x, most);
  x = ir_.CreateSelect(ir_.CreateFCmpOLT(x, low), low, x);
  return ir_.CreateSelect(ir_.CreateFCmpOGT(x, high), high, x);
}

Value* MathPieces::magnitude(Value* x) {
  return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}

Value* MathPieces::with_sign(Value* x, Value* sign) {
  return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, sign);
}

Value* MathPieces::is_negative(Value* x) { return ir_.CreateICmpSLT(bits(x), integer(x, 0)); }

Value* MathPieces::is_whole(Value* x) {
  return ir_.CreateFCmpOEQ(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x), x);
}

Value* MathPieces::wide_exponent_bits(Value* word, std::uint64_t least) {
  const auto number = [&](std::uint64_t value) {
    return llvm::ConstantInt::get(word->getType(), value);
  };
  return ir_.CreateAnd(ir_.CreateSub(word, number(least)), number(0xFFF0000000000000));
}

Value* MathPieces::wide_exponent(Value* exponent_bits) {
  // By its bits in those of a sum.
  Value* exponent = ir_.CreateAShr(exponent_bits, 52);
  Value* shift = number(from_bits(exponent), kWideShift);
  return ir_.CreateFSub(from_bits(ir_.CreateAdd(exponent, bits(shift))), shift);
}

Value* MathPieces::wide_power_of_two(Value* n) {
  return from_bits(ir_.CreateShl(ir_.CreateAdd(n, llvm::ConstantInt::get(n->getType(), 1023)), 52));
}

MathPieces::Quarters MathPieces::wide_quarters(Value* x) {
  // pi / 2 as 32 bits, whose products with n are exact, and the rest.
  constexpr double kHalfPiHigh = 1.5707963267341256;
  constexpr double kHalfPiLow = 6.077100506506192e-11;
  Value* shift = number(x, kWideShift);
  Value* shifted = fused(x, number(x, 2 / std::numbers::pi), shift);
  Value* n = ir_.CreateFSub(shifted, shift);
  Value* rest = fused(n, number(x, -kHalfPiHigh), x);
  return {.shifted = shifted, .rest = fused(n, number(x, -kHalfPiLow), rest)};
}

Value* MathPieces::after_quarters(Value* sine, Value* cosine, Value* quarters) {
  const std::uint64_t sign_bit = sine->getType()->getScalarSizeInBits() - 1;
  Value* even = ir_.CreateIsNull(ir_.CreateAnd(quarters, integer(sine, 1)));
  Value* sign = ir_.CreateShl(ir_.CreateAnd(quarters, integer(sine, 2)), sign_bit - 1);
  return from_bits(ir_.CreateXor(bits(ir_.CreateSelect(even, sine, cosine)), sign));
}

MathPieces::Slope MathPieces::slope(Value* across, Value* up) {
  Value* steep = ir_.CreateFCmpOGT(up, across);
  Value* large = ir_.CreateSelect(steep, up, across);
  Value* small = ir_.CreateSelect(steep, across, up);
  // Of two infinities the ratio is 1, of zeros 0.
  Value* one = number(up, 1);
  Value* zero = number(up, 0);
  Value* infinity = number(up, std::numeric_limits<double>::infinity());
  Value* infinite = ir_.CreateFCmpOEQ(large, infinity);
  Value* ratio = ir_.CreateSelect(ir_.CreateFCmpOEQ(small, infinity), one, zero);
  small = ir_.CreateSelect(infinite, ratio, small);
  large = ir_.CreateSelect(ir_.CreateOr(infinite, ir_.CreateFCmpOEQ(large, zero)), one, large);
  return {.steep = steep, .small = small, .large = large};
}

Value* MathPieces::log_special(Value* x, Value* result) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // Positive and finite, in one comparison.
  Value* before_infinity = ir_.CreateSub(bits(number(x, kInfinity)), integer(x, 1));
  Value* ordinary = ir_.CreateICmpULT(ir_.CreateSub(bits(x), integer(x, 1)), before_infinity);
  Value* zero = number(x, 0);
  Value* nan = number(x, std::numeric_limits<double>::quiet_NaN());
  Value* other = ir_.CreateSelect(ir_.CreateFCmpOLT(x, zero), nan, x);
  other = ir_.CreateSelect(ir_.CreateFCmpOEQ(x, zero), number(x, -kInfinity), other);
  return ir_.CreateSelect(ordinary, result, other);
}

Value* MathPieces::power_special(Value* x, Value* y, Value* result) {
  Value* one = number(x, 1);
  Value* zero = number(x, 0);
  // An odd power of a negative number is negative; there is none that is no whole number, but of
  // an infinite one.
  Value* whole = is_whole(y);
  Value* odd = ir_.CreateAnd(whole, ir_.CreateNot(is_whole(ir_.CreateFMul(y, number(y, 0.5)))));
  Value* negative = ir_.CreateAnd(is_negative(x), odd);
  result = ir_.CreateSelect(negative, ir_.CreateFNeg(result), result);
  Value* infinity = number(x, std::numeric_limits<double>::infinity());
  Value* below =
      ir_.CreateAnd(ir_.CreateFCmpOLT(x, zero), ir_.CreateFCmpONE(magnitude(x), infinity));
  Value* nan = number(x, std::numeric_limits<double>::quiet_NaN());
  result = ir_.CreateSelect(ir_.CreateAnd(below, ir_.CreateNot(whole)), nan, result);
  result = ir_.CreateSelect(ir_.CreateFCmpUNO(x, y), nan, result);
  Value* is_one = ir_.CreateOr(ir_.CreateFCmpOEQ(y, zero), ir_.CreateFCmpOEQ(x, one));
  return ir_.CreateSelect(is_one, one, result);
}

}  // namespace tutti::codegen::native
