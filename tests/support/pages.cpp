#include "tests/support/pages.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>

namespace tutti::test {

namespace fs = std::filesystem;

const fs::path& source_folder() {
  static const fs::path folder = TUTTI_SOURCE_DIR;
  return folder;
}

std::string content_of_source(const fs::path& path) {
  std::ifstream in(source_folder() / path, std::ios::binary);
  EXPECT_TRUE(in) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::vector<std::string> trimmed_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(trimmed(line));
  return lines;
}

std::vector<std::string> all_pages() {
  std::vector<std::string> pages = {"README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "docs")) {
    if (entry.path().extension() == ".md") {
      pages.push_back(fs::relative(entry.path(), source_folder()));
    }
  }
  std::ranges::sort(pages);
  return pages;
}

std::vector<CodeBlock> all_blocks() {
  std::vector<CodeBlock> out;
  for (const std::string& page : all_pages()) {
    std::istringstream in(content_of_source(page));
    bool inside = false;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (!line.starts_with("```")) {
        if (inside) out.back().text += line + "\n";
        continue;
      }
      inside = !inside;
      if (!inside) continue;
      std::istringstream words(line.substr(3));
      CodeBlock& block = out.emplace_back();
      words >> block.language >> block.subject >> block.condition;
      block.page = page;
      block.line = number;
    }
  }
  return out;
}

std::vector<PageCommands> commands_of_pages(bool builds) {
  constexpr std::string_view kBuild = "build/release/";
  constexpr std::string_view kOwnBuild = TUTTI_BINARY_DIR "/";
  constexpr std::array kBuilders = {"./scripts/", "cmake ", "ninja "};
  std::vector<PageCommands> out;
  for (const CodeBlock& block : all_blocks()) {
    if (block.language != "sh") continue;
    const std::string name = fs::path(block.page).stem().string();
    int line = block.line;
    for (const std::string& whole : trimmed_lines(block.text)) {
      ++line;
      std::string text = trimmed(whole.substr(0, whole.find("  #")));
      if (text.empty() || text.starts_with('#')) continue;
      // The benchmarks are not part of the default build: a command of the page makes them first.
      const bool is_builder = text.find("bin/bench_") != std::string::npos ||
                              std::ranges::any_of(kBuilders, [&](const char* start) {
                                return text.starts_with(start);
                              });
      if (is_builder != builds) continue;
      for (std::size_t at = 0; (at = text.find(kBuild, at)) != std::string::npos;) {
        text.replace(at, kBuild.size(), kOwnBuild);
        at += kOwnBuild.size();
      }
      if (out.empty() || out.back().name != name) out.push_back({.name = name, .commands = {}});
      out.back().commands.push_back({std::move(text), block.page + ":" + std::to_string(line)});
    }
  }
  return out;
}

}  // namespace tutti::test
