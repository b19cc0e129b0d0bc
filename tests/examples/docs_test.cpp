// Holds what the pages for users show against what the programs print. The first words after a code
// fence say what it is:
//   ```text NAME   output of the example NAME; "..." stands for lines left out
//   ```cpp FILE    lines of examples/FILE
//   ```tutti       a whole IR file in canonical form
//   ```sh          commands, run from the top of the tree; those that install or build are left out

#include <tutti/ir/parse.h>
#include <tutti/ir/print.h>
#include <tutti/ir/verify.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::test {

namespace {

namespace fs = std::filesystem;

const fs::path kTop = TUTTI_SOURCE_DIR;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
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

struct CodeBlock {
  std::string language;
  std::string subject;  // the second word behind the fence
  std::string text;
  std::string where;  // "README.md:12"
};

std::vector<CodeBlock> blocks_of(const std::string& page) {
  std::vector<CodeBlock> out;
  std::istringstream in(read_file(kTop / page));
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
    words >> block.language >> block.subject;
    block.where = page + ":" + std::to_string(number);
  }
  return out;
}

std::vector<std::string> all_pages() {
  std::vector<std::string> pages = {"README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kTop / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(fs::relative(entry.path(), kTop));
  }
  return pages;
}

std::vector<CodeBlock> all_blocks() {
  std::vector<CodeBlock> out;
  for (const std::string& page : all_pages()) {
    for (CodeBlock& block : blocks_of(page)) out.push_back(std::move(block));
  }
  return out;
}

// Whether the block's lines stand in the text: in order, and side by side but for "...".
void expect_shows(const CodeBlock& block, const std::string& text, const std::string& name) {
  const std::vector<std::string> lines = trimmed_lines(text);
  std::vector<std::string> run;
  auto from = lines.begin();
  const auto find_run = [&] {
    if (run.empty()) return;
    const auto found = std::search(from, lines.end(), run.begin(), run.end());
    EXPECT_TRUE(found != lines.end())
        << block.where << ": these lines are not (or not in this order) in " << name << ":\n  "
        << testing::PrintToString(run);
    if (found != lines.end()) from = found + static_cast<std::ptrdiff_t>(run.size());
    run.clear();
  };
  for (const std::string& line : trimmed_lines(block.text)) {
    if (line == "...") {
      find_run();
    } else {
      run.push_back(line);
    }
  }
  find_run();
}

TEST(Docs, OutputIsWhatTheExamplesPrint) {
  std::map<std::string, std::string> outputs;
  for (const CodeBlock& block : all_blocks()) {
    if (block.language != "text" || block.subject.empty()) continue;
    const auto [known, is_new] = outputs.try_emplace(block.subject);
    if (is_new) {
      known->second = run_command({std::string(TUTTI_BINARY_DIR) + "/bin/" + block.subject}).output;
    }
    expect_shows(block, known->second, "the output of " + block.subject);
  }
  EXPECT_FALSE(outputs.empty());
}

TEST(Docs, SourceIsThatOfTheExamples) {
  for (const CodeBlock& block : all_blocks()) {
    if (block.language != "cpp" || block.subject.empty()) continue;
    expect_shows(block, read_file(kTop / "examples" / block.subject), "examples/" + block.subject);
  }
}

TEST(Docs, IrIsCanonical) {
  for (const CodeBlock& block : all_blocks()) {
    if (block.language != "tutti") continue;
    const ir::Module module = ir::parse(block.text, block.where);
    for (const ir::Graph& function : module.functions) ir::verify(function);
    EXPECT_EQ(print(module), block.text) << block.where;
  }
}

TEST(Docs, EveryOpIsDescribed) {
  const std::string page = read_file(kTop / "docs/ir.md");
  for (const ir::Definition& op : ir::definitions()) {
    if (op.op == ir::Op::parameter) continue;  // no op in the text
    EXPECT_THAT(page, testing::HasSubstr("`" + std::string(op.name) + "`"));
  }
}

TEST(Docs, CommandsRun) {
  const auto installs_or_builds = [](const std::string& command) {
    return std::ranges::any_of(std::array{"./scripts/", "scripts/", "cmake ", "git ", "cd "},
                               [&](const char* start) { return command.starts_with(start); });
  };
  int commands = 0;
  for (const CodeBlock& block : all_blocks()) {
    if (block.language != "sh") continue;
    for (std::string command : trimmed_lines(block.text)) {
      if (command.empty() || command.starts_with('#') || installs_or_builds(command)) continue;
      constexpr std::string_view kBuild = "build/release/";
      for (std::size_t at = 0; (at = command.find(kBuild, at)) != std::string::npos;) {
        command.replace(at, kBuild.size(), TUTTI_BINARY_DIR "/");
        at += std::string_view(TUTTI_BINARY_DIR).size();
      }
      const CommandResult result =
          run_command({"/bin/sh", "-c", "cd '" + kTop.string() + "' && " + command});
      EXPECT_EQ(result.status, 0) << block.where << ": " << command << "\n" << result.errors;
      ++commands;
    }
  }
  EXPECT_GT(commands, 0);
}

TEST(Docs, LinksPointAtFiles) {
  for (const std::string& page : all_pages()) {
    bool inside = false;  // of code, where `](` begins a lambda's parameters
    std::istringstream lines(read_file(kTop / page));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("```")) inside = !inside;
      for (std::size_t at = 0; !inside && (at = line.find("](", at)) != std::string::npos;) {
        at += 2;
        const std::string link = line.substr(at, line.find_first_of(")#", at) - at);
        if (link.empty() || link.find("://") != std::string::npos) continue;
        EXPECT_TRUE(fs::exists((kTop / page).parent_path() / link)) << page << ": " << link;
      }
    }
  }
}

}  // namespace

}  // namespace tutti::test
