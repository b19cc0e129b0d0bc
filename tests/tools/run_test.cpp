#include <cstdlib>
#include <regex>

#include "tests/support/allocation_count.h"
#include "tests/support/command.h"
#include "tests/tools/run_testing.h"
#include <gmock/gmock.h>

namespace tutti::run_test {
namespace {

using test::CommandResult;
using test::npy_array;
using testing::HasSubstr;

class Run : public test::RunsPrograms {
 protected:
  std::string out() { return path("out"); }
};

const std::string kAdd = R"(
func @f(%x: f32[2], %y: f32[2]) {
  %0 = add(%x, %y)
  %1 = sum(%0) {axes = [0]}
  return %0, %1, %x
})";

const std::string kAllReduce = R"(
group @g = {ranks = [0, 1, 2]}
func @f(%x: f32[1]) {
  %0 = all_reduce(%x) {op = "sum", group = @g}
  %1 = wait(%0)
  return %1, %x
})";

TEST_F(Run, WritesResultsInTheirOrder) {
  const CommandResult result = run(kAdd, {"--input", "x=" + vector("x.npy", {1, 2}), "--input",
                                          "y=" + vector("y.npy", {10, 20}), "--output", out()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(folder_.read("out/0.npy"), npy_array<float>("<f4", "(2,)", {11, 22}));
  EXPECT_EQ(folder_.read("out/1.npy"), npy_array<float>("<f4", "()", {33}));
  EXPECT_EQ(folder_.read("out/2.npy"), npy_array<float>("<f4", "(2,)", {1, 2}));
}

TEST_F(Run, FindsConstantsBesideTheProgramFromAnywhere) {
  folder_.write("data.bin", std::string(4, '\1') + std::string(4, '\2'));
  const std::string program =
      "func @f() {\n  %0 = constant() {value = i32[2] file(\"data.bin\")}\n"
      "  return %0\n}\n";
  const CommandResult result = run(program, {"--interpret"});
  EXPECT_EQ(result.output, "i32[2] [16843009, 33686018]\n") << result.errors;
  const CommandResult missing =
      run(std::regex_replace(program, std::regex("data"), "none"), {"--interpret"});
  expect_refused(missing, 1, "p.tutti:2:");
}

TEST_F(Run, PrintsResultsWithoutAPlaceForThem) {
  const CommandResult result = run(kAdd, {"--input", "x=" + vector("x.npy", {1, 2}), "--input",
                                          "y=" + vector("y.npy", {10, 20}), "--interpret"});
  EXPECT_EQ(result.output, "f32[2] [11, 22]\nf32[] 33\nf32[2] [1, 2]\n");
}

TEST_F(Run, OnRanksWithTheSameInput) {
  const CommandResult result =
      run(kAllReduce, {"--input", "x=" + vector("x.npy", {2}), "--output", out()});
  EXPECT_EQ(result.status, 0) << result.errors;
  for (const std::string rank : {"0", "1", "2"}) {
    EXPECT_EQ(folder_.read("out/rank" + rank + "/0.npy"), npy_array<float>("<f4", "(1,)", {6}));
  }
}

TEST_F(Run, OnRanksThatOnlyALoopNames) {
  const std::string program = R"(
group @g = {ranks = [0, 1]}
private func @step(%h: f32[1]) {
  %0 = all_reduce(%h) {op = "sum", group = @g}
  %1 = wait(%0)
  return %1
}
func @f(%h: f32[1]) {
  %0 = scan(%h) {body = @step, carries = 1, sequences = 0, length = 2}
  return %0
})";
  const CommandResult result = run(program, {"--input", "h=" + vector("h.npy", {2})});
  EXPECT_EQ(result.output, "rank 0\nf32[1] [8]\nrank 1\nf32[1] [8]\n") << result.errors;
}

TEST_F(Run, OnRanksWithTheirOwnInputs) {
  for (int rank = 0; rank < 3; ++rank) {
    vector("in/rank" + std::to_string(rank) + "/x.npy", {static_cast<float>(1 << rank)});
  }
  const std::string folder = folder_.path() / "in";
  for (const std::string& input : {folder, "x=" + folder + "/rank{rank}/x.npy"}) {
    const CommandResult result = run(kAllReduce, {"--input", input});
    EXPECT_EQ(result.output,
              "rank 0\nf32[1] [7]\nf32[1] [1]\nrank 1\nf32[1] [7]\nf32[1] [2]\n"
              "rank 2\nf32[1] [7]\nf32[1] [4]\n")
        << result.errors;
  }
  // A file named for itself goes before the folder's.
  const CommandResult mixed =
      run(kAllReduce, {"--input", folder, "--input", "x=" + vector("x.npy", {1})});
  EXPECT_THAT(mixed.output, HasSubstr("f32[1] [3]"));
}

TEST_F(Run, ChoosesAFunction) {
  const std::string two =
      "func @a() { %0 = constant() {value = i32[] 1}\nreturn %0 }\nfunc @b() { return }\n";
  EXPECT_EQ(run(two, {"--function", "a"}).output, "i32[] 1\n");
  expect_refused(run(two), 2, "has several functions, @a, @b; choose one with --function");
  expect_refused(run(two, {"--function", "c"}), 2, "has no function @c; did you mean");
  expect_refused(run("// tutti ir 1\n"), 1, "p.tutti: has no function");
}

TEST_F(Run, ExitsWith1ForErrorsInFiles) {
  expect_refused(run("func @f() { %0 = nek()\nreturn }"), 1, "p.tutti:1:18: unknown op 'nek'");
  expect_refused(run("mesh (dp = 2)\ngroup @g = {ranks = [0..3]}\nfunc @f() { barrier() {group = "
                     "@g}\nreturn }"),
                 1, "p.tutti: @f: barrier() {group = @g}: group \"g\" names rank 2");
  expect_refused(run(kAdd, {"--input", "x=" + vector("x.npy", {1, 2, 3}), "--input", "y=y.npy"}), 1,
                 "%x of @f is f32[2], but the file holds f32[3]");
  expect_refused(run(kAdd, {"--input", "x=nowhere.npy"}), 1, "nowhere.npy: no such file");
  expect_refused(run("func @f(%x: f32[1]) { return %x }",
                     {"--input", "x=" + vector("x.npy", {1}), "--output", vector("file", {})}),
                 1, "cannot be made");
  expect_refused(run("func @f(%x: f32[1]) { return %x }",
                     {"--input", "x=" + vector("x.npy", {1}), "--output", std::string(300, 'a')}),
                 1, "cannot be made: File name too long");
  expect_refused(run(kAllReduce, {"--input", "x=" + vector("x.npy", {1}), "--ranks", "2"}), 1,
                 "names rank 2 of 2 ranks");
  expect_refused(run("func @f() { %0 = iota() {dtype = i32, shape = [1000000000000000], axis = "
                     "0}\nreturn %0 }"),
                 1, "out of memory");
}

TEST_F(Run, SaysWhichInputHasNoRoom) {
  if (!test::counts_allocations()) GTEST_SKIP() << "the sanitizer ends who asks for so much";
  const CommandResult result = run(R"(
func @f(%x: f32[281474976710656]) {
  %0 = sum(%x) {axes = [0]}
  return %0
})",
                                   {"--random", "1"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("%x, f32[281474976710656], takes 1125899906842624 bytes"));
}

TEST_F(Run, ExitsWith2ForWrongUsage) {
  expect_refused(run(kAdd), 2, "no input for %x of @f on rank 0; give --input x=FILE.npy");
  expect_refused(run(kAdd, {"--input", "z=z.npy"}), 2, "@f has no parameter %z; did you mean 'x'?");
  expect_refused(run(kAdd, {"--input", "x=a", "--input", "x=b"}), 2, "--input gives %x twice");
  expect_refused(run(kAdd, {"--input", "nowhere"}), 2, "which 'nowhere' is not");
  expect_refused(run(kAdd, {"--colour"}), 2, "--colour");
  expect_refused(run(kAdd, {"--ranks", "0"}), 2, "--ranks");
  expect_refused(run("group @g = {ranks = [99999]}\nfunc @f() { barrier() {group = @g}\nreturn }"),
                 2, "names rank 99999; at most 4096 ranks can be run");
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  EXPECT_EQ(test::run_command({tutti}).status, 2);
  EXPECT_EQ(test::run_command({tutti, "fly"}).status, 2);
  EXPECT_EQ(test::run_command({tutti, "run"}).status, 2);
}

TEST_F(Run, HelpsOnRequest) {
  const CommandResult result = test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "run", "--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("--interpret"));
}

TEST_F(Run, CompilesOnlyWithoutInputs) {
  const CommandResult result = run(kAllReduce, {"--compile-only"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "");
}

TEST_F(Run, PassesCanBeDisabledAndTunablesSet) {
  const std::vector<std::string> inputs = {"--input", "x=" + vector("x.npy", {1, 2}), "--input",
                                           "y=" + vector("y.npy", {10, 20})};
  auto arguments = inputs;
  arguments.insert(arguments.end(),
                   {"--disable", "cse,fuse", "--disable", "dce", "--set", "kernels=evaluate"});
  EXPECT_EQ(run(kAdd, arguments).output, run(kAdd, inputs).output);
  expect_refused(run(kAdd, {"--disable", "fusion"}), 2, "no input for %x");
  expect_refused(run(kAdd, {"--compile-only", "--disable", "fusion"}), 2,
                 "there is no pass 'fusion' to disable; did you mean 'fuse'?");
  expect_refused(run(kAdd, {"--compile-only", "--set", "kernels=gpu"}), 2,
                 "--set: kernels in TUTTI_SET is \"gpu\"; it takes llvm or evaluate");
}

TEST_F(Run, ReadsTheEnvironment) {
  const std::string dump = folder_.path() / "dump";
  ::setenv("TUTTI_DUMP", "all", 1);
  ::setenv("TUTTI_DUMP_DIR", dump.c_str(), 1);
  ::setenv("TUTTI_LOGG", "all", 1);
  const CommandResult result = run(kAllReduce, {"--compile-only"});
  ::setenv("TUTTI_DUMP", "everything", 1);
  const CommandResult mistaken = run(kAllReduce, {"--compile-only"});
  for (const char* const name : {"TUTTI_DUMP", "TUTTI_DUMP_DIR", "TUTTI_LOGG"}) ::unsetenv(name);
  EXPECT_EQ(result.errors,
            "tutti: warning: the environment: TUTTI_LOGG is no variable of Tutti's; did you mean "
            "'TUTTI_LOG'?\n");
  for (const std::string rank : {"rank0", "rank1", "rank2"}) {
    EXPECT_THAT(folder_.read("dump/" + rank + "/0001-f/00-trace.tutti"), HasSubstr("all_reduce"));
  }
  expect_refused(mistaken, 1, "TUTTI_DUMP is \"everything\"; it takes trace, passes");
}

}  // namespace
}  // namespace tutti::run_test
