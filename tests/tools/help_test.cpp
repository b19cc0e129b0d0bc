#include <cstdlib>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti {
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
  EXPECT_THAT(result.output, HasSubstr("\n      engine=llvm|evaluate\n"));
  EXPECT_THAT(result.output, HasSubstr("fold_constants  computes what depends on small"));
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Help, ExplainsACommand) {
  EXPECT_THAT(tutti_command({"help", "run"}).output, HasSubstr("--compile-only"));
  EXPECT_EQ(tutti_command({"help"}).output, tutti_command({"--help"}).output);
  EXPECT_THAT(tutti_command({"--help"}).output, HasSubstr("tutti help env"));
}

TEST(Help, RefusesWhatItDoesNotKnow) {
  const CommandResult result = tutti_command({"help", "enf"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, "there is no help on 'enf'; did you mean 'env'?\n");
}

}  // namespace
}  // namespace tutti
