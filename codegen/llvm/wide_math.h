#pragma once

#include <tutti/codegen/llvm/math_pieces.h>

namespace tutti::codegen::native {

// Transcendental functions of f64 as straight-line code, for scalars and vectors alike: as those of
// f32 (inline_math.h), with polynomials fitted in 240 bits. They hold for all arguments.
//
// The largest error of nine million arguments, a million of them spread over all bit patterns,
// against the C library's functions of long double, in units in the last place; with fused
// multiply-adds and without:
//   exp 0.90, 0.89   expm1 1.47, 1.41   log 0.79, 0.79   log1p 1.43, 1.43   tanh 2.43, 2.43
//   sin 1.56         cos 1.57
// and of two million arguments, or pairs of them, of the functions that came later:
//   exp2 0.84, 1.04   log2 0.75, 0.75   erf 1.12, 1.34   cbrt 0.50, 0.50   atan2 1.31, 1.46
//   tan 1.16          pow 0.91
class WideMath : MathPieces {
 public:
  WideMath(llvm::IRBuilder<>& builder, bool fuses) : MathPieces(builder, fuses) {}

  llvm::Value* exp(llvm::Value* x);
  llvm::Value* exp2(llvm::Value* x);
  llvm::Value* expm1(llvm::Value* x);
  llvm::Value* log(llvm::Value* x);
  llvm::Value* log2(llvm::Value* x);
  llvm::Value* log1p(llvm::Value* x);
  llvm::Value* tanh(llvm::Value* x);
  llvm::Value* erf(llvm::Value* x);
  llvm::Value* cbrt(llvm::Value* x);
  llvm::Value* atan2(llvm::Value* y, llvm::Value* x);
  // For targets that fuse. mod is exact.
  llvm::Value* pow(llvm::Value* x, llvm::Value* y);
  Remainder mod(llvm::Value* x, llvm::Value* y);

  // For arguments up to kTrigonometricLimit in magnitude, and targets that fuse.
  static constexpr double kTrigonometricLimit = 1 << 30;
  llvm::Value* sin(llvm::Value* x);
  llvm::Value* cos(llvm::Value* x);
  llvm::Value* tan(llvm::Value* x);

 private:
  // x = n * ln 2 + rest + lost
  struct Reduced {
    llvm::Value* n;  // as an i64
    llvm::Value* rest;
    llvm::Value* lost;  // less than a rounding
  };
  Reduced reduce(llvm::Value* x);
  llvm::Value* expm1_of_rest(const Reduced& reduced);
  // 2^(r + lost) for r in [-1/2, 1/2] and `lost`, null for 0, less than a rounding of it.
  llvm::Value* exp2_of_rest(llvm::Value* r, llvm::Value* lost);
  // y * 2^n for y in [0.7, 1.5] and n from -1080 to 1025, rounded once; `is_tiny` says that the
  // result is less than 2^-1022.
  llvm::Value* scale(llvm::Value* y, llvm::Value* n, llvm::Value* is_tiny);

  // x = (1 + fraction) * 2^exponent with 1 + fraction from a number on, whose bits are `least`, to
  // twice as much; the exponent is in its bits' place.
  struct Split {
    llvm::Value* fraction;
    llvm::Value* exponent;
  };
  Split split(llvm::Value* x, std::uint64_t least = kTwoThirds);
  // log(1 + f) = f - square + s * factor, for f in [-1/3, 1/3]
  struct LogPieces {
    llvm::Value* square;  // f^2 / 2
    llvm::Value* s;
    llvm::Value* factor;
  };
  LogPieces log_pieces(llvm::Value* f);
  // log(1 + f) + exponent * ln 2, for f in [-1/3, 1/3]; the exponent is in its bits' place.
  llvm::Value* log_of(llvm::Value* f, llvm::Value* exponent);

  // A number and what it lacks, which is less than a rounding of it.
  struct Pair {
    llvm::Value* value;
    llvm::Value* lost;
  };
  // For targets that fuse, of a number above 0, relative error 2^-64; of 0 and infinity, too.
  Pair log2_pair(llvm::Value* x);

  // sin(x + quarters * pi/2)
  llvm::Value* sine(llvm::Value* x, std::uint64_t quarters);
};

}  // namespace tutti::codegen::native
