#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/properties.h"
#include <gtest/gtest.h>

// What the fuzzers start from, and what they have found, in builds of every kind.
namespace tutti::fuzz::corpus_test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const std::vector<std::string>& folders) {
  std::vector<fs::path> out;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(fs::path(TUTTI_SOURCE_DIR "/tests") / folder)) {
      if (entry.is_regular_file()) out.push_back(entry.path());
    }
  }
  return out;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The text, all its beginnings at the end of a line, and the text without one of its lines.
template <class Property>
void replay(const std::vector<fs::path>& files, Property&& property) {
  EXPECT_GT(files.size(), 2U);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path);
    const std::string text = content_of(path);
    EXPECT_NO_THROW(property(text));
    if (text.size() > 4096) continue;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      EXPECT_NO_THROW(property(text.substr(0, end)));
      EXPECT_NO_THROW(property(text.substr(0, begin) + text.substr(end)));
      begin = end;
    }
  }
}

TEST(Corpus, OfPrograms) {
  replay(files_in({"fuzz/corpus/ir", "ir/golden", "errors/ir"}), ir_text);
}

TEST(Corpus, OfPlans) { replay(files_in({"fuzz/corpus/plan"}), plan_text); }

}  // namespace
}  // namespace tutti::fuzz::corpus_test
