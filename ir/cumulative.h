#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/op.h>

#include <optional>

namespace tutti::ir {

// What an op combines each element with those before it by: `add` of cumsum, `mul` of cumprod,
// `maximum` of cummax, `minimum` of cummin; nothing of other ops.
std::optional<ScalarOp> running_combination(Op op);

// What changes no number that it is combined with by add, mul, maximum or minimum: a scalar. Of
// floats it is -0 for sums, so that -0 stays.
Array unchanging(ScalarOp combine, DType dtype);

}  // namespace tutti::ir
