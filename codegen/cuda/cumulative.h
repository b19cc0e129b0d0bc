#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>

#include <cstdint>

namespace tutti::codegen::cuda {

// The running reduction that an op is (ir/cumulative.h), of a dense operand along an axis, from its
// end if `reverse`. Buffers: x, result.
Source cumulative_source(ir::Op op, const View& x, std::int64_t axis, bool reverse);

}  // namespace tutti::codegen::cuda
