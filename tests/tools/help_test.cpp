#include <cstdlib>
#include <sstream>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::help_test {
namespace {

using test::CommandResult;
using testing::HasSubstr;

CommandResult tutti_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {TUTTI_BINARY_DIR "/bin/tutti"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return test::run_command(command);
}

TEST(Help, ListsEnvironmentVariablesWithTheirValues) {
  ::setenv("TUTTI_DUMP", "trace,plan", 1);
  ::setenv("TUTTI_LOG", "recompile", 1);
  const CommandResult result = tutti_command({"help", "env"});
  EXPECT_EQ(tutti_command({"--help", "env"}).output, result.output);
  ::unsetenv("TUTTI_DUMP");
  ::unsetenv("TUTTI_LOG");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\n  TUTTI_DUMP=STAGE,...\n"));
  EXPECT_THAT(result.output, HasSubstr("\n      Now: trace,plan\n"));
  EXPECT_THAT(result.output, HasSubstr("\n      That is a mistake: TUTTI_LOG is \"recompile\";"));
  EXPECT_THAT(result.output, HasSubstr("\n      kernels=llvm|evaluate\n"));
  EXPECT_THAT(result.output, HasSubstr("fold_constants  computes what depends on small"));
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Help, ExplainsACommand) {
  EXPECT_THAT(tutti_command({"help", "run"}).output, HasSubstr("--compile-only"));
  EXPECT_EQ(tutti_command({"help"}).output, tutti_command({"--help"}).output);
  EXPECT_THAT(tutti_command({"--help"}).output, HasSubstr("tutti help env"));
}

TEST(Help, ExamplesUseOptionsThatThereAre) {
  for (const std::string command : {"run", "emit", "import", "export", "diff", "opt", "bisect",
                                    "reduce", "show", "comm-test"}) {
    const std::string text = tutti_command({"help", command}).output;
    const std::size_t begin = text.find("\nExamples:\n  tutti ");
    ASSERT_NE(begin, text.npos) << command;
    EXPECT_THAT(text, HasSubstr("\nExit codes: 0; 1 for ")) << command;
    std::istringstream examples(text.substr(begin));
    for (std::string line; std::getline(examples, line);) {
      // Those of one command: no pipes, and none inside of another.
      if (line.rfind("tutti ") != 2) continue;
      std::istringstream words(line);
      for (std::string word; words >> word;) {
        if (!word.starts_with("-") || word == "-") continue;
        EXPECT_LT(text.find(word), begin) << line;
      }
    }
  }
}

TEST(Help, SaysItsVersion) {
  EXPECT_THAT(tutti_command({"--version"}).output, testing::StartsWith("tutti "));
}

TEST(Help, TellsWhatMayHaveBeenMeant) {
  const auto expect_message = [](const std::vector<std::string>& arguments,
                                 const std::string& message) {
    const CommandResult result = tutti_command(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.errors, message);
    EXPECT_EQ(result.output, "");
  };
  expect_message({"rnu", "f"},
                 "tutti has no command 'rnu'; did you mean 'run'?\n"
                 "`tutti --help` lists the commands.\n");
  expect_message({}, "tutti needs a command\n`tutti --help` lists the commands.\n");
  expect_message({"cache", "lss"},
                 "tutti cache has no command 'lss'; did you mean 'ls'?\n"
                 "`tutti cache --help` lists the commands.\n");
  expect_message({"run", "f", "--rnadom=1"},
                 "tutti run has no option --rnadom; did you mean '--random'?\n"
                 "`tutti run --help` lists the options.\n");
  expect_message({"run", "f", "g"},
                 "tutti run has no use for 'g'\n`tutti run --help` lists the options.\n");
  expect_message({"run"}, "FILE is required\n`tutti run --help` lists the options.\n");
  expect_message({"--bogus", "run", "f"},
                 "tutti has no option --bogus\n`tutti --help` lists the commands.\n");
  expect_message({"--bogus"}, "tutti has no option --bogus\n`tutti --help` lists the commands.\n");
}

TEST(Help, SaysThatOutputIsLost) {
  const CommandResult result =
      test::run_command({"/bin/sh", "-c", TUTTI_BINARY_DIR "/bin/tutti ops > /dev/full"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "standard output: cannot be written\n");
}

TEST(Help, RefusesWhatItDoesNotKnow) {
  const CommandResult result = tutti_command({"help", "enf"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, "there is no help on 'enf'; did you mean 'env'?\n");
}

}  // namespace
}  // namespace tutti::help_test
