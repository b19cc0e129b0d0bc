#pragma once

#include <cstdlib>
#include <numeric>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/divergent_program.h"

namespace tutti::test {

constexpr std::uint64_t kPrograms = 100;  // of each test

class DivergentPrograms : public testing::TestWithParam<std::uint64_t> {};

// TUTTI_TEST_SEED=17 runs one again, TUTTI_TEST_SEED=5000:2000 others than usual.
inline std::vector<std::uint64_t> seeds_of(std::uint64_t block) {
  std::uint64_t first = block * kPrograms;
  std::uint64_t count = kPrograms;
  if (const char* const asked = std::getenv("TUTTI_TEST_SEED")) {
    char* end = nullptr;
    first = std::strtoull(asked, &end, 10);
    count = *end == ':' ? std::strtoull(end + 1, nullptr, 10) : 1;
  }
  std::vector<std::uint64_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST_P(DivergentPrograms, AreRightOnEveryRank) {
  for (const std::uint64_t seed : seeds_of(GetParam())) {
    const auto ranks = static_cast<int>(seed % 16 == 5 ? 8 : 2 + seed % 3);
    const DivergentProgram program = make_divergent_program(seed, ranks);
    try {
      simulate(ranks,
               [&](World& world) {
                 // Machine code takes longer to make than these programs take to run.
                 if (seed % 16 != 0) {
                   world.context()->compile_options.kernel_mode = codegen::KernelMode::evaluate;
                 }
                 run_divergent_program(world, program);
               },
               {.threads = static_cast<int>(1 + seed % 2), .timeout = std::chrono::seconds(60)});
    } catch (const std::exception& error) {
      FAIL() << error.what() << "\n" << text(program);
    }
  }
}

}  // namespace tutti::test
