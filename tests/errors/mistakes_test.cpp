#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/errors/mistake.h"
#include <gmock/gmock.h>

namespace tutti::test {

std::vector<Mistake>& mistakes() {
  static std::vector<Mistake> all;
  return all;
}

}  // namespace tutti::test

namespace tutti::test::mistakes_test {
namespace {

struct Expected {
  std::string type;
  std::string message;  // a regular expression
  int line = 0;         // 0: any
};

// What a file says about itself.
Expected read_expected(const std::string& file) {
  std::ifstream in(std::filesystem::path(TUTTI_SOURCE_DIR) / file);
  Expected out;
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    if (line == 1) {
      const std::size_t colon = text.find(": ");
      out.type = text.substr(3, colon - 3);
      out.message = text.substr(colon + 2);
    }
    if (text.ends_with("// here")) out.line = line;
  }
  return out;
}

std::string type_of(const std::exception& error) {
  if (dynamic_cast<const TypeError*>(&error) != nullptr) return "TypeError";
  if (dynamic_cast<const UsageError*>(&error) != nullptr) return "UsageError";
  if (dynamic_cast<const CommError*>(&error) != nullptr) return "CommError";
  if (dynamic_cast<const EnvironmentError*>(&error) != nullptr) return "EnvironmentError";
  return "another type of exception";
}

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreRefusedWithTheirMessage) {
  const Expected expected = read_expected(GetParam().file);
  try {
    GetParam().run();
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_EQ(type_of(error), expected.type);
    EXPECT_TRUE(std::regex_search(error.what(), std::regex(expected.message)))
        << "the message is:\n  " << error.what() << "\nand does not match\n  " << expected.message;
    if (expected.line == 0) return;
    const std::string line = std::filesystem::path(GetParam().file).filename().string() + ":" +
                             std::to_string(expected.line) + ": ";
    EXPECT_THAT(error.what(), testing::HasSubstr(line));
  }
}

std::string name_of_mistake(const testing::TestParamInfo<Mistake>& mistake) {
  return std::filesystem::path(mistake.param.file).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Lazy, Mistakes, testing::ValuesIn(mistakes()), name_of_mistake);

TEST(Mistake, EveryFileIsRun) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(TUTTI_SOURCE_DIR) / "tests/errors/lazy")) {
    files += entry.path().extension() == ".cpp" ? 1U : 0U;
  }
  EXPECT_EQ(mistakes().size(), files);
}

}  // namespace
}  // namespace tutti::test::mistakes_test
