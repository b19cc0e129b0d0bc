#include "tests/support/command.h"
#include "tests/tools/npy_file.h"
#include <gmock/gmock.h>

// What is found in wrong passes and engines, which the command does not have: tests/ir/bisect_test.
namespace tutti {
namespace {

using test::CommandResult;
using test::TemporaryFolder;
using testing::HasSubstr;

const std::string kProgram = R"(group @g = {ranks = [0, 1]}
func @f(%x: f32[8,4], %n: i32[8]) {
  %0 = softmax(%x) {axis = 1}
  %1 = sum(%0) {axes = [0]}
  %2 = all_reduce(%1) {op = "sum", group = @g}
  %3 = wait(%2)
  %4 = identity(%n)
  return %3, %4
}
)";

class Bisect : public testing::Test {
 protected:
  CommandResult bisect(const std::string& program, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {TUTTI_BINARY_DIR "/bin/tutti", "bisect", folder_.write("p.tutti", program)});
    return test::run_command(arguments);
  }
  void expect_refused(const CommandResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.errors, HasSubstr(message));
  }

  TemporaryFolder folder_;
};

TEST_F(Bisect, SaysThatThePassesAreInnocent) {
  const CommandResult result = bisect(kProgram, {"--compiled"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output,
            "@f, 7 nodes on 2 ranks, random inputs from seed 0\n"
            "  decompose       same results\n"
            "  fold_constants  changed nothing\n"
            "  canonicalize    same results\n"
            "  cse             changed nothing\n"
            "  dce             changed nothing\n"
            "  simplify_loops  changed nothing\n"
            "  place           changed nothing\n"
            "  fuse            same results\n"
            "  compiled        same results\n");
}

TEST_F(Bisect, RunsOnlyThePassesThatAreNamed) {
  const CommandResult result = bisect(kProgram, {"--pass", "cse,dce,cse", "--disable", "dce"});
  EXPECT_EQ(result.output,
            "@f, 7 nodes on 2 ranks, random inputs from seed 0\n"
            "  cse             changed nothing\n  cse             changed nothing\n");
}

TEST_F(Bisect, CompilesWhatTheNamedPassesLeave) {
  EXPECT_EQ(bisect(kProgram, {"--pass", "decompose", "--compiled"}).status, 0);
}

// Exp of the host's code and of the interpreter differ in their last bits.
TEST_F(Bisect, NamesTheNodeWhoseCodeDiffersByMoreThanTheTolerance) {
  const CommandResult result =
      bisect("func @f(%x: f32[999]) {\n  %0 = neg(%x)\n  %1 = exp(%0)\n  return %1\n}",
             {"--compiled", "--tolerance", "0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("  compiled        WRONG\n"));
  EXPECT_THAT(result.output, HasSubstr("the passes are innocent, but compiled result 0 on rank 0"));
  EXPECT_THAT(result.output, HasSubstr("to blame is the code of one node: %1 on rank 0 differs"));
  EXPECT_THAT(result.output, HasSubstr("  %1 = exp(%0)"));
}

TEST_F(Bisect, ReadsInputs) {
  const std::string x = folder_.write("x.npy", test::npy_array<float>("<f4", "(2,)", {1, 2}));
  const std::string program = "func @f(%x: f32[2]) {\n  %0 = exp(%x)\n  return %0\n}";
  const CommandResult result = bisect(program, {"--input", "x=" + x});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("@f, 2 nodes on 1 rank\n"));
  expect_refused(bisect(program, {"--input", "y=" + x}), 2, "no parameter %y");
  expect_refused(bisect(program, {"--input", "x=" + x, "--random", "1"}), 2, "--random");
}

TEST_F(Bisect, RefusesWrongUsageAndWrongFiles) {
  expect_refused(bisect(kProgram, {"--pass", "fusee"}), 2, "did you mean 'fuse'?");
  expect_refused(bisect(kProgram, {"--tolerance", "-1"}), 2, "--tolerance");
  expect_refused(bisect("func @f() { %0 = nek()\nreturn }"), 1, "unknown op 'nek'");
  expect_refused(bisect(kProgram, {"--ranks", "1"}), 1, "rank");
}

}  // namespace
}  // namespace tutti
