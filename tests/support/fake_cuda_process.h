#pragma once

#include <tutti/runtime/function_ref.h>

#include <string>

namespace tutti::test {

// Runs work in a process of its own which finds the doubles of CUDA where it looks for the
// libraries: a test of what a process keeps to its end. It has to be all that a test does, because
// the process runs the test again up to here. `setup` is that of TUTTI_TEST_FAKE_CUDA. What throws,
// or gives false, is a failure. `says`: a regular expression of what it writes to stderr.
void expect_with_fake_cuda(const std::string& setup, runtime::FunctionRef<bool()> work,
                           const std::string& says = "");

}  // namespace tutti::test
