#include <tutti/codegen/llvm/combination.h>

#include <tuple>

namespace tutti::codegen::native {

using llvm::Value;

Combination::Combination(llvm::IRBuilder<>& ir, ScalarEmitter& scalars, const Reduction& reduction)
    : ir_(ir),
      scalars_(scalars),
      reduction_(reduction),
      is_maximum_(reduction.combine == ir::ScalarOp::maximum),
      is_extreme_(is_floating(reduction.dtype) &&
                  (is_maximum_ || reduction.combine == ir::ScalarOp::minimum)) {}

bool Combination::order_matters() const {
  const bool rounds =
      reduction_.combine == ir::ScalarOp::add || reduction_.combine == ir::ScalarOp::mul;
  return rounds && is_floating(reduction_.dtype);
}

std::vector<llvm::Constant*> Combination::start() const {
  llvm::Constant* neutral =
      scalars_.constant(reduction_.dtype, neutral_element(reduction_.combine, reduction_.dtype));
  if (!is_extreme_) return {neutral};
  llvm::Type* type = neutral->getType();
  llvm::Type* bits = bits_type(type);
  return {neutral,
          is_maximum_ ? llvm::Constant::getAllOnesValue(bits) : llvm::Constant::getNullValue(bits),
          llvm::Constant::getNullValue(type)};
}

Combination::State Combination::add(const State& state, Value* element, Value* mask) {
  if (!is_extreme_) {
    Value* sum = combine(state[0], element);
    return {mask == nullptr ? sum : ir_.CreateSelect(mask, sum, state[0])};
  }
  if (mask != nullptr) {
    auto* vector = llvm::cast<llvm::VectorType>(element->getType());
    auto* neutral = llvm::ConstantVector::getSplat(vector->getElementCount(), start()[0]);
    element = ir_.CreateSelect(mask, element, neutral);
  }
  Value* bits = ir_.CreateBitCast(element, bits_type(element->getType()));
  return {more_extreme(state[0], element), join_signs(state[1], bits), nan_of(state[2], element)};
}

Combination::State Combination::join(const State& a, const State& b) {
  if (!is_extreme_) return {combine(a[0], b[0])};
  return {more_extreme(a[0], b[0]), join_signs(a[1], b[1]), nan_of(a[2], b[2])};
}

Value* Combination::result(const State& state) {
  if (!is_extreme_) return state[0];
  const auto [extreme, signs, nan] = std::tuple(state[0], state[1], state[2]);
  llvm::Type* type = extreme->getType();
  // A maximum of zero: whatever is not negative was a +0. A minimum of zero: what is, was a -0.
  Value* is_zero = ir_.CreateFCmpOEQ(extreme, llvm::Constant::getNullValue(type));
  Value* zero =
      ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::Constant::getNullValue(type),
                                ir_.CreateBitCast(signs, type));
  Value* number = ir_.CreateSelect(is_zero, zero, extreme);
  return ir_.CreateSelect(ir_.CreateFCmpUNO(nan, nan), nan, number);
}

Value* Combination::combine(Value* a, Value* b) {
  return scalars_.apply(reduction_.combine, reduction_.dtype, {a, b, nullptr});
}

Value* Combination::more_extreme(Value* a, Value* b) {
  Value* keep = is_maximum_ ? ir_.CreateFCmpOGT(a, b) : ir_.CreateFCmpOLT(a, b);
  return ir_.CreateSelect(keep, a, b);
}

Value* Combination::join_signs(Value* a, Value* b) {
  return is_maximum_ ? ir_.CreateAnd(a, b) : ir_.CreateOr(a, b);
}

Value* Combination::nan_of(Value* a, Value* b) {
  return ir_.CreateSelect(ir_.CreateFCmpUNO(b, b), b, a);
}

llvm::Type* Combination::bits_type(llvm::Type* like) const {
  return like->getWithNewType(ir_.getIntNTy(like->getScalarSizeInBits()));
}

}  // namespace tutti::codegen::native
