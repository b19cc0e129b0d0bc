#pragma once

#include <tutti/ir/stablehlo/translate.h>

#include <string_view>

namespace tutti::ir::stablehlo {

// Calls of LAPACK as JAX makes them on the CPU: @lapack_spotrf_ffi. Says whether it is one that is
// understood; else the step has no results yet.
bool call_lapack(Step& step, std::string_view target);

}  // namespace tutti::ir::stablehlo
