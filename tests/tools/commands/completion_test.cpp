#include <algorithm>
#include <sstream>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::completion_test {
namespace {

using test::CommandResult;
using testing::HasSubstr;

constexpr const char* kTutti = TUTTI_BINARY_DIR "/bin/tutti";
constexpr const char* kShells[] = {"bash", "zsh", "fish"};

std::string script(const std::string& shell) {
  const CommandResult result = test::run_command({kTutti, "completion", shell});
  EXPECT_EQ(result.status, 0) << result.errors;
  return result.output;
}

std::string help(const std::string& command) {
  std::vector<std::string> words = {kTutti, "--help"};
  if (!command.empty()) words = {kTutti, command, "--help"};
  return test::run_command(words).output;
}

// The first words of the lines below "Subcommands:".
std::vector<std::string> commands_in(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  bool below = false;
  for (std::string line; std::getline(lines, line);) {
    if (below && line.starts_with("  ") && line[2] != ' ') {
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    below = line == "Subcommands:" || (below && !line.empty());
  }
  return out;
}

// All that begins with "--" at the beginnings of lines.
std::vector<std::string> options_in(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  -")) continue;
    const std::size_t begin = line.find("--");
    if (begin == line.npos || begin > 6) continue;
    out.push_back(line.substr(begin + 2, line.find_first_of(" ,[", begin) - begin - 2));
  }
  return out;
}

// Completes the last of some words; bash's answer, sorted.
std::vector<std::string> completed(const std::vector<std::string>& words) {
  std::string command = "source <(" + std::string(kTutti) + " completion bash); COMP_WORDS=(tutti";
  for (const std::string& word : words) command += " '" + word + "'";
  command += "); COMP_CWORD=" + std::to_string(words.size()) +
             "; _tutti; printf '%s\\n' \"${COMPREPLY[@]}\"";
  std::istringstream lines(test::run_command({"/bin/bash", "-c", command}).output);
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) out.push_back(line);
  }
  std::ranges::sort(out);
  return out;
}

TEST(Completion, KnowsEveryCommandAndLongOption) {
  const std::vector<std::string> commands = commands_in(help(""));
  EXPECT_GT(commands.size(), 8U);
  for (const char* const shell : kShells) {
    const std::string text = script(shell);
    for (const std::string& command : commands) {
      EXPECT_THAT(text, HasSubstr(command));
      const std::vector<std::string> options = options_in(help(command));
      EXPECT_FALSE(options.empty()) << command;
      for (const std::string& option : options) {
        const bool is_fish = shell == std::string("fish");
        EXPECT_THAT(text, HasSubstr((is_fish ? "-l " : "--") + option)) << shell << " " << command;
      }
    }
  }
}

TEST(Completion, HidesWhatIsHidden) {
  for (const char* const shell : kShells) {
    EXPECT_THAT(script(shell), testing::Not(HasSubstr("as-rank")));
  }
}

TEST(Completion, IsAcceptedByTheShells) {
  const test::TemporaryFolder folder;
  for (const std::string shell : kShells) {
    const std::string path = folder.write("script", script(shell));
    const CommandResult found = test::run_command({"/bin/sh", "-c", "command -v " + shell});
    if (found.status != 0) continue;  // bash is always there in the next test
    const CommandResult result = test::run_command({"/usr/bin/env", shell, "-n", path});
    EXPECT_EQ(result.status, 0) << shell << ": " << result.errors;
    EXPECT_EQ(result.errors, "");
  }
}

TEST(Completion, OfBashCompletesWords) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(completed({"com"}), Words({"comm-test", "completion"}));
  EXPECT_EQ(completed({"run", "--comp"}), Words({"--compile-only"}));
  EXPECT_EQ(completed({"cache", "v"}), Words({"verify"}));
  EXPECT_EQ(completed({"cache", "verify", "--r"}), Words({"--remove"}));
  EXPECT_EQ(completed({"emit", "--stage", "pl"}), Words({"place", "plan"}));
  EXPECT_EQ(completed({"emit", "--stage", "=", "pl"}), Words({"place", "plan"}));
  EXPECT_EQ(completed({"completion", ""}), Words({"bash", "fish", "zsh"}));
  EXPECT_EQ(completed({"launch", "-n", "2", "--", "pro"}), Words());
  EXPECT_EQ(completed({"run", "no-such-file"}), Words());
}

TEST(Completion, RefusesOtherShells) {
  const CommandResult result = test::run_command({kTutti, "completion", "cmd"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("cmd not in {bash,zsh,fish}"));
}

}  // namespace
}  // namespace tutti::completion_test
