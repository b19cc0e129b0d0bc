// Holds what the pages for users show against what the programs print. The first words after a code
// fence say what it is:
//   ```text NAME        output of the example NAME; "..." stands for lines left out
//   ```text NAME llvm   the same, in builds with LLVM
//   ```text NAME A=b    the same, with that variable set
//   ```cpp FILE         lines of examples/FILE
//   ```tutti            a whole IR file in canonical form
//   ```sh               commands, run from the top of the tree, a test for each page; those that
//                       build, or run a benchmark, are run by build_commands_slow.cpp

#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/pages.h"
#include <gmock/gmock.h>

namespace tutti::test::docs_test {

namespace {

namespace fs = std::filesystem;

// Whether the block's lines stand in the text: in order, and side by side but for "...".
void expect_shows(const CodeBlock& block, const std::string& text, const std::string& name) {
  const std::vector<std::string> lines = trimmed_lines(text);
  std::vector<std::string> run;
  auto from = lines.begin();
  const auto find_run = [&] {
    if (run.empty()) return;
    const auto found = std::search(from, lines.end(), run.begin(), run.end());
    EXPECT_TRUE(found != lines.end())
        << block.where() << ": these lines are not (or not in this order) in " << name << ":\n  "
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
    if (block.condition == "llvm" && TUTTI_HAS_LLVM == 0) continue;
    const bool has_variable = block.condition.find('=') != std::string::npos;
    const std::string variable = has_variable ? block.condition : "";
    const auto [known, is_new] = outputs.try_emplace(variable + " " + block.subject);
    if (is_new) {
      std::vector<std::string> command = {TUTTI_BINARY_DIR "/bin/" + block.subject};
      if (has_variable) command.insert(command.begin(), {"/usr/bin/env", variable});
      known->second = run_command(command).output;
    }
    expect_shows(block, known->second, "the output of " + block.subject);
  }
  EXPECT_FALSE(outputs.empty());
}

TEST(Docs, SourceIsThatOfTheExamples) {
  for (const CodeBlock& block : all_blocks()) {
    if (block.language != "cpp" || block.subject.empty()) continue;
    expect_shows(block, content_of_source("examples/" + block.subject),
                 "examples/" + block.subject);
  }
}

TEST(Docs, IrIsCanonical) {
  for (const CodeBlock& block : all_blocks()) {
    if (block.language != "tutti") continue;
    const ir::Module module = ir::parse(block.text, block.where());
    for (const ir::Graph& function : module.functions) ir::verify(function);
    EXPECT_EQ(print(module), block.text) << block.where();
  }
}

class Commands : public testing::TestWithParam<PageCommands> {};

// What takes minutes, made short: measurements are only looked up, and training takes two steps.
std::string shortened(std::string command) {
  constexpr std::string_view kSteps = "--steps 200";
  for (const std::string_view measurement : {"bench/compare", "bench/external"}) {
    if (command.starts_with(measurement)) command += " --list";
  }
  const std::size_t steps = command.find(kSteps);
  if (steps != std::string::npos) command.replace(steps, kSteps.size(), "--steps 2 --sample 0");
  return command;
}

TEST_P(Commands, Run) {
  const TemporaryFolder cache;  // not the user's
  for (const PageCommand& command : GetParam().commands) {
    const CommandResult result = run_command(
        {"/bin/sh", "-c",
         "cd '" + source_folder().string() + "' && export TUTTI_CACHE=on TUTTI_CACHE_DIR='" +
             cache.path().string() + "' && " + shortened(command.text)});
    EXPECT_EQ(result.status, 0) << command.where << ": " << command.text << "\n" << result.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Docs, Commands, testing::ValuesIn(commands_of_pages(false)),
                         [](const auto& given) { return given.param.name; });

TEST(Docs, LinksPointAtFiles) {
  for (const std::string& page : all_pages()) {
    bool inside = false;  // of code, where `](` begins a lambda's parameters
    std::istringstream lines(content_of_source(page));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("```")) inside = !inside;
      for (std::size_t at = 0; !inside && (at = line.find("](", at)) != std::string::npos;) {
        at += 2;
        const std::string link = line.substr(at, line.find_first_of(")#", at) - at);
        if (link.empty() || link.find("://") != std::string::npos) continue;
        EXPECT_TRUE(fs::exists((source_folder() / page).parent_path() / link))
            << page << ": " << link;
      }
    }
  }
}

// The names of all tests, "Suite.Test".
std::set<std::string> names_of_tests() {
  const auto trimmed = [](const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \n");
    return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
  };
  std::set<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "tests")) {
    const std::string extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    const std::string text = content_of_source(fs::relative(entry.path(), source_folder()));
    for (std::size_t at = 0; (at = text.find("\nTEST", at)) != text.npos; ++at) {
      const std::size_t begin = text.find('(', at) + 1;
      const std::size_t end = text.find(')', at);
      const std::size_t comma = text.find(',', at);
      if (begin == 0 || end == text.npos || comma > end) continue;
      out.insert(trimmed(text.substr(begin, comma - begin)) + "." +
                 trimmed(text.substr(comma + 1, end - comma - 1)));
    }
  }
  return out;
}

// What has not met hardware is held by a test that there is, or the table says that there is none.
TEST(Docs, PromisesThatHaveNotMetHardwareNameTheirTests) {
  const std::set<std::string> tests = names_of_tests();
  const std::regex name("`([A-Z]\\w+\\.[A-Z]\\w+)`");
  std::istringstream lines(content_of_source("docs/gpu.md"));
  bool inside = false;
  std::size_t promises = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| promise | tests that hold it |")) {
      inside = true;
      std::getline(lines, line);  // that under the titles
      continue;
    }
    if (!line.starts_with("|")) inside = false;
    if (!inside) continue;
    ++promises;
    std::sregex_iterator found(line.begin(), line.end(), name);
    EXPECT_EQ(found == std::sregex_iterator(), line.find("| no test: ") != std::string::npos)
        << line;
    for (; found != std::sregex_iterator(); ++found) {
      EXPECT_TRUE(tests.contains(found->str(1))) << "there is no test " << found->str(1);
    }
  }
  EXPECT_GT(promises, 10U);
}

}  // namespace

}  // namespace tutti::test::docs_test
