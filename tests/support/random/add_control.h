#pragma once

#include "tests/support/random/growing_program.h"

namespace tutti::test {

// Adds a loop or a branch whose functions are random programs themselves. Says whether it did.
bool add_control(GrowingProgram& program);

}  // namespace tutti::test
