#pragma once

#include <optional>

#include "tests/support/ops/table.h"
#include "tests/support/random/growing_program.h"

namespace tutti::test {

// A value of this dtype and shape: one that the program has, one made of the elements of another,
// or a constant; in the range of the spec where the program's values ask for it. None: what it
// tried did not fit.
std::optional<ir::Value> of_type(GrowingProgram& program, DType dtype, const Shape& shape,
                                 const OperandSpec& spec = {});

// One made of the elements of x, over and over.
std::optional<ir::Value> made_of(GrowingProgram& program, ir::Value x, DType dtype,
                                 const Shape& shape);

}  // namespace tutti::test
