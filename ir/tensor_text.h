#pragma once

#include <tutti/ir/array.h>

#include <string>

namespace tutti::ir {

// "f32[2,2] [[1, 2],\n [3, 4]]"; of more than 1,000 elements only the first and last three of each
// dimension.
std::string tensor_text(const Array& array);

}  // namespace tutti::ir
