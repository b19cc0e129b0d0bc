#include <regex>
#include <string>

#include "tests/support/command.h"
#include "tests/support/skip.h"
#include <gtest/gtest.h>

// How many instructions the hot paths take, counted by valgrind's callgrind: the same on a busy
// machine as on an idle one, so that a path that grows is noticed in the change that does it.
namespace tutti::test::counts_test {

namespace {

// A path of counts_program and the most instructions that one operation of it may take in a release
// build. Bounds are about a tenth above what was counted when they were set.
struct Bound {
  const char* path;
  long most;
};

constexpr Bound kBounds[] = {
    {"trace/30_ops", 2610},             // an op of a function that is being compiled
    {"trace/999_ops", 2495},            // the same, a long one
    {"trace/lazy", 2605},               // an op of the rank's own trace
    {"call/30_ops_16_elements", 3400},  // a call of a compiled function, its kernel included
};

constexpr const char* kProgram = TUTTI_BINARY_DIR "/bin/counts_program";

// Skips what can not be counted here.
class Counting : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the bounds are those of a release build: this one adds checks of its own";
#endif
    if (run_command({"/usr/bin/env", "valgrind", "--version"}).status != 0) {
      TUTTI_SKIP_FOR_WANT_OF("valgrind counts, and is not there; scripts/setup installs it");
    }
  }
};

// Of one operation of a path; 0 if it could not be counted, which fails the test.
long instructions_of(const std::string& path) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command({"/usr/bin/env", "valgrind", "--tool=callgrind", "--toggle-collect=measured",
                   "--callgrind-out-file=" + (folder.path() / "profile").string(), kProgram, path});
  EXPECT_EQ(result.status, 0) << result.errors;
  std::smatch collected;
  if (result.status != 0 ||
      !std::regex_search(result.errors, collected, std::regex("Collected : (\\d+)"))) {
    ADD_FAILURE() << result.errors;
    return 0;
  }
  return std::stol(collected[1]) / std::stol(result.output);
}

class Counts : public Counting, public testing::WithParamInterface<Bound> {};

TEST_P(Counts, AHotPathStaysWithinItsBound) {
  const auto [path, most] = GetParam();
  const long count = instructions_of(path);
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

class Reading : public Counting, public testing::WithParamInterface<const char*> {};

// A text with eight times as much of something costs eight times as much to read and to print, and
// a little more where names are sorted.
TEST_P(Reading, TakesTimeLinearInTheText) {
  const std::string path = "read/" + std::string(GetParam());
  const long few = instructions_of(path + "/250");
  const long many = instructions_of(path + "/2000");
  EXPECT_GT(few, 0);
  EXPECT_LE(static_cast<double>(many), 1.5 * static_cast<double>(few))
      << "instructions for each of 2000, and of 250";
}

INSTANTIATE_TEST_SUITE_P(Texts, Reading,
                         testing::Values("values", "parameters", "functions", "groups", "ranks",
                                         "numbers", "nesting", "comments", "text", "buffers",
                                         "steps", "kernels", "instructions"),
                         [](const auto& much) { return std::string(much.param); });

}  // namespace

}  // namespace tutti::test::counts_test
