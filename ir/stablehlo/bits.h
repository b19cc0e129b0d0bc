#pragma once

#include <tutti/ir/term.h>

#include <cstdint>

// Numbers by their bits.
namespace tutti::ir::stablehlo {

// The integers of the dtype's size.
DType unsigned_of(DType dtype);
DType signed_of(DType dtype);

// The same bits in a dtype of that size; itself if it has that dtype.
Term bitcast(Term x, DType dtype);

// A scalar of these bits, the lowest ones, in an integer or floating dtype.
Term bits_of(Term like, DType dtype, std::uint64_t bits);

// Signed integers in the total order of floats: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.
Term ordered_bits(Term x);

// select(condition, x, y) with numbers.
inline Term choose(Term condition, double x, Term y) { return select(condition, y.constant(x), y); }
inline Term both(Term a, Term b) { return apply(Op::logical_and, a, b); }
inline Term either(Term a, Term b) { return apply(Op::logical_or, a, b); }

}  // namespace tutti::ir::stablehlo
