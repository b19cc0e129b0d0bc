#pragma once

#include "tests/support/command.h"

namespace tutti::test {

// The doubles of NVIDIA's libraries (tests/fake_cuda) tell stderr what a program did that must not
// be done.
void expect_no_complaints(const CommandResult& result);

}  // namespace tutti::test
