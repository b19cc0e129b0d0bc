// What `tutti run` takes beside arguments in .npy files: random ones, .npz files, expected results,
// measurements and processes.

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

#include "tests/support/command.h"
#include "tests/tools/run_testing.h"
#include <gmock/gmock.h>

namespace tutti::run_options_test {
namespace {

using test::CommandResult;
using test::npy_array;
using testing::HasSubstr;
using testing::MatchesRegex;

class RunOptions : public test::RunsPrograms {};

const std::string kAdd = "func @f(%x: f32[2], %y: f32[2]) {\n%0 = add(%x, %y)\nreturn %0, %x }\n";
const std::string kOnRanks =
    "mesh (dp = 2)\ngroup @dp = {ranks = [0, 1], stride = 2}\n"
    "func @f(%x: f32[2], %w: f32[2] rep(dp)) {\n%0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
    "%1 = wait(%0)\n%2 = add(%1, %w)\nreturn %2, %x, %w }\n";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST_F(RunOptions, RandomInputsFollowFromTheSeed) {
  const std::string first = output(kAdd, {"--random", "1"});
  EXPECT_EQ(output(kAdd, {"--random", "1", "--interpret"}), first);
  EXPECT_NE(output(kAdd, {"--random", "2"}), first);
}

TEST_F(RunOptions, RandomInputsAreTheSameWhereTheyAreReplicated) {
  const std::vector<std::string> lines = lines_of(output(kOnRanks, {"--random", "1"}));
  ASSERT_EQ(lines.size(), 8U);  // a line for the rank, then its results
  EXPECT_EQ(lines[1], lines[5]);
  EXPECT_NE(lines[2], lines[6]);
  EXPECT_EQ(lines[3], lines[7]);
}

TEST_F(RunOptions, RandomIntegersAreIndices) {
  const std::string program =
      "func @f(%x: f32[3], %i: i32[64], %j: u8[64], %b: bool[64]) {\n%0 = take(%x, %i) "
      "{axis = 0}\nreturn %i, %j, %b, %0 }\n";
  const std::vector<std::string> lines = lines_of(output(program, {"--random", "5"}));
  EXPECT_THAT(lines[0], MatchesRegex("i32\\[64\\] \\[[012, ]*\\]"));
  EXPECT_THAT(lines[1], MatchesRegex("u8\\[64\\] \\[[0-7, ]*\\]"));
  EXPECT_THAT(lines[1], HasSubstr("7"));
  EXPECT_THAT(lines[2], HasSubstr("true"));
  EXPECT_THAT(lines[2], HasSubstr("false"));
}

TEST_F(RunOptions, RandomInputsExcludeOthers) {
  expect_refused(run(kAdd, {"--random", "1", "--input", "x=a.npy"}), 2, "--random");
  expect_refused(run(kAdd, {"--random", "x"}), 2, "--random");
}

TEST_F(RunOptions, ExpectedResultsAgree) {
  const std::string expected = path("expected");
  EXPECT_EQ(output(kOnRanks, {"--random", "1", "-o", expected}), "");
  EXPECT_EQ(output(kOnRanks, {"--random", "1", "--expect", expected}),
            "rank 0, result 0: f32[2] is as expected\nrank 0, result 1: f32[2] is as expected\n"
            "rank 0, result 2: f32[2] is as expected\nrank 1, result 0: f32[2] is as expected\n"
            "rank 1, result 1: f32[2] is as expected\nrank 1, result 2: f32[2] is as expected\n");
}

TEST_F(RunOptions, ExpectedResultsDiffer) {
  const std::vector<std::string> arguments = {"--input",  "x=" + vector("x.npy", {1, 2}),
                                              "--input",  "y=" + vector("y.npy", {10, 20}),
                                              "--expect", folder_.path().string() + "/expected"};
  vector("expected/0.npy", {11, 22.5});
  vector("expected/1.npy", {1, 2});
  const CommandResult result = run(kAdd, arguments);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output,
            "result 0: f32[2] differs in 1 of 2 elements, most by 0.5 at [1]: 22, expected 22.5\n"
            "result 1: f32[2] is as expected\n");
  auto tolerant = arguments;
  tolerant.insert(tolerant.end(), {"--tolerance", "0.03"});
  EXPECT_EQ(output(kAdd, tolerant),
            "result 0: f32[2] agrees, the largest difference is 0.5 at [1]: 22, expected 22.5\n"
            "result 1: f32[2] is as expected\n");
  vector("expected/0.npy", {1});
  EXPECT_THAT(run(kAdd, arguments).output, HasSubstr("result 0: f32[2], expected f32[1]\n"));
  std::filesystem::remove(path("expected/1.npy"));
  EXPECT_THAT(run(kAdd, arguments).errors, HasSubstr("has no 1.npy for result 1"));
  expect_refused(run(kAdd, {"--random", "1", "--expect", "nowhere"}), 2,
                 "--expect takes a folder or a .npz file, which 'nowhere' is not");
  expect_refused(run(kAdd, {"--random", "1", "--tolerance", "1"}), 2, "--expect");
}

TEST_F(RunOptions, ExpectedResultsThatTheProgramDoesNotHaveAreADifference) {
  EXPECT_EQ(output(kAdd, {"--random", "1", "-o", path("two")}), "");
  const CommandResult result =
      run("func @f(%x: f32[2], %y: f32[2]) {\n%0 = add(%x, %y)\nreturn %0 }\n",
          {"--random", "1", "--expect", path("two")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "result 0: f32[2] is as expected\nresult 1: expected by " +
                               path("two/1.npy") + ", but the program has 1 result\n");
}

TEST_F(RunOptions, LooksForWhatIsExpectedBeforeItRuns) {
  expect_refused(run(kAdd, {"--random", "1", "--bench", "--runs", "2", "--expect", path("none")}),
                 2, "--expect takes a folder or a .npz file");
}

TEST_F(RunOptions, ExpectedResultsOfRanksThatDoNotRunAreADifference) {
  const std::string program = "func @f(%x: f32[2]) { return %x }\n";
  EXPECT_EQ(output(program, {"--random", "1", "--ranks", "3", "-o", path("three")}), "");
  const CommandResult result =
      run(program, {"--random", "1", "--ranks", "2", "--expect", path("three")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output,
            "rank 0, result 0: f32[2] is as expected\nrank 1, result 0: f32[2] is as expected\n"
            "rank 2: expected by " +
                path("three/rank2/0.npy") + ", but there are results of 2 ranks\n");
}

TEST_F(RunOptions, ResultsDoNotComeBesideOthers) {
  const std::string program = "func @f(%x: f32[2]) { return %x }\n";
  const auto write = [&](const std::string& ranks) {
    return run(program, {"--random", "1", "--ranks", ranks, "-o", path("out")});
  };
  vector("out/rank0/x.npy", {1});  // which no run has written
  EXPECT_EQ(write("3").status, 0);
  EXPECT_EQ(write("3").status, 0) << "they are replaced";
  const std::string before = folder_.read("out/rank0/0.npy");
  expect_refused(write("2"), 2, "out has rank2/0.npy already");
  expect_refused(write("1"), 2, "out has rank0/0.npy already");
  EXPECT_EQ(folder_.read("out/rank0/0.npy"), before);
  EXPECT_EQ(output(kAdd, {"--random", "1", "-o", path("two")}), "");
  expect_refused(run(program, {"--random", "1", "-o", path("two")}), 2, "two has 1.npy already");
}

TEST_F(RunOptions, ResultsAreNotComparedWithThemselves) {
  vector("expected/0.npy", {1, 2});
  vector("expected/1.npy", {1, 2});
  const std::string before = folder_.read("expected/0.npy");
  expect_refused(
      run(kAdd, {"--random", "1", "--expect", path("expected"), "-o", path("expected/")}), 2,
      "results would be compared with themselves");
  EXPECT_EQ(folder_.read("expected/0.npy"), before);
}

TEST_F(RunOptions, ExpectedNumbersAreShownAsNumbers) {
  const std::string program = "func @f() {\n%0 = constant() {value = i32[] 7}\nreturn %0 }\n";
  folder_.write("0.npy", npy_array<int>("<i4", "()", {9}));
  EXPECT_EQ(run(program, {"--expect", folder_.path(), "--tolerance", "5"}).output,
            "result 0: i32[] differs by 2: 7, expected 9\n");
}

TEST_F(RunOptions, NaNAgreesWithNaNAndInfinitiesWithTheirSign) {
  const std::string program = "func @f(%x: f32[2]) {\n%0 = log(%x)\nreturn %0 }\n";
  const std::vector<std::string> arguments = {"--input", "x=" + vector("x.npy", {-1, 0}),
                                              "--expect", folder_.path().string()};
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  vector("0.npy", {nan, -infinity});
  EXPECT_EQ(run(program, arguments).status, 0);
  vector("0.npy", {nan, infinity});
  EXPECT_EQ(run(program, arguments).status, 1);
  vector("0.npy", {0, -infinity});
  EXPECT_EQ(run(program, arguments).status, 1);
}

TEST_F(RunOptions, BenchPrintsTimes) {
  const std::string text = output(kOnRanks, {"--random", "1", "--bench", "--runs", "3"});
  EXPECT_THAT(text, MatchesRegex("@f: [0-9.]+ [num]?s a run \\(the median of 3, from [0-9.]+ "
                                 "[num]?s to [0-9.]+ [num]?s\\) on 2 ranks\nkernels of rank 0: at "
                                 "least [^\n]*/s\\)\n"));
  expect_refused(run(kAdd, {"--random", "1", "--bench", "--interpret"}), 2, "--bench");
  expect_refused(run(kAdd, {"--random", "1", "--runs", "3"}), 2, "--bench");
}

TEST_F(RunOptions, ProcessesGiveWhatThreadsGive) {
  const std::string threads = output(kOnRanks, {"--random", "1"});
  EXPECT_EQ(output(kOnRanks, {"--random", "1", "--processes"}), threads);
  EXPECT_THAT(output(kOnRanks, {"--random", "1", "--processes", "--bench", "--runs", "2"}),
              HasSubstr("the median of 2"));
  vector("in/rank0/x.npy", {1, 2});
  vector("in/rank1/x.npy", {10, 20});
  vector("in/w.npy", {100, 200});
  EXPECT_THAT(output(kOnRanks, {"--input", path("in"), "--processes"}),
              HasSubstr("rank 1\nf32[2] [111, 222]\nf32[2] [10, 20]\nf32[2] [100, 200]\n"));
}

TEST_F(RunOptions, AFailedProcessIsAnError) {
  vector("in/rank0/x.npy", {1, 2});
  vector("in/w.npy", {100, 200});
  const CommandResult result = run(kOnRanks, {"--input", path("in"), "--processes"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("no input for %x of @f on rank 1"));
  EXPECT_EQ(result.output, "");
}

TEST_F(RunOptions, ProcessesHaveToBeEnough) {
  const std::string program =
      "group @g = {ranks = [0, 1]}\nfunc @f() { barrier() {group = @g}\nreturn }\n";
  expect_refused(run(program, {"--processes", "--ranks", "1"}), 1,
                 "names rank 1 of 1 ranks; give more with --ranks");
}

TEST_F(RunOptions, RanksAreThoseOfTheMesh) {
  for (const std::string mode : {"--on=host", "--processes", "--compile-only", "--interpret"}) {
    for (const std::string ranks : {"1", "3"}) {
      expect_refused(run(kOnRanks, {"--random", "1", "--ranks", ranks, mode}), 2,
                     "@f runs on the 2 ranks of its mesh, not on " + ranks);
    }
  }
  EXPECT_EQ(output(kOnRanks, {"--random", "1", "--ranks", "2"}),
            output(kOnRanks, {"--random", "1"}));
}

TEST_F(RunOptions, RefusesNumbersBelowZero) {
  expect_refused(run(kAdd, {"--random", "-1"}), 2, "'-1' is no whole number from 0 on");
  expect_refused(run(kAdd, {"--random", "1", "--expect", "x", "--tolerance", "-1"}), 2,
                 "'-1' is no number from 0 on");
}

TEST_F(RunOptions, ReadsStandardInput) {
  const std::string command =
      "printf '%s' 'func @f() { %0 = constant() {value = i32[] 7} return "
      "%0 }' | " TUTTI_BINARY_DIR "/bin/tutti run -";
  EXPECT_EQ(test::run_command({"/bin/sh", "-c", command}).output, "i32[] 7\n");
  EXPECT_THAT(
      test::run_command({"/bin/sh", "-c", "echo func | " TUTTI_BINARY_DIR "/bin/tutti run -"})
          .errors,
      HasSubstr("standard input:2:1"));
}

#if TUTTI_HAS_CUDA

TEST_F(RunOptions, ProgramsRunOnTheDevicesThatTheyName) {
  const std::string program =
      "func @f(%x: f32[8] on cuda:0) {\n%0 = neg(%x)\n%1 = to_device(%0) {device = "
      "\"cpu\"}\nreturn %0, %1 }\n";
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1,capability=90,memory=67108864", 1);
  const CommandResult result = run(program, {"--random", "1", "-o", path("out")});
  const CommandResult timed = run(program, {"--random", "1", "--bench", "--runs", "3"});
  ::unsetenv("TUTTI_CUDA_LIBRARIES");
  ::unsetenv("TUTTI_TEST_FAKE_CUDA");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(timed.status, 0) << timed.errors;
  EXPECT_EQ(output(program, {"--random", "1", "--interpret", "--expect", path("out")}),
            "result 0: f32[8] is as expected\nresult 1: f32[8] is as expected\n");
}

#endif

// The system would end the process without a word.
TEST_F(RunOptions, ResultsBeyondTheLimitOfFilesAreAnError) {
  const std::string program =
      folder_.write("large.tutti", "func @f(%x: f32[100000]) { return %x }\n");
  const CommandResult result =
      test::run_command({"/bin/sh", "-c",
                         "ulimit -f 8; exec " TUTTI_BINARY_DIR "/bin/tutti run " + program +
                             " --random 1 --output " + path("out")});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("out/0.npy: cannot be written: File too large (limited by "
                                       "ulimit -f?)"));
}

class Npz : public RunOptions {
 protected:
  void SetUp() override {
    const CommandResult result = run(kAdd, {"--random", "1", "-o", path("probe.npz")});
    if (result.errors.find("no libzip") != std::string::npos) GTEST_SKIP() << result.errors;
  }
};

TEST_F(Npz, GoesOutAndIn) {
  EXPECT_EQ(output(kOnRanks, {"--random", "1", "-o", path("new/out.npz")}), "");
  EXPECT_THAT(output(kOnRanks, {"--random", "1", "--expect", path("new/out.npz")}),
              HasSubstr("rank 1, result 2: f32[2] is as expected\n"));
  EXPECT_EQ(run(kOnRanks, {"--random", "2", "--expect", path("new/out.npz")}).status, 1);
  // Stored, not compressed: the arrays stand in the file as they are.
  EXPECT_EQ(output(kAdd, {"--random", "1", "-o", path("a.npz")}), "");
  EXPECT_EQ(output(kAdd, {"--random", "1", "-o", path("a")}), "");
  EXPECT_THAT(folder_.read("a.npz"), HasSubstr(folder_.read("a/0.npy")));
  EXPECT_FALSE(std::filesystem::exists(path("a.npz.partial")));
}

std::string from_hexadecimal(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return out;
}

// numpy.savez_compressed(file, x=numpy.array([1, 2], numpy.float32), y=... [10, 20] ...)
constexpr std::string_view kCompressed =
    "504b03042d0000000800000021009acaabe7ffffffffffffffff05001400782e6e7079010010008800000000"
    "0000004c000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f5452"
    "9498179f5f94920a12774bcc294e058a17672416a402f91a463a9a3a0ab50a14002e0686067b060606070050"
    "4b03042d000000080000002100a5095561ffffffffffffffff05001400792e6e707901001000880000000000"
    "00004c000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f545294"
    "98179f5f94920a12774bcc294e058a17672416a402f91a463a9a3a0ab50a14002e060605470686058e00504b"
    "01022d032d0000000800000021009acaabe74c00000088000000050000000000000000000000800100000000"
    "782e6e7079504b01022d032d000000080000002100a50955614c000000880000000500000000000000000000"
    "00800183000000792e6e7079504b0506000000000200020066000000060100000000";

TEST_F(Npz, ReadsWhatNumPyCompressed) {
  const std::string file = folder_.write("in.npz", from_hexadecimal(kCompressed));
  EXPECT_EQ(output(kAdd, {"--input", file}), "f32[2] [11, 22]\nf32[2] [1, 2]\n");
  // What is named for itself goes before.
  EXPECT_EQ(output(kAdd, {"--input", file, "--input", "x=" + vector("x.npy", {5, 6})}),
            "f32[2] [15, 26]\nf32[2] [5, 6]\n");
  folder_.write("in1.npz", from_hexadecimal(kCompressed));
  expect_refused(run(kAdd, {"--input", path("in{rank}.npz")}), 1, "in0.npz: No such file");
}

TEST_F(Npz, RefusesWhatIsDamaged) {
  const std::string good = from_hexadecimal(kCompressed);
  const auto refuse = [&](const std::string& bytes, const std::string& message) {
    expect_refused(run(kAdd, {"--input", folder_.write("bad.npz", bytes)}), 1, message);
  };
  refuse("", "bad.npz");
  refuse("no archive", "bad.npz: this is no .npz file");
  refuse(good.substr(0, good.size() / 2), "bad.npz: this is no .npz file");
  std::string flipped = good;
  flipped[60] = static_cast<char>(flipped[60] ^ 0x10);  // in the compressed bytes of x
  refuse(flipped, "bad.npz, x.npy");
  // Whatever byte is changed: an error or the arrays, and never more.
  for (std::size_t at = 0; at < good.size(); at += 7) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0xFF);
    const CommandResult result = run(kAdd, {"--input", folder_.write("bad.npz", bytes)});
    EXPECT_TRUE(result.status <= 2) << at << ": " << result.status;
  }
}

// So that a small archive cannot ask for much memory or time.
TEST_F(Npz, LooksAtHeadersBeforeItInflates) {
  const std::string good = from_hexadecimal(kCompressed);
  const std::size_t in_directory = good.find("PK\x01\x02");  // what the archive says of x.npy
  std::string long_one = good;
  long_one[in_directory + 24 + 3] = 0x7F;  // 2 GB more than there is
  expect_refused(
      run(kAdd, {"--input", folder_.write("long.npz", long_one)}), 1,
      "long.npz, x.npy: 2130706568 bytes cannot be in the 76 that the archive has of it");
  // Whose checksum is never come to.
  std::string damaged = good;
  damaged[in_directory + 16] = static_cast<char>(damaged[in_directory + 16] ^ 1);
  const std::string file = folder_.write("damaged.npz", damaged);
  expect_refused(run(kAdd, {"--input", file}), 1, "damaged.npz, x.npy: CRC error");
  expect_refused(run("func @f(%x: f32[3]) { return %x }", {"--input", file}), 1,
                 "damaged.npz, x: %x of @f is f32[3], but the file holds f32[2]");
}

TEST_F(Npz, RefusesArraysThatDoNotFit) {
  const std::string file = folder_.write("in.npz", from_hexadecimal(kCompressed));
  expect_refused(run("func @f(%x: f32[3]) { return %x }", {"--input", file}), 1,
                 "in.npz, x: %x of @f is f32[3], but the file holds f32[2]");
  expect_refused(run("func @f(%z: f32[3]) { return %z }", {"--input", file}), 2,
                 "no input for %z of @f on rank 0");
  expect_refused(run(kAdd, {"--random", "1", "-o", "/proc/out.npz"}), 1, "/proc/out.npz");
}

}  // namespace
}  // namespace tutti::run_options_test
