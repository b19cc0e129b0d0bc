#include "tests/support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

namespace tutti::test {

namespace {

std::filesystem::path full_path(const std::string& path) {
  return std::filesystem::path(TUTTI_SOURCE_DIR) / "tests" / path;
}

std::optional<std::string> golden_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

testing::AssertionResult matches_golden(std::string_view actual, const std::string& path) {
  const char* const bless = std::getenv("TUTTI_TEST_BLESS");
  const std::optional<std::string> expected = golden_text(full_path(path));
  if (expected == actual) return testing::AssertionSuccess();
  if (bless != nullptr && std::string_view(bless) == "1") {
    std::filesystem::create_directories(full_path(path).parent_path());
    std::ofstream file(full_path(path), std::ios::binary);
    file << actual;
    file.close();
    if (file) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "cannot write tests/" << path;
  }
  if (!expected) {
    return testing::AssertionFailure()
           << "tests/" << path << " is missing; run with TUTTI_TEST_BLESS=1 to write it:\n"
           << actual;
  }
  return testing::AssertionFailure()
         << "differs from tests/" << path << " (TUTTI_TEST_BLESS=1 rewrites it):\n"
         << line_difference(*expected, actual);
}

std::string read_test_file(const std::string& path) {
  const std::optional<std::string> text = golden_text(full_path(path));
  if (!text) ADD_FAILURE() << "cannot read tests/" << path;
  return text.value_or("");
}

std::string line_difference(std::string_view expected, std::string_view actual) {
  constexpr std::size_t kContext = 3;
  const auto before = lines_of(expected);
  const auto after = lines_of(actual);
  if (before == after) return "the texts differ in their last newline alone\n";
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  std::string out;
  const auto append = [&](char sign, const auto& lines, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out += sign + std::string(lines[i]) + "\n";
  };
  const std::size_t first = head - std::min(head, kContext);
  out += "@@ line " + std::to_string(first + 1) + "\n";
  append(' ', before, first, head);
  append('-', before, head, before.size() - tail);
  append('+', after, head, after.size() - tail);
  append(' ', before, before.size() - tail, before.size() - tail + std::min(tail, kContext));
  return out;
}

}  // namespace tutti::test
