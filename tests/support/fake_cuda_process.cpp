#include "tests/support/fake_cuda_process.h"

#include <cstdlib>
#include <exception>
#include <iostream>

#include "tests/support/environment_variable.h"
#include <gtest/gtest.h>

namespace tutti::test {

void expect_in_own_process(runtime::FunctionRef<bool()> work, const std::string& says) {
  const std::string style = testing::GTEST_FLAG(death_test_style);
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto run = [&] {
    try {
      if (work()) std::exit(0);  // with the destructors of static objects
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
    }
    std::exit(1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), says);
  testing::GTEST_FLAG(death_test_style) = style;
}

void expect_with_fake_cuda(const std::string& setup, runtime::FunctionRef<bool()> work,
                           const std::string& says) {
  const EnvironmentVariable libraries("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda");
  const EnvironmentVariable options("TUTTI_TEST_FAKE_CUDA", setup);
  expect_in_own_process(work, says);
}

}  // namespace tutti::test
