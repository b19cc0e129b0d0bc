#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/random/compare_ways.h"
#include "tests/support/random/stored_program.h"
#include <gtest/gtest.h>

// Every file in tests/ops/regressions/ holds a program that once went wrong, found by random
// programs and shrunk, and its arguments (stored_program.h).
namespace tutti::test::regressions_test {
namespace {

std::filesystem::path folder() { return source("tests/ops/regressions"); }

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".tutti") out.push_back(entry.path().stem().string());
  }
  std::ranges::sort(out);
  return out;
}

class Regression : public testing::TestWithParam<std::string> {};

TEST_P(Regression, StaysAway) {
  const RandomProgram program = read_program(folder() / (GetParam() + ".tutti"));
  if (const auto difference = first_difference(program, host_ways())) {
    FAIL() << difference->way.name << ": " << difference->message;
  }
}

INSTANTIATE_TEST_SUITE_P(Program, Regression, testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tutti::test::regressions_test
