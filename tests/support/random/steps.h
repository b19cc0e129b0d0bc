#pragma once

#include "tests/support/random/growing_program.h"

namespace tutti::test {

// Adds an op to a program, or a case of the table of ops with what brings values to its types. Says
// whether it did; what it tried may be left over as values that nobody uses.
bool add_something(GrowingProgram& program);

// Ops that have no part in random programs, and why.
struct LeftOut {
  ir::Op op;
  const char* why;
};
std::span<const LeftOut> ops_left_out();

}  // namespace tutti::test
