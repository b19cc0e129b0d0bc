#include <fstream>
#include <string>

#include "tests/tools/launch_testing.h"
#include <nlohmann/json.hpp>

// The command, on traces that programs wrote and on what is none.
namespace tutti::test::profile_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kProgram = R"(// tutti ir 1
mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

func @step(%x: f32[64,32], %w: f32[32,16] rep(dp)) -> (f32[64,16], f32[16] rep(dp)) {
  %0 = vary(%w) {dimensions = "dp"} : f32[32,16]
  %1 = matmul(%x, %0) : f32[64,16]
  %2 = sum(%1) {axes = [0]} : f32[16]
  %3 = all_reduce(%2) {op = "sum", group = @dp} : async f32[16] rep(dp)
  %4 = relu(%1) : f32[64,16]
  %5 = wait(%3) : f32[16] rep(dp)
  return %4, %5
}
)";

class ProfileCommand : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  CommandResult profile(const std::string& file) const {
    return run_command({TUTTI_BINARY_DIR "/bin/tutti", "profile", file});
  }
  // An .npy file of zeros.
  void write_zeros(const std::string& name, const std::string& shape, std::size_t elements) const {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    header += '\n';
    folder_.write(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
                            std::string(elements * 4, '\0'));
  }
  // Runs the program above on two ranks; gives the trace's file.
  std::string trace() const {
    write_zeros("x.npy", "(64, 32)", 64 * 32);
    write_zeros("w.npy", "(32, 16)", 32 * 16);
    const std::string program = folder_.write("step.tutti", kProgram);
    const CommandResult result = run_command(
        {"/usr/bin/env", "TUTTI_PROFILE=" + path("trace.json"), TUTTI_BINARY_DIR "/bin/tutti",
         "run", program, "--input", folder_.path().string(), "--output", path("results")});
    EXPECT_EQ(result.status, 0) << result.errors;
    return path("trace.json");
  }

  TemporaryFolder folder_;
};

TEST_F(ProfileCommand, SumsKernelsAndCommunicationUp) {
  const CommandResult result = profile(trace());
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(ContainsRegex("rank 0: 1 thread, memory [0-9.]+ GB/s, f32 [0-9.]+ GFLOP/s"),
                    HasSubstr("rank 1: "), ContainsRegex("compute +[0-9.]+ .s"),
                    HasSubstr("2 collectives, from start to end"),
                    ContainsRegex("exposed communication +[0-9.]+ .?s"),
                    ContainsRegex("on GPUs  exposed communication\n +2 "),
                    ContainsRegex(" 2 .* matmul \\[f32 64x32x16\\]")));
}

// Two launches of a product: the library takes 30 of 40 us, and the roofline would allow 5. One of
// another kernel, whose data lay in a cache. And two on a GPU, whose roofline nobody knows.
TEST_F(ProfileCommand, ComparesProductsWithWhatTheLibraryTakes) {
  const auto launch = [](const char* name, double begin, double time, const char* work) {
    return R"({"ph":"X","pid":1,"tid":10000,"ts":)" + std::to_string(begin) + R"(,"dur":)" +
           std::to_string(time) + R"(,"cat":"launch","name":")" + name +
           R"(","args":{"bytes_read":8,"bytes_written":4,"flops":100,)" + work + "}}";
  };
  const std::string product = R"("shapes":"f32 8x8x8","roofline_us":5,"library_us":30)";
  const std::string file =
      folder_.write("made.json", R"({"otherData":{"tutti_trace":"1"},"traceEvents":[)" +
                                     launch("matmul", 0, 40, product.c_str()) + "," +
                                     launch("matmul", 40, 40, product.c_str()) + "," +
                                     launch("add", 80, 20, R"("roofline_us":25)") + "," +
                                     launch("add", 100, 50, R"("plan":"p")") + "," +
                                     launch("sub", 150, 50, R"("plan":"p")") + "]}");
  const CommandResult result = profile(file);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(ContainsRegex("least compute +80.0 %  of compute"),
                                   ContainsRegex("12.5 % +75.0 %  matmul \\[f32 8x8x8\\]\n"),
                                   ContainsRegex("125.0 % +add\n"), ContainsRegex(" 0.00 +sub\n")));
}

// Of a collective on a GPU, what no launch there hides, in whatever order the trace has them.
TEST_F(ProfileCommand, TellsWhichLinesCommunicationIsExposedAt) {
  const std::string file =
      folder_.write("gpu.json", R"({"otherData":{"tutti_trace":"1"},"traceEvents":[
{"ph":"M","pid":1,"tid":10000,"name":"process_name","args":{"name":"rank 0","rank":0,"threads":1,"memory_GB/s":1,"f32_GFLOP/s":1,"f64_GFLOP/s":1,"events_dropped":0}},
{"ph":"X","pid":1,"tid":10000,"ts":0,"dur":7000,"cat":"wait","name":"wait a","args":{"source":"d/x.cpp:5","group":"dp","sequence":1,"bytes":4}},
{"ph":"M","pid":1,"tid":19000,"name":"thread_name","args":{"name":"cuda:0"}},
{"ph":"X","pid":1,"tid":19000,"ts":4000,"dur":9000,"cat":"launch","name":"k","args":{"bytes_read":1,"bytes_written":1,"flops":1}},
{"ph":"X","pid":1,"tid":19000,"ts":1000,"dur":2000,"cat":"launch","name":"k","args":{"bytes_read":1,"bytes_written":1,"flops":1}},
{"ph":"M","pid":1,"tid":19001,"name":"thread_name","args":{"name":"cuda:0 communication"}},
{"ph":"X","pid":1,"tid":19001,"ts":12000,"dur":3000,"cat":"collective","name":"b","args":{"source":"d/x.cpp:9","group":"dp","sequence":2,"bytes":4}},
{"ph":"X","pid":1,"tid":19001,"ts":2000,"dur":5000,"cat":"collective","name":"a","args":{"source":"d/x.cpp:5","group":"dp","sequence":1,"bytes":4}}
]})");
  const CommandResult result = profile(file);
  EXPECT_EQ(result.status, 0) << result.errors;
  // From 3,000 to 4,000, and from 13,000 to 15,000.
  EXPECT_THAT(result.output, HasSubstr("   waits      blocked      on GPUs  exposed communication\n"
                                       "       1      7.00 ms      1.00 ms  x.cpp:5\n"
                                       "       0      0.00 us      2.00 ms  x.cpp:9\n"));
}

TEST_F(ProfileCommand, ShowsAsManyKernelsAsAsked) {
  const std::string file = trace();
  const auto lines = [&](const char* most) {
    return run_command({TUTTI_BINARY_DIR "/bin/tutti", "profile", file, "--most", most}).output;
  };
  EXPECT_THAT(lines("1"), ContainsRegex("and [0-9]+ more; --most 0 shows all"));
  EXPECT_THAT(lines("0"), testing::Not(HasSubstr("more; --most")));
}

TEST_F(ProfileCommand, BadFilesAreErrorsThatSayWhatTheyAre) {
  const std::string whole = folder_.read(std::filesystem::path(trace()).filename());
  const auto expect_refused = [&](const std::string& content, const std::string& why) {
    const std::string file = folder_.write("bad.json", content);
    const CommandResult result = profile(file);
    EXPECT_EQ(result.status, 1) << content.substr(0, 80);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, AllOf(HasSubstr(file), HasSubstr(why)));
  };
  expect_refused("", "this is not JSON, or cut off");
  expect_refused(
      "\x7F"
      "ELF\x02",
      "this is not JSON, or cut off");
  expect_refused(whole.substr(0, whole.size() / 2), "of a trace that began well");
  for (const char* const foreign :
       {"[]", "7", "null", "{}", R"({"traceEvents":[]})",
        R"({"traceEvents":[{"ph":"X","name":"torch"}]})", R"([{"ph":"X"},[1,[2]],{"a":{"b":{}}}])",
        R"({"otherData":{"tutti_trace":"1"},"traceEvents":[{"ph":"X"}]})",
        R"({"otherData":{"tutti_trace":"1"},"traceEvents":[{"ph":5,"pid":"a","args":[]}]})"}) {
    expect_refused(foreign, "this is no trace of Tutti's");
  }
  expect_refused(R"({"otherData":{"tutti_trace":"1"},"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":-1e300,"cat":"wait","name":"w","args":{}}]})",
                 "an event begins at 0 and takes -1e+300 microseconds");
  for (const std::string& file : {path("none.json"), folder_.path().string()}) {
    const CommandResult result = profile(file);
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.errors, HasSubstr(file));
  }
}

// Ranks that write nothing, or parts that are none.
class LaunchedTrace : public Launch {};

TEST_F(LaunchedTrace, RanksThatWriteNoneAreSpokenOf) {
  const std::string file = (folder_.path() / "trace.json").string();
  const CommandResult result = launch({"-n", "2", "--profile", file}, "exit 0");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.errors, "tutti launch: no rank wrote a trace to " + file + "\n");
}

TEST_F(LaunchedTrace, RanksGetTheWholePath) {
  const std::string file = (folder_.path() / "trace.json").string();
  const CommandResult result =
      launch({"-n", "2", "--no-prefix", "--profile", file}, "cd /; echo $TUTTI_PROFILE");
  EXPECT_EQ(result.output, file + "\n" + file + "\n");
}

TEST_F(LaunchedTrace, PartsOfAnEarlierLaunchAreNotMerged) {
  const std::string file = folder_.write("trace.json", "");
  folder_.write("trace.json.rank1", "from before");
  const CommandResult result = launch({"-n", "2", "--profile", file}, "exit 0");
  EXPECT_EQ(result.status, 0);
  EXPECT_FALSE(std::filesystem::exists(file + ".rank1"));
}

TEST_F(LaunchedTrace, APartThatIsNoneIsLeft) {
  const std::string file = (folder_.path() / "trace.json").string();
  const CommandResult result =
      launch({"-n", "2", "--profile", file}, "echo nonsense > $TUTTI_PROFILE.rank$RANK");
  EXPECT_THAT(result.errors, HasSubstr(file + ".rank1 is no whole trace; it is left as it is\n"));
  EXPECT_TRUE(std::filesystem::exists(file + ".rank1"));
}

TEST_F(LaunchedTrace, AFileThatCanNotBeWrittenStartsNothing) {
  const CommandResult result =
      launch({"-n", "2", "--profile", "/no/such/folder/trace.json"}, "echo started");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, HasSubstr("/no/such/folder/trace.json can't be written"));
}

}  // namespace
}  // namespace tutti::test::profile_test
