#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

// Texts that tests compare with files under tests/.
namespace tutti::test {

// Whether `actual` is what the file holds, `path` being relative to tests/. A failure shows the
// lines that differ. With TUTTI_TEST_BLESS=1 in the environment the file is written instead:
//   EXPECT_TRUE(matches_golden(print(graph), "ir/golden/step.tutti"));
testing::AssertionResult matches_golden(std::string_view actual, const std::string& path);

// What a file under tests/ holds; fails the test and gives "" if it cannot be read.
std::string read_test_file(const std::string& path);

// The lines in which two texts differ, with a few around them: "-" expected, "+" actual.
std::string line_difference(std::string_view expected, std::string_view actual);

}  // namespace tutti::test
