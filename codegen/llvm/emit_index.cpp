#include <tutti/codegen/llvm/emit_index.h>

#include <limits>

namespace tutti::codegen::native {

llvm::Value* emit_clamped_index(llvm::IRBuilder<>& ir, llvm::Value* index, DType dtype,
                                std::int64_t most, llvm::Type* type) {
  // In as few bits as there are instructions for, if the most fits.
  const bool fits = most <= std::numeric_limits<std::int32_t>::max();
  llvm::Type* const wide = type->getWithNewBitWidth(size_of(dtype) <= 4 && fits ? 32 : 64);
  auto* const last = llvm::ConstantInt::get(wide, static_cast<std::uint64_t>(most));
  llvm::Value* out = ir.CreateIntCast(index, wide, !is_unsigned(dtype));
  if (is_unsigned(dtype)) {
    out = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, out, last);
  } else {
    out = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, out, last);
    out = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, out, llvm::Constant::getNullValue(wide));
  }
  return ir.CreateIntCast(out, type, /*isSigned=*/false);
}

}  // namespace tutti::codegen::native
