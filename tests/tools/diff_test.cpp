#include <cstdlib>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::diff_test {
namespace {

using test::CommandResult;
using test::TemporaryFolder;
using testing::HasSubstr;

class Diff : public testing::Test {
 protected:
  CommandResult diff() {
    return test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "diff", "--ranks", folder_.path()});
  }
  void expect_agreement(const std::string& message) {
    const CommandResult result = diff();
    EXPECT_EQ(result.output, message);
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.status, 0);
  }
  void expect_difference(const std::string& message) {
    const CommandResult result = diff();
    EXPECT_EQ(result.output, message);
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.status, 1);
  }
  void expect_refused(const std::string& message) {
    const CommandResult result = diff();
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(result.status, 1);
  }

  TemporaryFolder folder_;
};

const std::string kGroup = "group @dp = {ranks = [0, 1]}\n";

// A function with one collective, at `train.cpp:line`.
std::string function(const std::string& name, const std::string& op, const std::string& line) {
  return "func @" + name + "(%x: f32[4]) {\n  %0 = all_reduce(%x) {op = \"" + op +
         "\", group = @dp} // train.cpp:" + line + "\n  return %0\n}\n";
}

TEST_F(Diff, SaysWhatAgrees) {
  folder_.write("rank0.tutti", kGroup + function("f", "sum", "41"));
  folder_.write("rank1.tutti", kGroup + function("f", "sum", "41"));
  folder_.write("notes.txt", "no program");
  expect_agreement("2 ranks agree: 1 collective in 1 group, 0 messages\n");
}

TEST_F(Diff, ShowsTheFirstDifference) {
  folder_.write("rank0.tutti", kGroup + function("f", "sum", "41"));
  folder_.write("rank1.tutti", kGroup + function("f", "max", "43"));
  expect_difference(
      "group \"dp\" [0, 1], collective 1: rank 0 calls all_reduce sum f32[4] at train.cpp:41, rank "
      "1 "
      "calls all_reduce max f32[4] at train.cpp:43\n");
}

TEST_F(Diff, StagesWithProgramsOfTheirOwn) {
  const std::string pair = "group @pp = {ranks = [0, 1]}\n";
  folder_.write("stages0.tutti",
                pair + "func @first(%x: f32[4]) { send(%x) {to = 1, group = @pp}\nreturn }");
  folder_.write("stages1.tutti", pair +
                                     "func @last() { %0 = recv() {dtype = f32, shape = [4], from = "
                                     "0, group = @pp}\nreturn %0 }");
  expect_agreement("2 ranks agree: 0 collectives in 0 groups, 1 message\n");
}

TEST_F(Diff, TheLastNumberOfANameIsTheRank) {
  folder_.write("step2.rank01.tutti", kGroup + function("f", "sum", "1"));
  folder_.write("step2.rank00.tutti", kGroup + function("f", "sum", "1"));
  expect_agreement("2 ranks agree: 1 collective in 1 group, 0 messages\n");
}

TEST_F(Diff, FunctionsOfOneNameBelongTogether) {
  const std::string a = function("a", "sum", "1");
  folder_.write("rank0.tutti", kGroup + a + function("b", "max", "2"));
  folder_.write("rank1.tutti", kGroup + function("b", "min", "3") + a);
  expect_difference(
      "@a: 2 ranks agree: 1 collective in 1 group, 0 messages\n"
      "@b: group \"dp\" [0, 1], collective 1: rank 0 calls all_reduce max f32[4] at train.cpp:2, "
      "rank 1 calls all_reduce min f32[4] at train.cpp:3\n");
}

TEST_F(Diff, FunctionsOfOtherNamesBelongTogetherInTheirOrder) {
  folder_.write("rank0.tutti", kGroup + function("a", "sum", "1") + function("b", "max", "2"));
  folder_.write("rank1.tutti", kGroup + function("c", "sum", "3") + function("d", "max", "4"));
  expect_agreement(
      "function 1: 2 ranks agree: 1 collective in 1 group, 0 messages\n"
      "function 2: 2 ranks agree: 1 collective in 1 group, 0 messages\n");
  folder_.write("rank1.tutti", kGroup + function("c", "sum", "3"));
  expect_refused("rank0.tutti has 2 functions, but ");
}

TEST_F(Diff, ReadsDumpsOfAllRanks) {
  for (const std::string rank : {"rank0", "rank1"}) {
    // What was compiled first comes first; ranks may have compiled in pieces of their own.
    folder_.write(rank + "/0001-trace-a/00-trace.tutti", kGroup + function("a", "sum", "1"));
    folder_.write(rank + "/0001-trace-a/03-fuse.tutti", "only the first stage is read");
    folder_.write(rank + "/0001-trace-a/index.html", "");
  }
  folder_.write("index.html", "");
  folder_.write("rank0/0002-f/00-trace.tutti", kGroup + function("f", "max", "2"));
  folder_.write("rank0/0010-g/00-trace.tutti", kGroup + function("g", "min", "3"));
  folder_.write("rank1/0002-h/00-trace.tutti",
                "group @dp = {ranks = [0, 1]}\nfunc @h(%x: f32[4]) "
                "{\n%0 = all_reduce(%x) {op = \"max\", group = "
                "@dp}\n%1 = all_reduce(%x) {op = \"min\", group = "
                "@dp}\nreturn %0, %1 }\n");
  expect_agreement("2 ranks agree: 3 collectives in 1 group, 0 messages\n");
}

TEST_F(Diff, ReadsFilesInFoldersOfRanks) {
  folder_.write("rank0/a.tutti", kGroup + function("f", "sum", "1"));
  folder_.write("rank1/b.tutti", kGroup + function("g", "max", "2"));
  expect_difference(
      "group \"dp\" [0, 1], collective 1: rank 0 calls all_reduce sum f32[4] at train.cpp:1, rank "
      "1 "
      "calls all_reduce max f32[4] at train.cpp:2\n");
}

TEST_F(Diff, ReadsFilesInFoldersOfRanksBesideTheirConstants) {
  for (const std::string rank : {"rank0", "rank1"}) {
    folder_.write(rank + "/a.tutti", kGroup + function("f", "sum", "1"));
    folder_.write(rank + "/constants/weight.bin", "");
  }
  expect_agreement("2 ranks agree: 1 collective in 1 group, 0 messages\n");
}

TEST_F(Diff, RefusesRanksThatAreMissing) {
  folder_.write("rank0.tutti", kGroup + function("f", "sum", "1"));
  folder_.write("rank2.tutti", kGroup + function("f", "sum", "1"));
  expect_refused("has no program of rank 1, but one of rank 2, rank2.tutti");
}

TEST_F(Diff, RefusesRanksThatAreThereTwice) {
  folder_.write("rank0.tutti", kGroup + function("f", "sum", "1"));
  folder_.write("rank00.tutti", kGroup + function("f", "sum", "1"));
  expect_refused("rank 0 has two programs: ");
}

TEST_F(Diff, RefusesNamesWithoutARank) {
  folder_.write("step.tutti", kGroup + function("f", "sum", "1"));
  expect_refused("step.tutti: has no rank in its name, as in rank0.tutti");
}

TEST_F(Diff, RefusesFoldersWithoutPrograms) {
  expect_refused("has neither .tutti files nor folders rank0, rank1, ...");
  folder_.write("rank0/0001-f/index.html", "");
  expect_refused("0001-f: has no .tutti file; TUTTI_DUMP=trace writes what to compare");
}

TEST_F(Diff, RefusesWhatIsNoFolder) {
  const CommandResult result =
      test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "diff", "--ranks", "/nowhere/at/all"});
  EXPECT_EQ(result.errors, "/nowhere/at/all: cannot be read: No such file or directory\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "diff"}).status, 2);
}

TEST_F(Diff, NamesFileLineAndColumnOfWhatItCannotParse) {
  folder_.write("rank0.tutti", kGroup + function("f", "sum", "1"));
  folder_.write("rank1.tutti", "func @f() { %0 = nek()\nreturn }");
  expect_refused("rank1.tutti:1:18: unknown op 'nek'");
  folder_.write("rank1.tutti", "// tutti ir 1\n");
  expect_refused("rank1.tutti: has no function");
}

TEST_F(Diff, ComparesDumpsOfARun) {
  // A program of three ranks, run by the command itself.
  const std::string program = folder_.write(
      "program.txt",
      "group @g = {ranks = [0..3]}\nfunc @f(%x: f32[2]) {\n%0 = all_gather(%x) {axis = 0, group = "
      "@g}\n%1 = wait(%0)\n%2 = all_reduce(%1) {op = \"sum\", group = @g}\nreturn %2 }");
  ::setenv("TUTTI_DUMP", "trace", 1);
  ::setenv("TUTTI_DUMP_DIR", folder_.path().c_str(), 1);
  const CommandResult ran =
      test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "run", program, "--compile-only"});
  ::unsetenv("TUTTI_DUMP");
  ::unsetenv("TUTTI_DUMP_DIR");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  expect_agreement("3 ranks agree: 2 collectives in 1 group, 0 messages\n");
}

}  // namespace
}  // namespace tutti::diff_test
