#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>

#include <string>
#include <vector>

namespace tutti::codegen::cuda {

// The kernels that move elements, as device code. Buffers: the operands' storages, then the
// result's, which is dense and overlaps none of them.

// Writes a strided view of a buffer out densely.
Source strided_copy_source(const View& view);

// The operands one after another along an axis. Any strides.
Source concat_source(const std::vector<View>& operands, int axis, const Shape& result);

// operands: what is padded, any strides, and the fill value. One low, high and interior per
// dimension, none negative.
Source pad_source(const std::vector<View>& operands, const std::vector<std::int64_t>& low,
                  const std::vector<std::int64_t>& high, const std::vector<std::int64_t>& interior);

}  // namespace tutti::codegen::cuda
