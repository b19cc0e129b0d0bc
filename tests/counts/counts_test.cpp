#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

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
    {"trace/30_ops", 2640},             // an op of a function that is being compiled
    {"trace/999_ops", 2520},            // the same, a long one
    {"trace/lazy", 2625},               // an op of the rank's own trace
    {"call/30_ops_16_elements", 3600},  // a call of a compiled function, its kernel included
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

// Of one operation of each path, one after another in one process: valgrind takes seconds to start.
// Empty if they could not be counted, which fails the test.
std::vector<long> instructions_of(const std::vector<std::string>& paths) {
  const TemporaryFolder folder;
  const std::filesystem::path profile = folder.path() / "profile";
  std::vector<std::string> command = {"/usr/bin/env",
                                      "valgrind",
                                      "--tool=callgrind",
                                      "--toggle-collect=measured",
                                      "--dump-after=measured",
                                      "--callgrind-out-file=" + profile.string(),
                                      kProgram};
  command.insert(command.end(), paths.begin(), paths.end());
  const CommandResult result = run_command(command);
  EXPECT_EQ(result.status, 0) << result.errors;
  std::vector<long> out;
  std::istringstream operations(result.output);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string counted = folder.read("profile." + std::to_string(i + 1));
    std::smatch summary;
    long done = 0;
    if (!(operations >> done) ||
        !std::regex_search(counted, summary, std::regex("summary: (\\d+)"))) {
      ADD_FAILURE() << paths[i] << " was not counted\n" << result.errors;
      return {};
    }
    out.push_back(std::stol(summary[1]) / done);
  }
  return out;
}

class Counts : public Counting, public testing::WithParamInterface<Bound> {};

TEST_P(Counts, AHotPathStaysWithinItsBound) {
  const auto [path, most] = GetParam();
  const std::vector<long> counts = instructions_of({path});
  ASSERT_EQ(counts.size(), 1);
  const long count = counts[0];
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

// A text with eight times as much of something costs eight times as much to read and to print, and
// a little more where names are sorted.
TEST_F(Counting, ReadingTakesTimeLinearInTheText) {
  const std::vector<std::string> much = {
      "values",   "parameters", "functions", "groups", "ranks",   "numbers",     "nesting",
      "comments", "text",       "buffers",   "steps",  "kernels", "instructions"};
  std::vector<std::string> paths;
  for (const std::string& one : much) {
    for (const char* count : {"/250", "/2000"}) paths.push_back("read/" + one + count);
  }
  const std::vector<long> counts = instructions_of(paths);
  ASSERT_EQ(counts.size(), paths.size());
  for (std::size_t i = 0; i < counts.size(); i += 2) {
    EXPECT_GT(counts[i], 0);
    EXPECT_LE(static_cast<double>(counts[i + 1]), 1.5 * static_cast<double>(counts[i]))
        << paths[i] << " and " << paths[i + 1] << ": instructions for each of them";
  }
}

}  // namespace

}  // namespace tutti::test::counts_test
