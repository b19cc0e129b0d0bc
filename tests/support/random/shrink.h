#pragma once

#include <functional>

#include "tests/support/random/random_program.h"

namespace tutti::test {

// A smaller program for which `fails` still says true, as it does for the given one: results are
// dropped, nodes give way to parameters that hold what they computed, or to one of their operands,
// and arguments become simple numbers, for as long as something of it works. `fails` is called a
// few hundred times at most.
RandomProgram shrink(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails);

}  // namespace tutti::test
