#pragma once

#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/tools/npy_file.h"
#include <gmock/gmock.h>

// What the tests of `tutti run` share: programs and arrays in a folder of the test's own.
namespace tutti::test {

class RunsPrograms : public testing::Test {
 protected:
  // Runs `tutti run` on a program.
  CommandResult run(const std::string& program, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {TUTTI_BINARY_DIR "/bin/tutti", "run", folder_.write("p.tutti", program)});
    return run_command(arguments);
  }
  // What it prints, of runs that have to succeed.
  std::string output(const std::string& program, const std::vector<std::string>& arguments) {
    const CommandResult result = run(program, arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
  static void expect_refused(const CommandResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.errors, testing::HasSubstr(message));
    EXPECT_EQ(result.output, "");
  }
  // Writes a .npy file and gives its path.
  std::string vector(const std::string& name, const std::vector<float>& values) {
    return folder_.write(
        name, npy_array<float>("<f4", "(" + std::to_string(values.size()) + ",)", values));
  }
  std::string path(const std::string& name) { return folder_.path() / name; }

  TemporaryFolder folder_;
};

}  // namespace tutti::test
