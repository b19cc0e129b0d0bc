#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/complaints.h"

namespace tutti::test {

inline CommandResult run_example(const std::string& name, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), std::string(TUTTI_BINARY_DIR) + "/bin/" + name);
  CommandResult result = run_command(arguments);
  expect_no_complaints(result);
  return result;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The number behind a word of a line.
inline double number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + " ");
  if (at == std::string::npos) return NAN;
  return std::strtod(text.c_str() + at + word.size(), nullptr);
}

}  // namespace tutti::test
