#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>

#include <vector>

namespace tutti::codegen::cuda {

// Parts of a tensor that begin where data says, as device code. Operands are dense.

// operands: x and the starts. Buffers: x, starts, result.
Source dynamic_slice_source(const std::vector<View>& operands, const Shape& part);

// operands: x, the update and the starts. Buffers: x, update, starts, result.
Source dynamic_update_slice_source(const std::vector<View>& operands);

}  // namespace tutti::codegen::cuda
