#pragma once

#include <functional>
#include <string>

#include "tests/support/random/compare_ways.h"

namespace tutti::test {

// Programs that are made and run one after another.
struct ManyPrograms {
  std::string test;  // "Suite.Test", as it is named to whoever wants to see a failure again
  int count;         // unless TUTTI_TEST_PROGRAMS says how many
  int threads = 2;
  std::span<const Way> ways;
  std::function<RandomProgram(std::uint64_t seed)> make;
};

// Whether all ways of running the programs give what the interpreter gives. The seed of the first
// is TUTTI_TEST_SEED, or another one each time, and is printed. A program that fails is shrunk and
// written to random_programs/ in the build's folder, to be kept in tests/ops/regressions; after a
// crash the programs that were running lie there.
testing::AssertionResult all_agree(const ManyPrograms& programs);

// TUTTI_TEST_SEED, or another one each time.
std::uint64_t first_seed();
// TUTTI_TEST_PROGRAMS, or `standard`; a tenth of it in builds that only evaluate kernels, which is
// slow.
int program_count(int standard);

}  // namespace tutti::test
