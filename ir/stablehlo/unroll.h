#pragma once

#include <tutti/ir/stablehlo/translate.h>

namespace tutti::ir::stablehlo {

// The IR's loops can't communicate. A while that does, and whose counter goes from one constant to
// another in a number of steps that is not too large, is written out step by step. Says whether it
// was; else the step has no results yet.
bool unroll(Step& step);

}  // namespace tutti::ir::stablehlo
