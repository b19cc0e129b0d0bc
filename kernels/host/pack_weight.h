#pragma once

#include <cstdint>

namespace tutti::kernels {

// The weight of some outputs, for some inputs and places of the window: how many there are of each,
// and how far apart they lie, in elements.
struct WeightPiece {
  std::int64_t outputs = 1, inputs = 1, lines = 1, columns = 1;
  std::int64_t output_stride = 0, input_stride = 0, line_stride = 0, column_stride = 0;
};

// Puts outputs side by side: [inputs, lines, columns, width], with zeros behind the outputs, of
// which there are at most `width`. For float and double.
template <class T>
void pack_weight(const T* first, const WeightPiece& piece, std::int64_t width, T* to);

}  // namespace tutti::kernels
