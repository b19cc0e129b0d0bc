#pragma once

#include <cstdint>
#include <initializer_list>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// What transcendental functions are made of, for scalars and vectors of f32 and of f64 alike.
class MathPieces {
 protected:
  // Adding it to an f64 below 2^51 in magnitude leaves the nearest integer in the low bits.
  static constexpr double kWideShift = 6755399441055744;  // 1.5 * 2^52
  // The bits of 2/3 as an f64.
  static constexpr std::uint64_t kTwoThirds = 0x3FE5555555555555;

  // `fuses`: the target has fused multiply-adds.
  MathPieces(llvm::IRBuilder<>& builder, bool fuses) : ir_(builder), fuses_(fuses) {}

  // Coefficients of the highest power first.
  llvm::Value* polynomial(llvm::Value* x, std::initializer_list<double> coefficients);
  // a * b + c, rounded once where the target can.
  llvm::Value* fused(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* number(const llvm::Value* like, double value);
  // Of as many bits as an element of `like`.
  llvm::Value* integer(const llvm::Value* like, std::uint64_t value);
  llvm::Value* bits(llvm::Value* x);
  // Of an integer of 32 or 64 bits.
  llvm::Value* from_bits(llvm::Value* x);
  llvm::Value* clamp(llvm::Value* x, double least, double most);
  llvm::Value* magnitude(llvm::Value* x);
  llvm::Value* with_sign(llvm::Value* x, llvm::Value* sign);
  llvm::Value* is_negative(llvm::Value* x);  // by the sign's bit
  llvm::Value* is_whole(llvm::Value* x);
  // Of f64: the part of a number's bits that makes it m times a power of two, with m from the
  // number whose bits are `least` to twice as much; that power's exponent as a number; and 2^n for
  // an i64 of a normal number's.
  llvm::Value* wide_exponent_bits(llvm::Value* word, std::uint64_t least = kTwoThirds);
  llvm::Value* wide_exponent(llvm::Value* exponent_bits);
  llvm::Value* wide_power_of_two(llvm::Value* n);
  // An f64 up to 2^21 as rest + n * pi/2; the lowest bits of n are those of `shifted`.
  struct Quarters {
    llvm::Value* shifted;
    llvm::Value* rest;
  };
  Quarters wide_quarters(llvm::Value* x);
  // The sine of what these are sine and cosine of, so many quarter turns further; an integer of as
  // many bits as they have.
  llvm::Value* after_quarters(llvm::Value* sine, llvm::Value* cosine, llvm::Value* quarters);
  // Two lengths, for the angle whose tangent is small / large or, where it is steep, large / small.
  // Those that no quotient can be taken of are replaced.
  struct Slope {
    llvm::Value* steep;
    llvm::Value* small;
    llvm::Value* large;
  };
  Slope slope(llvm::Value* across, llvm::Value* up);
  // What log and its like give for arguments out of (0, inf); else `result`.
  llvm::Value* log_special(llvm::Value* x, llvm::Value* result);
  // x^y where the signs and NaNs of x and y count, of |x|^y.
  llvm::Value* power_special(llvm::Value* x, llvm::Value* y, llvm::Value* result);
  // The remainder of x / y with the sign of x, but where `beyond` says that something else has to
  // find it, since the quotient is too large.
  struct Remainder {
    llvm::Value* value;
    llvm::Value* beyond;
  };

  llvm::IRBuilder<>& ir_;
  bool fuses_;
};

}  // namespace tutti::codegen::native
