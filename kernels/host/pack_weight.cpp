#include <tutti/kernels/host/copy_grid.h>
#include <tutti/kernels/host/pack_weight.h>
#include <tutti/kernels/host/transpose.h>

#include <algorithm>
#include <cstdlib>

namespace tutti::kernels {

template <class T>
void pack_weight(const T* first, const WeightPiece& piece, std::int64_t width, T* to) {
  WeightPiece own = piece;
  // What follows each other is one.
  if (own.lines == 1 || own.line_stride == own.columns * own.column_stride) {
    own.columns *= own.lines;
    own.lines = 1;
    if (own.input_stride == own.columns * own.column_stride) {
      own.columns *= own.inputs;
      own.inputs = 1;
    }
  }
  if (own.outputs < width) std::fill_n(to, own.inputs * own.lines * own.columns * width, T{0});
  const bool is_mirrored = own.column_stride == -1;  // then it is read from the last place on
  const std::int64_t first_place = is_mirrored ? own.columns - 1 : 0;
  for (std::int64_t input = 0; input < own.inputs; ++input) {
    for (std::int64_t line = 0; line < own.lines; ++line, to += own.columns * width) {
      const T* const from = first + input * own.input_stride + line * own.line_stride;
      if (std::abs(own.column_stride) == 1) {
        transpose(from - first_place, own.output_stride, to + first_place * width,
                  is_mirrored ? -width : width, own.columns, own.outputs);
      } else {
        copy_grid(own.columns, own.outputs, from,
                  {.line = own.column_stride, .element = own.output_stride}, to, {.line = width});
      }
    }
  }
}

template void pack_weight(const float* first, const WeightPiece& piece, std::int64_t width,
                          float* to);
template void pack_weight(const double* first, const WeightPiece& piece, std::int64_t width,
                          double* to);

}  // namespace tutti::kernels
