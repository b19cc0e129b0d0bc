#pragma once

#include <tutti/runtime/function_ref.h>

#include <string>

namespace tutti::test {

// Runs work in a process of its own: a test of what a process keeps to its end. That has to be all
// that a test does, because the process runs the test again up to here. What throws, or gives
// false, is a failure. `says`: a regular expression of what it writes to stderr.
void expect_in_own_process(runtime::FunctionRef<bool()> work, const std::string& says = "");

// The same where the process finds the doubles of CUDA when it looks for the libraries. `setup` is
// that of TUTTI_TEST_FAKE_CUDA.
void expect_with_fake_cuda(const std::string& setup, runtime::FunctionRef<bool()> work,
                           const std::string& says = "");

}  // namespace tutti::test
