#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/collective_kinds.h>

#include <cstdint>

namespace tutti::kernels {

// result[i] = operands[0][i] o operands[1][i] o ... o operands[members - 1][i], from left to right,
// for `elements` elements, stored to each of the `result_count` results.
//
// The meaning is that of ir/scalar.h: integers wrap, min and max propagate NaN, narrow floats are
// combined in f32 and rounded once; so is a mean, whose sum is divided by `members` last. Element i
// depends on the operands' elements i alone, never on where a range starts. A result may be one of
// the operands, but not overlap one otherwise.
using ReduceElements = void (*)(const void* const* operands, int members, void* const* results,
                                int result_count, std::int64_t elements);

// The function for a dtype, or null where the reduction has no meaning: mean of integers, bit
// operations on floats, arithmetic on bool.
ReduceElements reduce_elements(Reduction reduction, DType dtype);

}  // namespace tutti::kernels
