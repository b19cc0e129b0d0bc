#include <csignal>
#include <filesystem>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::reduce_test {
namespace {

using test::CommandResult;
using test::RunningCommand;
using test::TemporaryFolder;
using testing::HasSubstr;

// n nodes, one of them an erf.
std::string long_program(int n) {
  std::string text = "func @f(%x: f32[8]) {\n";
  for (int i = 0; i < n; ++i) {
    text += "  %" + std::to_string(i) + (i == n / 3 ? " = erf(%" : " = tanh(%") +
            (i == 0 ? "x" : std::to_string(i - 1)) + ")\n";
  }
  return text + "  return %" + std::to_string(n - 1) + "\n}\n";
}

const std::string kErf =
    "// tutti ir 1\n\nfunc @f(%v0: f32[1]) -> (f32[1]) {\n"
    "  %0 = erf(%v0) : f32[1]\n  return %0\n}\n";

class Reduce : public testing::Test {
 protected:
  std::vector<std::string> command(const std::string& check) {
    return {TUTTI_BINARY_DIR "/bin/tutti", "reduce", folder_.write("p.tutti", long_program(100)),
            "--check", check};
  }
  CommandResult reduce(const std::string& check, const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> all = command(check);
    all.insert(all.end(), arguments.begin(), arguments.end());
    return test::run_command(all);
  }
  void expect_refused(const CommandResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.errors, HasSubstr(message));
  }
  std::string path(const std::string& name) { return folder_.path() / name; }
  bool exists(const std::string& name) { return std::filesystem::exists(path(name)); }

  TemporaryFolder folder_;
};

TEST_F(Reduce, WritesTheSmallestInterestingProgram) {
  const CommandResult result = reduce("grep -q erf");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(folder_.read("p.reduced.tutti"), kErf);
  EXPECT_THAT(result.output, testing::ContainsRegex("\nfrom 100 nodes to 1 in [0-9]+ checks: "));
  EXPECT_THAT(result.output, HasSubstr("p.reduced.tutti\n"));
  EXPECT_EQ(folder_.read("p.tutti"), long_program(100));
}

TEST_F(Reduce, PutsTheFileWhereTheCommandWantsIt) {
  EXPECT_EQ(reduce("test -f {} && cat {} | grep -q erf", {"-o", path("out")}).status, 0);
  EXPECT_EQ(folder_.read("out"), kErf);
}

TEST_F(Reduce, RefusesAProgramThatIsNotInteresting) {
  expect_refused(reduce("echo nothing there; exit 3"), 2,
                 "nothing there\nthe program itself is not interesting: the command exited with "
                 "code 3");
  EXPECT_FALSE(exists("p.reduced.tutti"));
}

TEST_F(Reduce, WhatTakesTooLongHasFailed) {
  const std::string program = folder_.write("two.tutti", long_program(2));
  const CommandResult result =
      test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "reduce", program, "--check",
                         "grep -q tanh {} || sleep 1000", "--timeout", "0.5"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(folder_.read("two.reduced.tutti"), HasSubstr("%0 = tanh("));
  expect_refused(reduce("sleep 1000; true", {"--timeout", "0.2"}), 2, "the command took too long");
}

TEST_F(Reduce, AnInterruptLeavesTheBestSoFar) {
  // From 20 nodes on the check says that it is there and waits.
  const std::string check = "grep -q erf {} && { test $(wc -l < {}) -gt 20 || { touch " +
                            path("waits") + "; sleep 1000; }; }";
  RunningCommand running(command(check));
  ASSERT_TRUE(test::comes_true([&] { return exists("waits"); }));
  running.send(SIGINT);
  const CommandResult result = running.wait();
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("\ninterrupted; from 100 nodes to "));
  const CommandResult best = test::run_command(
      {TUTTI_BINARY_DIR "/bin/tutti", "opt", "--pass", "none", path("p.reduced.tutti")});
  EXPECT_EQ(best.status, 0) << best.errors;
  EXPECT_THAT(best.output, HasSubstr("erf"));
}

TEST_F(Reduce, ReducesTheProgramsOfAllRanks) {
  for (const std::string rank : {"0", "1"}) {
    folder_.write("ranks/rank" + rank + ".tutti",
                  "group @g = {ranks = [0, 1]}\nfunc @f(%x: f32[4]) {\n  %0 = tanh(%x)\n"
                  "  %1 = all_reduce(%0) {op = \"sum\", group = @g}\n  %2 = wait(%1)\n"
                  "  %3 = exp(%2)\n  return %3\n}\n");
  }
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  const std::vector<std::string> arguments = {
      tutti,         "reduce",  "--ranks",
      path("ranks"), "--check", tutti + " diff --ranks {} | grep -q '2 ranks agree: 1 collective'"};
  const CommandResult result = test::run_command(arguments);
  EXPECT_EQ(result.status, 0) << result.errors;
  const std::string reduced = folder_.read("ranks.reduced/rank0.tutti");
  EXPECT_EQ(reduced,
            "// tutti ir 1\ngroup @g = {ranks = [0, 1], stride = 2}\n\n"
            "func @f(%v0: f32[1]) -> (f32[1]) {\n"
            "  %0 = all_reduce(%v0) {op = \"sum\", group = @g} : async f32[1]\n"
            "  %1 = wait(%0) : f32[1]\n  return %1\n}\n");
  EXPECT_EQ(folder_.read("ranks.reduced/rank1.tutti"), reduced);
  EXPECT_FALSE(exists("ranks.reduced.partial"));
  // What is there is not ours to throw away.
  expect_refused(test::run_command(arguments), 2, "ranks.reduced: is there already");
}

TEST_F(Reduce, ComesToTheNodeInALoopThatMatters) {
  const std::string program = folder_.write("loop.tutti", R"(
    private func @cell(%h: f32[4], %x: f32[4], %w: f32[4]) {
      %0 = mul(%h, %w)
      %1 = add(%0, %x)
      %2 = erf(%1)
      return %2, %1
    }
    func @f(%h: f32[4], %xs: f32[5,4], %w: f32[4]) {
      %0, %1 = scan(%h, %xs, %w) {body = @cell, carries = 1, sequences = 1, length = 5}
      return %0, %1
    })");
  const auto reduced = [&](const std::string& check) {
    const CommandResult result = test::run_command(
        {TUTTI_BINARY_DIR "/bin/tutti", "reduce", program, "--check", check, "-o", path("out")});
    EXPECT_EQ(result.status, 0) << result.errors;
    return folder_.read("out");
  };
  EXPECT_EQ(reduced("grep -q erf"),
            "// tutti ir 1\n\nfunc @f(%v0: f32[1]) -> (f32[1]) {\n  %0 = erf(%v0) : f32[1]\n"
            "  return %0\n}\n");
  EXPECT_EQ(reduced("grep -q erf {} && grep -q scan {}"),
            "// tutti ir 1\n\nprivate func @cell(%h: f32[1]) -> (f32[1]) {\n"
            "  %0 = erf(%h) : f32[1]\n  return %0\n}\n\nfunc @f(%h: f32[1]) -> (f32[1]) {\n"
            "  %0 = scan(%h) {body = @cell, carries = 1, sequences = 0, length = 1} : f32[1]\n"
            "  return %0\n}\n");
}

TEST_F(Reduce, RefusesWrongUsage) {
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  expect_refused(test::run_command({tutti, "reduce", "p.tutti"}), 2, "--check");
  expect_refused(test::run_command({tutti, "reduce", "--check", "true"}), 2, "FILE");
  expect_refused(test::run_command({tutti, "reduce", "-", "--check", "true"}), 2, "-o has to say");
  expect_refused(reduce("true", {"--ranks", "x"}), 2, "--ranks");
  expect_refused(reduce("true", {"--timeout", "0"}), 2, "--timeout");
  expect_refused(test::run_command({tutti, "reduce", path("no"), "--check", "true"}), 1,
                 "cannot be read");
}

}  // namespace
}  // namespace tutti::reduce_test
