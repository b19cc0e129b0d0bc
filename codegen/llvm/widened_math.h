#pragma once

#include <tutti/codegen/llvm/math_pieces.h>

namespace tutti::codegen::native {

// Functions of f32 that are computed in f64 and rounded once, as straight-line code for scalars and
// vectors alike. They hold for all arguments, as the C library's do. mod is exact.
//
// The largest error of 600,000 arguments or pairs of them, against the C library's functions of
// double, in units in the last place:
//   pow 0.51   atan2 0.51   cbrt 0.50   tan 1.07
class WidenedMath : MathPieces {
 public:
  WidenedMath(llvm::IRBuilder<>& builder, bool fuses) : MathPieces(builder, fuses) {}

  llvm::Value* pow(llvm::Value* x, llvm::Value* y);
  llvm::Value* atan2(llvm::Value* y, llvm::Value* x);
  llvm::Value* cbrt(llvm::Value* x);
  // For arguments up to InlineMath::kTrigonometricLimit.
  llvm::Value* tan(llvm::Value* x);
  Remainder mod(llvm::Value* x, llvm::Value* y);

 private:
  llvm::Value* widened(llvm::Value* x);
  llvm::Value* rounded(llvm::Value* x);
  // log2 of a number above 0, relative error 2^-42; of 0 and infinity, too.
  llvm::Value* log2(llvm::Value* x);
  // 2^x, relative error 2^-34, for x in [-1000, 1000] and NaN.
  llvm::Value* exp2(llvm::Value* x);
};

}  // namespace tutti::codegen::native
