
#include "tests/support/command.h"
#include "tests/tools/npy_file.h"
#include <gmock/gmock.h>

// What is found in wrong passes and engines, which the command does not have: tests/ir/bisect_test.
namespace tutti::bisect_test {
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
            "  bound_sizes     changed nothing\n"
            "  skip_zeros      changed nothing\n"
            "  decompose       same results\n"
            "  fold_constants  changed nothing\n"
            "  canonicalize    same results\n"
            "  cse             changed nothing\n"
            "  dce             changed nothing\n"
            "  sum_spreads     changed nothing\n"
            "  split_parts     changed nothing\n"
            "  simplify_loops  changed nothing\n"
            "  select_parts    changed nothing\n"
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

// Exp of the host's code and of the interpreter differ in their last bits; without LLVM both are
// the same code.
TEST_F(Bisect, NamesTheNodeWhoseCodeDiffersByMoreThanTheTolerance) {
  if (TUTTI_HAS_LLVM == 0) GTEST_SKIP() << "this build has no LLVM";
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

// A stage that works on an input of its own, in a loop, before all ranks add up.
std::string stage(const std::string& op, const std::string& input) {
  return "group @g = {ranks = [0, 1]}\nprivate func @cell(%h: f32[2]) {\n  %0 = identity(%h)\n"
         "  %1 = " +
         op + "(%0)\n  return %1\n}\nfunc @stage(%" + input + ": f32[2]) {\n  %0 = scan(%" + input +
         ") {body = @cell, carries = 1, sequences = 0, length = 2}\n"
         "  %1 = all_reduce(%0) {op = \"sum\", group = @g}\n  %2 = wait(%1)\n  return %2\n}\n";
}

TEST_F(Bisect, TakesAProgramForEachRank) {
  const auto bisect_ranks = [&](std::vector<std::string> arguments) {
    const std::string folder = folder_.path() / "ranks";
    arguments.insert(arguments.begin(),
                     {TUTTI_BINARY_DIR "/bin/tutti", "bisect", "--ranks", folder});
    return test::run_command(arguments);
  };
  folder_.write("ranks/rank0.tutti", stage("sin", "x"));
  folder_.write("ranks/rank1.tutti", stage("tanh", "y"));
  const CommandResult result = bisect_ranks({"--compiled", "--pass", "canonicalize,cse"});
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output,
            "2 programs @stage of 7 nodes on 2 ranks, random inputs from seed 0\n"
            "  canonicalize    same results\n  cse             changed nothing\n"
            "  compiled        same results\n");
  // Each input goes to the programs that take it.
  const std::string array = folder_.write("x.npy", test::npy_array<float>("<f4", "(2,)", {1, 2}));
  EXPECT_EQ(bisect_ranks({"--input", "x=" + array, "--input", "y=" + array}).status, 0);
  expect_refused(bisect_ranks({"--input", "x=" + array}), 2, "no input for %y of @stage on rank 1");
  expect_refused(bisect_ranks({"--input", "z=" + array}), 2, "no parameter %z");
  expect_refused(bisect_ranks({"--function", "step"}), 2, "has no function @step");
  folder_.write("ranks/rank1.tutti", stage("sin", "x"));
  EXPECT_THAT(bisect_ranks({}).output, HasSubstr("@stage, 7 nodes on 2 ranks, random"));
  folder_.write("ranks/rank1.tutti", "func @stage(%x: f32[2]) { return %x }");
  expect_refused(bisect_ranks({}), 1, "all_reduce");
  folder_.write("ranks/rank2.tutti", "func @stage(%x: f32[2]) { %0 = nek(%x)\nreturn %0 }");
  expect_refused(bisect_ranks({}), 1, "rank2.tutti:1:32: unknown op 'nek'");
}

TEST_F(Bisect, RefusesAProgramForMoreRanksThanThereAre) {
  folder_.write("one/rank0.tutti", stage("sin", "x"));
  expect_refused(test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "bisect", "--ranks",
                                    std::string(folder_.path() / "one")}),
                 2, "@stage is for 2 ranks, but ");
}

TEST_F(Bisect, RefusesWrongUsageAndWrongFiles) {
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  expect_refused(test::run_command({tutti, "bisect"}), 2, "FILE, or --ranks DIR, is required");
  expect_refused(test::run_command({tutti, "bisect", folder_.path()}), 1, "as --ranks DIR");
  expect_refused(bisect(stage("sin", "x"), {"--function", "cell"}), 2,
                 "is private: it goes with @stage");
  expect_refused(bisect(kProgram, {"--ranks", "0"}), 2, "1 to 4096 ranks, not 0");
  expect_refused(bisect(kProgram, {"--ranks", "two"}), 2, "'two' is no number of ranks");
  expect_refused(test::run_command({tutti, "bisect", "--ranks", folder_.path() / "no"}), 1,
                 "no: cannot be read");
  expect_refused(bisect(kProgram, {"--pass", "fusee"}), 2, "did you mean 'fuse'?");
  expect_refused(bisect(kProgram, {"--tolerance", "-1"}), 2, "--tolerance");
  expect_refused(bisect("func @f() { %0 = nek()\nreturn }"), 1, "unknown op 'nek'");
  expect_refused(bisect(kProgram, {"--ranks", "1"}), 1, "rank");
}

}  // namespace
}  // namespace tutti::bisect_test
