#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/scalar.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::codegen::cuda {

// The running reduction that an op is (ir/cumulative.h), of a dense operand along an axis, from its
// end if `reverse`. Buffers: x, result.
Source cumulative_source(ir::Op op, const View& x, std::int64_t axis, bool reverse);

// The type in which elements are combined by add, mul, minimum or maximum (the extremes of integers
// in their own), and the combination of x and y of that type as a text.
std::string running_type(ir::ScalarOp combine, DType dtype);
std::string_view combination(ir::ScalarOp combine);

}  // namespace tutti::codegen::cuda
