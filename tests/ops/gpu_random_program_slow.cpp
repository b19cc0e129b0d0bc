// Random programs on a GPU: its kernels give what the interpreter gives.

#include "tests/support/gpu.h"
#include "tests/support/random/compare_ways.h"
#include "tests/support/random/many_programs.h"
#include <gtest/gtest.h>

namespace tutti::test {
namespace {

TEST(GpuRandomProgram, GivesWhatTheInterpreterGives) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  const auto make = [](std::uint64_t seed) {
    const bool exact = seed % 2 == 0;
    return random_program(
        seed, {.values = exact ? ProgramOptions::Values::exact : ProgramOptions::Values::close,
               .nodes = 8 + static_cast<int>(seed % 30),
               .control = seed % 3 == 0});
  };
  EXPECT_TRUE(all_agree({.test = "GpuRandomProgram.GivesWhatTheInterpreterGives",
                         .count = 200,
                         .threads = 1,
                         .ways = std::span(&gpu_way(), 1),
                         .make = make}));
}

}  // namespace
}  // namespace tutti::test
