#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/scalar.h>

namespace tutti::ir {

// The scalar that changes nothing that it is combined with by add, mul, minimum, maximum, bit_and,
// bit_or or bit_xor, stored in a dtype. Of sums of floats it is -0, so that -0 stays.
// Throws InternalError for any other op.
Array neutral(ScalarOp combination, DType dtype);

// What a combination of nothing is: the same, but 0 of sums.
Array empty_combination(ScalarOp combination, DType dtype);

}  // namespace tutti::ir
