#include <tutti/codegen/llvm/emit_scalar.h>
#include <tutti/ir/support/error.h>

#include <cmath>

#include <llvm/IR/Intrinsics.h>

namespace tutti::codegen::native {

namespace {

using ir::ScalarOp;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

[[noreturn]] void refuse(ScalarOp op, DType dtype) {
  throw InternalError("no " + std::string(ir::name_of(op)) + " of " + std::string(name_of(dtype)));
}

// `element`, or the vector of it that has as many lanes as `like`.
llvm::Type* with_lanes_of(llvm::Type* like, llvm::Type* element) {
  return like->getWithNewType(element);
}

}  // namespace

llvm::Type* ScalarEmitter::compute_type(DType dtype) const {
  if (dtype == DType::boolean) return ir_.getInt1Ty();
  return storage_type(ir::compute_dtype(dtype));
}

llvm::Type* ScalarEmitter::storage_type(DType dtype) const {
  switch (dtype) {
    case DType::f64:
      return ir_.getDoubleTy();
    case DType::f32:
      return ir_.getFloatTy();
    case DType::f16:
      return ir_.getHalfTy();
    // bf16 is handled as bits: instructions for it flush subnormal numbers to zero.
    default:
      return ir_.getIntNTy(static_cast<unsigned>(size_of(dtype)) * 8);
  }
}

llvm::Constant* ScalarEmitter::constant(DType dtype, ir::Cell cell) const {
  llvm::Type* type = compute_type(dtype);
  if (dtype == DType::boolean) return ir_.getInt1(cell.truth);
  if (dtype == DType::f64) return llvm::ConstantFP::get(type, llvm::APFloat(cell.number));
  if (is_floating(dtype)) return llvm::ConstantFP::get(type, llvm::APFloat(cell.single));
  const llvm::APInt bits(64, cell.natural);
  return llvm::ConstantInt::get(type, bits.trunc(type->getIntegerBitWidth()));
}

Value* ScalarEmitter::apply(ScalarOp op, DType dtype, std::array<Value*, 3> operands, DType to) {
  const auto [x, y, z] = operands;
  switch (op) {
    case ScalarOp::cast:
      return cast(dtype, ir::compute_dtype(to), x);
    case ScalarOp::bitcast:
      return bitcast(dtype, to, x);
    case ScalarOp::select:
      return ir_.CreateSelect(x, y, z);
    case ScalarOp::fma:
      if (is_floating(dtype)) return ir_.CreateIntrinsic(intrinsic::fma, x->getType(), {x, y, z});
      return ir_.CreateAdd(ir_.CreateMul(x, y), z);
    default:
      break;
  }
  if (ir::operand_count(op) == 1) return unary(op, dtype, x);
  return ir::is_comparison(op) ? compare(op, dtype, x, y) : binary(op, dtype, x, y);
}

Value* ScalarEmitter::unary(ScalarOp op, DType dtype, Value* x) {
  if (!is_floating(dtype)) {
    switch (op) {
      case ScalarOp::neg:
        return ir_.CreateNeg(x);
      case ScalarOp::abs:
        return is_unsigned(dtype) ? x
                                  : ir_.CreateBinaryIntrinsic(intrinsic::abs, x, ir_.getFalse());
      case ScalarOp::bit_not:
        return ir_.CreateNot(x);
      default:
        refuse(op, dtype);
    }
  }
  switch (op) {
    case ScalarOp::neg:
      return ir_.CreateFNeg(x);
    case ScalarOp::abs:
      return ir_.CreateUnaryIntrinsic(intrinsic::fabs, x);
    case ScalarOp::sqrt:
      return ir_.CreateUnaryIntrinsic(intrinsic::sqrt, x);
    case ScalarOp::floor:
      return ir_.CreateUnaryIntrinsic(intrinsic::floor, x);
    case ScalarOp::ceil:
      return ir_.CreateUnaryIntrinsic(intrinsic::ceil, x);
    case ScalarOp::round:
      return ir_.CreateUnaryIntrinsic(intrinsic::nearbyint, x);
    default:
      return math_.apply(op, dtype, {x});
  }
}

Value* ScalarEmitter::binary(ScalarOp op, DType dtype, Value* x, Value* y) {
  switch (op) {
    case ScalarOp::bit_and:
      return ir_.CreateAnd(x, y);
    case ScalarOp::bit_or:
      return ir_.CreateOr(x, y);
    case ScalarOp::bit_xor:
      return ir_.CreateXor(x, y);
    default:
      break;
  }
  return is_floating(dtype) ? float_binary(op, dtype, x, y) : integer_binary(op, dtype, x, y);
}

Value* ScalarEmitter::float_binary(ScalarOp op, DType dtype, Value* x, Value* y) {
  switch (op) {
    case ScalarOp::add:
      return ir_.CreateFAdd(x, y);
    case ScalarOp::sub:
      return ir_.CreateFSub(x, y);
    case ScalarOp::mul:
      return ir_.CreateFMul(x, y);
    case ScalarOp::div:
      return ir_.CreateFDiv(x, y);
    default:
      return math_.apply(op, dtype, {x, y});
  }
}

Value* ScalarEmitter::integer_binary(ScalarOp op, DType dtype, Value* x, Value* y) {
  const bool is_signed = is_signed_integer(dtype);
  switch (op) {
    case ScalarOp::add:
      return ir_.CreateAdd(x, y);
    case ScalarOp::sub:
      return ir_.CreateSub(x, y);
    case ScalarOp::mul:
      return ir_.CreateMul(x, y);
    case ScalarOp::minimum:
      return ir_.CreateBinaryIntrinsic(is_signed ? intrinsic::smin : intrinsic::umin, x, y);
    case ScalarOp::maximum:
      return ir_.CreateBinaryIntrinsic(is_signed ? intrinsic::smax : intrinsic::umax, x, y);
    case ScalarOp::div:
    case ScalarOp::mod:
      return divide(op, dtype, x, y);
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
      return shift(op, dtype, x, y);
    default:
      refuse(op, dtype);
  }
}

Value* ScalarEmitter::divide(ScalarOp op, DType dtype, Value* x, Value* y) {
  const bool quotient = op == ScalarOp::div;
  llvm::Type* type = x->getType();
  auto* one = llvm::ConstantInt::get(type, 1);
  auto* all_ones = llvm::Constant::getAllOnesValue(type);
  Value* by_zero = ir_.CreateIsNull(y);
  if (!is_signed_integer(dtype)) {
    Value* safe = ir_.CreateSelect(by_zero, one, y);
    return quotient ? ir_.CreateSelect(by_zero, all_ones, ir_.CreateUDiv(x, safe))
                    : ir_.CreateSelect(by_zero, x, ir_.CreateURem(x, safe));
  }
  // MIN / -1 traps too: divisions by -1 become divisions by 1 of the negated dividend.
  Value* by_minus_one = ir_.CreateICmpEQ(y, all_ones);
  Value* safe = ir_.CreateSelect(ir_.CreateOr(by_zero, by_minus_one), one, y);
  if (quotient) {
    Value* dividend = ir_.CreateSelect(by_minus_one, ir_.CreateNeg(x), x);
    return ir_.CreateSelect(by_zero, all_ones, ir_.CreateSDiv(dividend, safe));
  }
  return ir_.CreateSelect(by_zero, x, ir_.CreateSRem(x, safe));
}

Value* ScalarEmitter::shift(ScalarOp op, DType dtype, Value* x, Value* y) {
  llvm::Type* type = x->getType();
  const unsigned width = type->getScalarSizeInBits();
  auto* zero = llvm::Constant::getNullValue(type);
  if (op == ScalarOp::shift_right && is_signed_integer(dtype)) {
    // Unsigned, so that a negative count is too large as well: the sign fills all.
    auto* most = llvm::ConstantInt::get(type, width - 1);
    return ir_.CreateAShr(x, ir_.CreateBinaryIntrinsic(intrinsic::umin, y, most));
  }
  Value* near = ir_.CreateICmpULT(y, llvm::ConstantInt::get(type, width));
  Value* shifted = op == ScalarOp::shift_left ? ir_.CreateShl(x, y) : ir_.CreateLShr(x, y);
  return ir_.CreateSelect(near, shifted, zero);
}

Value* ScalarEmitter::compare(ScalarOp op, DType dtype, Value* x, Value* y) {
  const bool is_signed = is_signed_integer(dtype);
  if (is_floating(dtype)) {
    switch (op) {
      case ScalarOp::eq:
        return ir_.CreateFCmpOEQ(x, y);
      case ScalarOp::ne:
        return ir_.CreateFCmpUNE(x, y);
      case ScalarOp::lt:
        return ir_.CreateFCmpOLT(x, y);
      case ScalarOp::le:
        return ir_.CreateFCmpOLE(x, y);
      case ScalarOp::gt:
        return ir_.CreateFCmpOGT(x, y);
      default:
        return ir_.CreateFCmpOGE(x, y);
    }
  }
  switch (op) {
    case ScalarOp::eq:
      return ir_.CreateICmpEQ(x, y);
    case ScalarOp::ne:
      return ir_.CreateICmpNE(x, y);
    case ScalarOp::lt:
      return is_signed ? ir_.CreateICmpSLT(x, y) : ir_.CreateICmpULT(x, y);
    case ScalarOp::le:
      return is_signed ? ir_.CreateICmpSLE(x, y) : ir_.CreateICmpULE(x, y);
    case ScalarOp::gt:
      return is_signed ? ir_.CreateICmpSGT(x, y) : ir_.CreateICmpUGT(x, y);
    default:
      return is_signed ? ir_.CreateICmpSGE(x, y) : ir_.CreateICmpUGE(x, y);
  }
}

Value* ScalarEmitter::cast(DType from, DType to, Value* x) {
  if (from == to) return x;
  llvm::Type* type = with_lanes_of(x->getType(), compute_type(to));
  const bool from_signed = is_signed_integer(from);
  if (to == DType::boolean) {
    auto* zero = llvm::Constant::getNullValue(x->getType());
    return is_floating(from) ? ir_.CreateFCmpUNE(x, zero) : ir_.CreateICmpNE(x, zero);
  }
  if (is_floating(from)) {
    return is_floating(to) ? ir_.CreateFPCast(x, type) : saturated(to, x);
  }
  if (is_floating(to)) return from_signed ? ir_.CreateSIToFP(x, type) : ir_.CreateUIToFP(x, type);
  return ir_.CreateIntCast(x, type, from_signed);
}

// To the nearest integer that there is, towards zero; of NaN 0. LLVM's own intrinsics for it take
// vectors apart.
Value* ScalarEmitter::saturated(DType to, Value* x) {
  llvm::Type* const type = with_lanes_of(x->getType(), compute_type(to));
  const bool is_signed = is_signed_integer(to);
  const int bits = static_cast<int>(size_of(to)) * 8;
  const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  Value* const low = number(is_signed ? -std::ldexp(1.0, bits - 1) : 0);
  Value* const high = number(std::ldexp(1.0, is_signed ? bits - 1 : bits));
  Value* const above = ir_.CreateFCmpOGE(x, high);
  Value* const below = ir_.CreateFCmpOLT(x, low);
  Value* const outside = ir_.CreateOr(ir_.CreateOr(above, below), ir_.CreateFCmpUNO(x, x));
  Value* const inside = ir_.CreateSelect(outside, number(0), x);
  // There is an instruction for 32 bits.
  llvm::Type* const wide = bits < 32 ? with_lanes_of(x->getType(), ir_.getInt32Ty()) : type;
  Value* out =
      is_signed || bits < 32 ? ir_.CreateFPToSI(inside, wide) : ir_.CreateFPToUI(inside, wide);
  out = ir_.CreateTrunc(out, type);
  const auto limit = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(type, value); };
  const auto count = static_cast<unsigned>(bits);
  out = ir_.CreateSelect(
      above,
      limit(is_signed ? llvm::APInt::getSignedMaxValue(count) : llvm::APInt::getMaxValue(count)),
      out);
  return is_signed ? ir_.CreateSelect(below, limit(llvm::APInt::getSignedMinValue(count)), out)
                   : out;
}

Value* ScalarEmitter::bitcast(DType from, DType to, Value* x, bool exact) {
  llvm::Type* type = with_lanes_of(x->getType(), storage_type(to));
  return widen(to, ir_.CreateBitCast(narrow(from, x, exact), type));
}

Value* ScalarEmitter::widen(DType dtype, Value* element) {
  llvm::Type* type = with_lanes_of(element->getType(), compute_type(dtype));
  switch (dtype) {
    case DType::boolean:
      return ir_.CreateICmpNE(element, llvm::Constant::getNullValue(element->getType()));
    case DType::f8_e4m3fn:
      return widen_byte(Float8E4M3FN::layout(), element);
    case DType::f8_e5m2:
      return widen_byte(Float8E5M2::layout(), element);
    case DType::f16:
      return ir_.CreateFPExt(element, type);
    case DType::bf16: {
      llvm::Type* bits = with_lanes_of(type, ir_.getInt32Ty());
      return ir_.CreateBitCast(ir_.CreateShl(ir_.CreateZExt(element, bits), 16), type);
    }
    default:
      return element;
  }
}

Value* ScalarEmitter::narrow(DType dtype, Value* value, bool exact) {
  llvm::Type* type = with_lanes_of(value->getType(), storage_type(dtype));
  switch (dtype) {
    case DType::boolean:
      return ir_.CreateZExt(value, type);
    case DType::f8_e4m3fn:
      return narrow_byte(Float8E4M3FN::layout(), value);
    case DType::f8_e5m2:
      return narrow_byte(Float8E5M2::layout(), value);
    case DType::f16:
      return ir_.CreateFPTrunc(value, type);
    case DType::bf16: {
      llvm::Type* word = with_lanes_of(type, ir_.getInt32Ty());
      Value* bits = exact ? ir_.CreateBitCast(value, word) : bf16_bits(value);
      return ir_.CreateTrunc(ir_.CreateLShr(bits, 16), type);
    }
    default:
      return value;
  }
}

Value* ScalarEmitter::round(DType dtype, Value* value) {
  if (dtype != DType::bf16) return widen(dtype, narrow(dtype, value));
  Value* bits = bf16_bits(value);
  auto* upper = llvm::ConstantInt::get(bits->getType(), 0xFFFF0000);
  return ir_.CreateBitCast(ir_.CreateAnd(bits, upper), value->getType());
}

Value* ScalarEmitter::bf16_bits(Value* x) {
  // To nearest, ties to even, by adding just less than half; a NaN stays one.
  llvm::Type* word = with_lanes_of(x->getType(), ir_.getInt32Ty());
  const auto number = [&](std::uint32_t value) { return llvm::ConstantInt::get(word, value); };
  Value* bits = ir_.CreateBitCast(x, word);
  Value* odd = ir_.CreateAnd(ir_.CreateLShr(bits, 16), number(1));
  Value* rounded = ir_.CreateAdd(bits, ir_.CreateAdd(odd, number(0x7FFF)));
  Value* quiet = ir_.CreateOr(bits, number(0x400000));
  return ir_.CreateSelect(ir_.CreateFCmpUNO(x, x), quiet, rounded);
}

// As detail::widen_float, without loops and jumps.
Value* ScalarEmitter::widen_byte(NarrowLayout layout, Value* element) {
  llvm::Type* single = with_lanes_of(element->getType(), ir_.getFloatTy());
  llvm::Type* word = with_lanes_of(single, ir_.getInt32Ty());
  const auto number = [&](std::uint32_t value) { return llvm::ConstantInt::get(word, value); };
  const auto shift = static_cast<std::uint32_t>(23 - layout.mantissa_bits);
  const auto bias = static_cast<std::uint32_t>(127 - layout.bias());
  Value* bits = ir_.CreateZExt(element, word);
  Value* magnitude = ir_.CreateAnd(bits, number(layout.sign() - 1));
  // A multiple of the smallest number, or a number whose exponent has another bias.
  const std::uint32_t smallest = (bias + 1 - static_cast<std::uint32_t>(layout.mantissa_bits))
                                 << 23;
  Value* multiple = ir_.CreateFMul(ir_.CreateUIToFP(magnitude, single),
                                   ir_.CreateBitCast(number(smallest), single));
  Value* normal = ir_.CreateAdd(ir_.CreateShl(magnitude, shift), number(bias << 23));
  Value* wide = ir_.CreateSelect(
      ir_.CreateICmpULT(magnitude, number(1U << static_cast<unsigned>(layout.mantissa_bits))),
      ir_.CreateBitCast(multiple, word), normal);
  // The largest exponent is that of infinity and NaN in f32 too.
  Value* beyond = layout.has_infinity ? ir_.CreateAdd(normal, number(bias << 23))
                                      : static_cast<Value*>(number(0x7FC00000));
  wide = ir_.CreateSelect(ir_.CreateICmpUGE(magnitude, number(layout.overflow())), beyond, wide);
  Value* sign = ir_.CreateShl(ir_.CreateAnd(bits, number(layout.sign())), 24);
  return ir_.CreateBitCast(ir_.CreateOr(wide, sign), single);
}

Value* ScalarEmitter::narrow_byte(NarrowLayout layout, Value* x) {
  llvm::Type* word = with_lanes_of(x->getType(), ir_.getInt32Ty());
  const auto number = [&](std::uint32_t value) { return llvm::ConstantInt::get(word, value); };
  const auto shift = static_cast<std::uint32_t>(23 - layout.mantissa_bits);
  const auto bias = static_cast<std::uint32_t>(127 - layout.bias());
  Value* bits = ir_.CreateBitCast(x, word);
  Value* magnitude = ir_.CreateAnd(bits, number(0x7FFFFFFF));
  // Below the normal numbers: a sum that has the multiple of the smallest, rounded, in its low
  // bits.
  const std::uint32_t above = (bias + 24 - static_cast<std::uint32_t>(layout.mantissa_bits)) << 23;
  Value* sum = ir_.CreateFAdd(ir_.CreateBitCast(magnitude, x->getType()),
                              ir_.CreateBitCast(number(above), x->getType()));
  Value* multiple = ir_.CreateSub(ir_.CreateBitCast(sum, word), number(above));
  Value* odd = ir_.CreateAnd(ir_.CreateLShr(magnitude, shift), number(1));
  Value* half = ir_.CreateAdd(odd, number((1U << (shift - 1)) - 1 - (bias << 23)));
  Value* normal = ir_.CreateLShr(ir_.CreateAdd(magnitude, half), shift);
  Value* result =
      ir_.CreateSelect(ir_.CreateICmpULT(magnitude, number((bias + 1) << 23)), multiple, normal);
  Value* too_large = ir_.CreateICmpUGE(result, number(layout.overflow()));
  result = ir_.CreateSelect(too_large, number(layout.overflow()), result);
  result = ir_.CreateSelect(ir_.CreateFCmpUNO(x, x), number(layout.nan()), result);
  Value* sign = ir_.CreateAnd(ir_.CreateLShr(bits, 24), number(layout.sign()));
  return ir_.CreateTrunc(ir_.CreateOr(result, sign), with_lanes_of(x->getType(), ir_.getInt8Ty()));
}

}  // namespace tutti::codegen::native
