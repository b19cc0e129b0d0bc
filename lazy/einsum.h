#pragma once

#include <tutti/lazy/ops.h>

#include <initializer_list>
#include <source_location>
#include <span>
#include <string_view>

namespace tutti {

// Sums of products by the names of axes, as NumPy's: einsum("bqhd,bkhd->bhqk", {q, k}). Each
// operand's axes have a letter; axes of one letter agree in size, and letters that are not behind
// the arrow are summed over. Without an arrow the result has the letters that stand once, in
// alphabetical order. "..." stands for axes in front, which broadcast. Operands are multiplied from
// left to right, pairs as matrix products; they have one dtype, any but bool. A letter twice in one
// operand, a diagonal, is a TypeError.
Tensor einsum(std::string_view formula, std::span<const Tensor> operands,
              std::source_location at = std::source_location::current());
inline Tensor einsum(std::string_view formula, std::initializer_list<Tensor> operands,
                     std::source_location at = std::source_location::current()) {
  return einsum(formula, std::span(operands.begin(), operands.size()), at);
}

}  // namespace tutti
