#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>

#include <cstdint>
#include <vector>

namespace tutti::codegen::cuda {

// The kernels that index by data or find positions, as device code. Operands are dense; `axis` is
// the one of the first operand that is indexed. Buffers: the operands, then the result.

// x, indices
Source take_source(const std::vector<View>& operands, std::int64_t axis);
Source take_along_axis_source(const std::vector<View>& operands, std::int64_t axis);

// x, indices, updates. Deterministic: each element gets its updates in the order of their indices.
// The result may be x itself.
Source scatter_add_source(const std::vector<View>& operands, std::int64_t axis);

// argmax if `largest`, else argmin; the axis is not empty.
Source arg_reduce_source(const View& x, std::int64_t axis, bool largest);

}  // namespace tutti::codegen::cuda
