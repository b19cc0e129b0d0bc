#pragma once

#include <tutti/ir/scalar.h>

#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen::native {

// The C library's mathematical functions under names of our own, so that LLVM takes them for what
// they are: calls. They are the functions that ir::evaluate uses, so that results are the same
// bits.
struct LibmFunction {
  const char* name;
  const void* address;
};
const std::vector<LibmFunction>& libm_functions();

// The name for a primitive on f32 or f64: "tutti_tanh_f32".
std::string libm_name(ir::ScalarOp op, DType dtype);

}  // namespace tutti::codegen::native
