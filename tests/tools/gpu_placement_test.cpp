// `--on device`, on the doubles of tests/fake_cuda.

#include <cstdlib>

#include "tests/tools/run_testing.h"

namespace tutti::gpu_placement_test {
namespace {

using test::CommandResult;
using testing::HasSubstr;

class OnDevice : public test::RunsPrograms {
 protected:
  // With so many GPUs.
  CommandResult run_with(int gpus, const std::string& program,
                         const std::vector<std::string>& arguments) {
    const std::string setup = "devices=" + std::to_string(gpus) + ",capability=90,memory=67108864";
    ::setenv("TUTTI_CUDA_LIBRARIES", gpus == 0 ? "/nowhere" : TUTTI_BINARY_DIR "/fake_cuda", 1);
    ::setenv("TUTTI_TEST_FAKE_CUDA", setup.c_str(), 1);
    CommandResult result = run(program, arguments);
    ::unsetenv("TUTTI_CUDA_LIBRARIES");
    ::unsetenv("TUTTI_TEST_FAKE_CUDA");
    return result;
  }
};

// %s stays with the caller.
const std::string kScale =
    "func @f(%x: f32[8], %s: f32[]) {\n%0 = neg(%x)\n%1 = mul(%0, %s)\nreturn %1, %s }\n";
const std::string kSum =
    "mesh (dp = 3)\ngroup @dp = {ranks = [0, 1, 2]}\nfunc @f(%x: f32[8]) {\n"
    "%0 = all_reduce(%x) {op = \"sum\", group = @dp}\n%1 = wait(%0)\nreturn %1 }\n";
const std::string kLoop =
    "private func @less(%y: f32[]) {\n  %0 = constant() {value = f32[] 100}\n"
    "  %1 = abs(%y)\n  %2 = lt(%1, %0)\n  return %2\n}\n"
    "private func @twice(%y: f32[]) {\n  %0 = add(%y, %y)\n  return %0\n}\n"
    "func @f(%x: f32[]) {\n"
    "  %0 = while_loop(%x) {condition = @less, body = @twice, carries = 1}\n  return %0\n}\n";

TEST_F(OnDevice, NamesWhatIsMissingAndWhatWorksWithoutIt) {
  const CommandResult result = run_with(0, kScale, {"--random", "1", "--on", "device"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, HasSubstr("--on device: "));
  EXPECT_THAT(result.errors, HasSubstr(TUTTI_HAS_CUDA == 0 ? "no CUDA" : "no NVIDIA driver"));
  EXPECT_THAT(result.errors, HasSubstr("`tutti emit --stage cuda --on device`"));
}

#if TUTTI_HAS_CUDA

TEST_F(OnDevice, GivesWhatTheHostGives) {
  const CommandResult host = run_with(0, kScale, {"--random", "1", "--on", "host"});
  EXPECT_EQ(host.status, 0) << host.errors;
  const CommandResult device = run_with(1, kScale, {"--random", "1", "--on", "device"});
  EXPECT_EQ(device.status, 0) << device.errors;
  EXPECT_EQ(device.output, host.output);
}

TEST_F(OnDevice, RanksShareTheGpus) {
  const std::string host = run_with(0, kSum, {"--random", "1"}).output;
  EXPECT_THAT(host, HasSubstr("rank 2\n"));
  for (const int gpus : {1, 2}) {
    EXPECT_EQ(run_with(gpus, kSum, {"--random", "1", "--on", "device"}).output, host);
    EXPECT_EQ(run_with(gpus, kSum, {"--random", "1", "--on", "device", "--processes"}).output,
              host);
  }
}

TEST_F(OnDevice, LeavesProgramsThatNameDevices) {
  // There is no cuda:1.
  const CommandResult result =
      run_with(1, "func @f(%x: f32[8] on cuda:1) {\n%0 = neg(%x)\nreturn %0 }\n",
               {"--random", "1", "--on", "device"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("cuda:1"));
}

TEST_F(OnDevice, TakesLoopsAlong) {
  const CommandResult host = run_with(0, kLoop, {"--random", "1"});
  EXPECT_EQ(host.status, 0) << host.errors;
  const CommandResult device = run_with(1, kLoop, {"--random", "1", "--on", "device"});
  EXPECT_EQ(device.status, 0) << device.errors;
  EXPECT_EQ(device.output, host.output);
}

#endif

TEST_F(OnDevice, TheInterpreterRunsNoCompiledCode) {
  const CommandResult plain = run_with(0, kScale, {"--random", "1", "--interpret"});
  EXPECT_EQ(plain.status, 0) << plain.errors;
  EXPECT_EQ(run_with(0, kScale, {"--random", "1", "--on", "interpreter"}).output, plain.output);
  for (const char* const option : {"--bench", "--processes", "--compile-only"}) {
    const CommandResult result =
        run_with(0, kScale, {"--random", "1", "--on", "interpreter", option});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.errors, HasSubstr(std::string(option) + " is of the compiler"));
  }
}

}  // namespace
}  // namespace tutti::gpu_placement_test
