#pragma once

#include <cstdint>

namespace tutti::kernels {

// result[row * result_stride + column] = source[column * source_stride + row]. For unsigned
// integers of 8 to 64 bits, float and double.
template <class Element>
void transpose(const Element* source, std::int64_t source_stride, Element* result,
               std::int64_t result_stride, std::int64_t rows, std::int64_t columns);

}  // namespace tutti::kernels
