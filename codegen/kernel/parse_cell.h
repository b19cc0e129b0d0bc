#pragma once

#include <tutti/ir/scalar.h>
#include <tutti/ir/text/lexer.h>

namespace tutti::codegen {

// Reads a constant of a kernel, in a compute dtype: true, 3, 2.5, -inf, or nan:0x7fc00000, a NaN
// with its bits.
ir::Cell read_cell(ir::Lexer& lexer, DType dtype);

}  // namespace tutti::codegen
