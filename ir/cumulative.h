#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/op.h>

#include <optional>

namespace tutti::ir {

// What an op combines each element with those before it by: `add` of cumsum, `mul` of cumprod,
// `maximum` of cummax, `minimum` of cummin; nothing of other ops.
std::optional<ScalarOp> running_combination(Op op);

}  // namespace tutti::ir
