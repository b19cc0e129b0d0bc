#include "tests/support/command.h"
#include "tests/support/environment_variable.h"
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace tutti::opt_test {
namespace {

using test::CommandResult;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kProgram = R"(func @f(%x: f32[4]) {
  %0 = identity(%x)
  %1 = tanh(%0)
  %2 = tanh(%0)
  %3 = add(%1, %2)
  return %3
}
func @g(%x: f32[4]) {
  %0 = identity(%x)
  return %0
}
)";

class Opt : public testing::Test {
 protected:
  CommandResult opt(const std::string& program, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {TUTTI_BINARY_DIR "/bin/tutti", "opt", folder_.write("p.tutti", program)});
    return test::run_command(arguments);
  }
  void expect_refused(const CommandResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(result.output, "");
  }
  std::string path(const std::string& name) { return folder_.path() / name; }

  TemporaryFolder folder_;
};

TEST_F(Opt, RunsPassesInTheirOrderOverAllFunctions) {
  const CommandResult result = opt(kProgram, {"--pass", "canonicalize,cse", "--pass", "dce"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output,
            "// tutti ir 1\n\nfunc @f(%x: f32[4]) -> (f32[4]) {\n  %0 = tanh(%x) : f32[4]\n"
            "  %1 = add(%0, %0) : f32[4]\n  return %1\n}\n\n"
            "func @g(%x: f32[4]) -> (f32[4]) {\n  return %x\n}\n");
}

TEST_F(Opt, ChecksAfterEachPassUnlessToldNotTo) {
  const std::string checked = opt(kProgram).output;
  EXPECT_EQ(opt(kProgram, {"--verify-each"}).output, checked);
  EXPECT_EQ(opt(kProgram, {"--no-verify-each"}).output, checked);
}

TEST_F(Opt, RunsTheCompilersPassesIfNothingIsSaid) {
  const CommandResult result = opt(kProgram);
  EXPECT_THAT(result.output, HasSubstr("fusion = 0"));
  EXPECT_EQ(opt(kProgram, {"--pass", "default"}).output, result.output);
  EXPECT_EQ(opt(result.output, {"--pass", "none"}).output, result.output);
}

TEST_F(Opt, ChangesOneFunctionIfItIsNamed) {
  const CommandResult result = opt(kProgram, {"--function", "g"});
  EXPECT_THAT(result.output, HasSubstr("%0 = identity(%x) : f32[4]\n  %1 = tanh"));
  EXPECT_THAT(result.output, HasSubstr("{\n  return %x\n}"));
  EXPECT_EQ(opt(kProgram, {"--function", "@g"}).output, result.output);
  expect_refused(opt(kProgram, {"--function", "h"}), 2, "has no function @h");
}

TEST_F(Opt, LeavesPassesOut) {
  const std::string all = opt(kProgram, {"--disable", "cse,fuse"}).output;
  EXPECT_THAT(all, HasSubstr("%1 = tanh(%x) : f32[4]\n"));
  EXPECT_THAT(all, Not(HasSubstr("fusion")));
  const std::string some = opt(kProgram, {"--stop-after", "canonicalize"}).output;
  EXPECT_THAT(some, HasSubstr("%1 = tanh(%x) : f32[4]\n"));
}

TEST_F(Opt, LeavesOutOfTheCompilersPassesWhatTheEnvironmentSays) {
  const std::string all = opt(kProgram, {"--pass", "default"}).output;
  const std::string without = opt(kProgram, {"--disable", "cse,fuse"}).output;
  const test::EnvironmentVariable disable("TUTTI_DISABLE", "cse");
  EXPECT_EQ(opt(kProgram, {"--disable", "fuse"}).output, without);
  EXPECT_EQ(opt(kProgram, {"--pass", "default"}).output, all);
}

TEST_F(Opt, ShowsWhatEachPassChanged) {
  const CommandResult result =
      opt(kProgram, {"--print-changed", "--no-output", "--function", "f", "--stop-after", "dce"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "--- @f before canonicalize\n+++ @f after canonicalize\n@@ -1,9 +1,8 @@\n"
            " // tutti ir 1\n \n func @f(%x: f32[4]) -> (f32[4]) {\n"
            "-  %0 = identity(%x) : f32[4]\n-  %1 = tanh(%0) : f32[4]\n"
            "-  %2 = tanh(%0) : f32[4]\n+  %1 = tanh(%x) : f32[4]\n+  %2 = tanh(%x) : f32[4]\n"
            "   %3 = add(%1, %2) : f32[4]\n   return %3\n }\n"
            "--- @f before cse\n+++ @f after cse\n@@ -2,7 +2,6 @@\n \n"
            " func @f(%x: f32[4]) -> (f32[4]) {\n   %0 = tanh(%x) : f32[4]\n"
            "-  %1 = tanh(%x) : f32[4]\n-  %2 = add(%0, %1) : f32[4]\n"
            "+  %2 = add(%0, %0) : f32[4]\n   return %2\n }\n");
}

TEST_F(Opt, PrintsTheProgramAfterEachPassThatChangedIt) {
  const CommandResult result =
      opt(kProgram, {"--print-after-all", "--no-output", "--function", "f", "--disable", "fuse"});
  EXPECT_THAT(result.errors, StartsWith("// @f after canonicalize\n// tutti ir 1\n"));
  EXPECT_THAT(result.errors, HasSubstr("// @f after cse\n// tutti ir 1\n"));
  EXPECT_THAT(result.errors, Not(HasSubstr("after dce")));
}

TEST_F(Opt, TimesPassesAndCountsNodes) {
  const CommandResult result = opt(kProgram, {"--time-passes", "--pass", "canonicalize,cse"});
  EXPECT_THAT(result.output, StartsWith("// tutti ir 1\n"));
  EXPECT_THAT(result.errors, testing::ContainsRegex("@f\n  pass +time +nodes +after\n"
                                                    "  canonicalize .* 5 +4\n  cse .* 4 +3\n"
                                                    "  total .* 5 +3\n"));
  EXPECT_THAT(result.errors,
              testing::ContainsRegex("all 2 functions\n.*\n  canonicalize .* 7 +5\n"));
}

const std::string kLoop = R"(private func @cell(%h: f32[4]) {
  %0 = identity(%h)
  %1 = tanh(%0)
  return %1
}
func @f(%h: f32[4]) {
  %0 = identity(%h)
  %1 = scan(%0) {body = @cell, carries = 1, sequences = 0, length = 3}
  return %1
}
)";

TEST_F(Opt, ShowsWhatChangedInsideOfLoops) {
  const CommandResult result =
      opt(kLoop, {"--print-changed", "--no-output", "--stop-after", "canonicalize"});
  EXPECT_EQ(result.errors,
            "--- @f before canonicalize\n+++ @f after canonicalize\n@@ -1,13 +1,11 @@\n"
            " // tutti ir 1\n \n private func @cell(%h: f32[4]) -> (f32[4]) {\n"
            "-  %0 = identity(%h) : f32[4]\n-  %1 = tanh(%0) : f32[4]\n"
            "+  %1 = tanh(%h) : f32[4]\n   return %1\n }\n \n"
            " func @f(%h: f32[4]) -> (f32[4]) {\n-  %0 = identity(%h) : f32[4]\n"
            "-  %1 = scan(%0) {body = @cell, carries = 1, sequences = 0, length = 3} : f32[4]\n"
            "+  %1 = scan(%h) {body = @cell, carries = 1, sequences = 0, length = 3} : f32[4]\n"
            "   return %1\n }\n");
}

TEST_F(Opt, TimesSayWhatPartTheFunctionsOfLoopsHave) {
  const CommandResult result =
      opt(kLoop, {"--time-passes", "--no-output", "--pass", "canonicalize,dce"});
  EXPECT_THAT(result.errors, testing::ContainsRegex("@f\n  pass +time +nodes +after\n"
                                                    "  canonicalize .* 6 +4\n  dce .* 4 +4\n"
                                                    "  total .* 6 +4\n    in @cell .* 3 +2\n$"));
}

TEST_F(Opt, WritesAFileOrNothing) {
  EXPECT_EQ(opt(kProgram, {"-o", path("out.tutti"), "--pass", "none"}).output, "");
  EXPECT_THAT(folder_.read("out.tutti"), HasSubstr("func @g"));
  expect_refused(opt("func @f() { %0 = nek()\nreturn }", {"-o", path("out.tutti")}), 1,
                 "unknown op 'nek'");
  EXPECT_THAT(folder_.read("out.tutti"), HasSubstr("func @g"));
  expect_refused(opt(kProgram, {"-o", path("no/out.tutti")}), 1, "out.tutti: cannot be written");
  EXPECT_EQ(opt(kProgram, {"-o", "/dev/null"}).status, 0);
  struct stat status{};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(Opt, ReadsTheStandardInput) {
  const CommandResult result =
      test::run_command({"/bin/sh", "-c",
                         "'" TUTTI_BINARY_DIR "/bin/tutti' opt - --pass dce < '" +
                             folder_.write("p", kProgram) + "'"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("func @f"));
}

TEST_F(Opt, ListsPassesAndPipelines) {
  const CommandResult result = test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "opt", "--list"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("  cse             merges nodes that compute the same\n"));
  EXPECT_THAT(result.output, HasSubstr("  default         all passes"));
}

TEST_F(Opt, ChecksThatTheProgramFitsOnRanks) {
  const std::string program = R"(group @g = {ranks = [0, 1]}
    func @f(%x: f32[4]) {
      %0 = all_reduce(%x) {op = "sum", group = @g}
      return %0
    })";
  EXPECT_EQ(opt(program, {"--ranks", "2"}).status, 0);
  expect_refused(opt(program, {"--ranks", "1"}), 1,
                 "@f does not fit on 1 rank as it is read: group \"g\"");
}

TEST_F(Opt, ExitsWith2ForWrongUsage) {
  expect_refused(opt(kProgram, {"--pass", "csee"}), 2,
                 "there is no pass 'csee'; did you mean 'cse'?");
  expect_refused(opt(kProgram, {"--disable", "fusion"}), 2, "no pass 'fusion' to disable");
  expect_refused(opt(kProgram, {"--stop-after", "fuse", "--pass", "cse"}), 2,
                 "--stop-after: the pass 'fuse' is not run");
  expect_refused(opt(kProgram, {"--no-output", "-o", "x"}), 2, "--no-output");
  EXPECT_EQ(test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "opt"}).status, 2);
}

}  // namespace
}  // namespace tutti::opt_test
