#pragma once

#include <tutti/codegen/llvm/math_pieces.h>

#include <cstdint>

namespace tutti::codegen::native {

// Transcendental functions of f32 as straight-line code, for scalars and vectors alike.
//
// All are range reductions and polynomials of our own; the coefficients are minimax fits (Remez's
// algorithm on the relative error of the whole function, in 200 bits), rounded to f32 and improved
// by a search over their last bits. They hold for all arguments: infinities, NaN, signed zeros and
// subnormal numbers, as results too. Multiply-adds are fused where the target has the instruction.
//
// The largest error over every 31st bit pattern (138.5 million arguments), against the C library's
// functions of double, in units in the last place; with fused multiply-adds and without:
//   exp 1.01, 0.98    exp2 0.85, 1.12   expm1 1.43, 1.41   log 0.91, 1.07   log2 1.13, 1.75
//   log1p 1.67, 1.67  tanh 1.47, 1.42   erf 1.06, 1.15     sin 1.57, 1.57   cos 1.57, 1.55
class InlineMath : MathPieces {
 public:
  // `avx512`: the target has its instructions that multiply by a power of two and that give the
  // larger number, which are for vectors of 4 and of 16 lanes.
  InlineMath(llvm::IRBuilder<>& builder, bool fuses, bool avx512)
      : MathPieces(builder, fuses), avx512_(avx512) {}

  // IEEE's, which give NaN for NaN, and +0 for the larger of zeros.
  llvm::Value* maximum(llvm::Value* x, llvm::Value* y);
  llvm::Value* minimum(llvm::Value* x, llvm::Value* y);

  llvm::Value* exp(llvm::Value* x);
  llvm::Value* exp2(llvm::Value* x);
  llvm::Value* expm1(llvm::Value* x);
  llvm::Value* log(llvm::Value* x);
  llvm::Value* log2(llvm::Value* x);
  llvm::Value* log1p(llvm::Value* x);
  llvm::Value* tanh(llvm::Value* x);
  llvm::Value* erf(llvm::Value* x);

  // For arguments up to kTrigonometricLimit in magnitude.
  static constexpr float kTrigonometricLimit = 2097152;
  llvm::Value* sin(llvm::Value* x);
  llvm::Value* cos(llvm::Value* x);

 private:
  // x = n * ln 2 + rest
  struct Reduced {
    llvm::Value* n;        // as a f32
    llvm::Value* integer;  // as an i32
    llvm::Value* rest;
  };
  Reduced reduce(llvm::Value* x);
  llvm::Value* power(const Reduced& reduced);    // e^rest
  llvm::Value* exp_of_moderate(llvm::Value* x);  // within [-87, 88] or NaN
  // y * 2^n for y in [0.7, 1.5] and n of a normal number, or a NaN.
  llvm::Value* scale_moderately(llvm::Value* y, const Reduced& by);
  // By an instruction for that; null where there is none.
  llvm::Value* scale_at_once(llvm::Value* y, llvm::Value* n);
  // y * 2^n for y in [0.7, 1.5] and n from -151 to 128, rounded once: what a function gives for x,
  // NaN for NaN. Tiny results are made without a multiplication that underflows, which processors
  // take a hundred times as long for: what a mask hides of a softmax is exp(-infinity).
  struct Argument {
    llvm::Value* value;
    float least;  // less than this gives less than 2^-126
    float most;   // the last number that gives a finite one
  };
  llvm::Value* scale(llvm::Value* y, const Reduced& by, const Argument& x);
  // An argument within what scale() takes; above that, where it looks at the argument itself, it
  // may stay.
  llvm::Value* limit(llvm::Value* x, float least, float most);

  // x = m * 2^exponent with m in [2/3, 4/3); gives m - 1.
  struct Split {
    llvm::Value* fraction;
    llvm::Value* exponent;
  };
  Split split(llvm::Value* x);
  // log(1 + f) - f
  llvm::Value* log1p_tail(llvm::Value* f);

  // sin(x + quarters * pi/2)
  llvm::Value* sine(llvm::Value* x, std::uint32_t quarters);

  // How many lanes an instruction of AVX-512 may be used for; 0: none.
  unsigned lanes_of_avx512(const llvm::Value* x) const;
  llvm::Value* range(llvm::Value* x, llvm::Value* y, std::uint32_t which);

  bool avx512_;
};

}  // namespace tutti::codegen::native
