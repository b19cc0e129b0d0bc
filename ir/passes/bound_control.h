#pragma once

#include <tutti/ir/passes/bound_sizes.h>

namespace tutti::ir {

// The rule of loops and branches (see SizeBounds). Functions get the symbols' values as arguments
// behind their own. A scan whose length varies makes as many steps as it has at the bound, of which
// those behind the instance's do nothing.
void bound_control(SizeBounds& bounds);

}  // namespace tutti::ir
