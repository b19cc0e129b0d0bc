#pragma once

#include <optional>
#include <vector>

#include "tests/support/random/growing_program.h"

namespace tutti::test {

// The attributes of an op drawn one after another by their names, for a first operand `x` (none: of
// an op that takes none). None if there is a name that says nothing here.
std::optional<std::vector<ir::Attribute>> draw_attributes(GrowingProgram& program, ir::Op op,
                                                          std::optional<ir::Value> x);

}  // namespace tutti::test
