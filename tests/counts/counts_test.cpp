#include <regex>
#include <string>

#include "tests/support/command.h"
#include <gtest/gtest.h>

// How many instructions the hot paths take, counted by valgrind's callgrind: the same on a busy
// machine as on an idle one, so that a path that grows is noticed in the change that does it.
namespace tutti::test {

namespace {

// A path of counts_program and the most instructions that one operation of it may take in a release
// build. Bounds are about a tenth above what was counted when they were set.
struct Bound {
  const char* path;
  long most;
};

constexpr Bound kBounds[] = {
    {"trace/30_ops", 2450},             // an op of a function that is being compiled
    {"trace/999_ops", 2400},            // the same, a long one
    {"trace/lazy", 2500},               // an op of the rank's own trace
    {"call/30_ops_16_elements", 3400},  // a call of a compiled function, its kernel included
};

constexpr const char* kProgram = TUTTI_BINARY_DIR "/bin/counts_program";

class Counts : public testing::TestWithParam<Bound> {};

TEST_P(Counts, AHotPathStaysWithinItsBound) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the bounds are those of a release build: this one adds checks of its own";
#endif
  if (run_command({"/usr/bin/env", "valgrind", "--version"}).status != 0) {
    GTEST_SKIP() << "valgrind counts, and is not there; scripts/setup installs it";
  }
  const auto [path, most] = GetParam();
  const TemporaryFolder folder;
  const CommandResult result =
      run_command({"/usr/bin/env", "valgrind", "--tool=callgrind", "--toggle-collect=measured",
                   "--callgrind-out-file=" + (folder.path() / "profile").string(), kProgram, path});
  ASSERT_EQ(result.status, 0) << result.errors;
  std::smatch collected;
  ASSERT_TRUE(std::regex_search(result.errors, collected, std::regex("Collected : (\\d+)")))
      << result.errors;
  const long count = std::stol(collected[1]) / std::stol(result.output);
  RecordProperty("instructions", static_cast<int>(count));
  EXPECT_GT(count, 0);
  EXPECT_LE(count, most)
      << path << " takes " << count << " instructions an operation, more than the " << most
      << " that tests/counts/counts_test.cpp allows. To see where they go:\n"
         "  valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file=profile "
      << kProgram << " " << path << "\n  callgrind_annotate profile\n"
      << "Raise the bound only if what was added is worth it.";
}

INSTANTIATE_TEST_SUITE_P(Paths, Counts, testing::ValuesIn(kBounds), [](const auto& path) {
  return std::regex_replace(std::string(path.param.path), std::regex("/"), "_");
});

}  // namespace

}  // namespace tutti::test
