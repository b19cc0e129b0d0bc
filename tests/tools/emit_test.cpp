#include "tests/support/command.h"
#include "tests/support/environment_variable.h"
#include <gmock/gmock.h>

namespace tutti::emit_test {
namespace {

using test::CommandResult;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Emit : public testing::Test {
 protected:
  CommandResult emit(const std::string& program, const std::string& stage,
                     const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {TUTTI_BINARY_DIR "/bin/tutti", "emit",
                                        folder_.write("p.tutti", program), "--stage", stage};
    command.insert(command.end(), more.begin(), more.end());
    return test::run_command(command);
  }
  std::string text(const std::string& program, const std::string& stage,
                   const std::vector<std::string>& more = {}) {
    const CommandResult result = emit(program, stage, more);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
  void expect_refused(const CommandResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(result.output, "");
  }

  TemporaryFolder folder_;
};

const std::string kProgram =
    "func @f(%x: f32[64]) {\n%0 = exp(%x)\n%1 = exp(%x)\n%2 = add(%0, %1)\nreturn %2 }\n";
const std::string kOnGpu =
    "func @f(%x: f32[64] on cuda:0) {\n%0 = exp(%x)\n%1 = add(%0, %x)\nreturn %1 }\n";
// Rank 1 sends nothing.
const std::string kMessage =
    "group @g = {ranks = [0, 1]}\nfunc @f(%x: f32[64]) {\n%0 = collective_permute(%x) {pairs = [0, "
    "1], group = @g}\n%1 = wait(%0)\nreturn %1 }\n";

TEST_F(Emit, ShowsThePasses) {
  const std::string all = text(kProgram, "passes");
  EXPECT_THAT(all, HasSubstr("// the program\n// tutti ir 1\n"));
  EXPECT_THAT(all, HasSubstr("\n// after canonicalize (unchanged)\n"));
  EXPECT_THAT(all, HasSubstr("\n// after cse\n"));
  EXPECT_THAT(all, HasSubstr("fusion = 0"));
}

// As a run of the program would.
TEST_F(Emit, TakesWhatTheEnvironmentSaysOfCollectives) {
  const std::string program = folder_.write("p.tutti", kMessage);
  const auto plan_with = [&](const std::string& variable) {
    return test::run_command({"/usr/bin/env", variable, TUTTI_BINARY_DIR "/bin/tutti", "emit",
                              program, "--stage", "plan"});
  };
  EXPECT_THAT(plan_with("TUTTI_SET=algorithm=two_shot").output,
              HasSubstr("algorithm = \"two-shot, always\""));
  const std::string table = folder_.write("table.txt", "* * * * 8 never 1M 1M never\n");
  EXPECT_THAT(plan_with("TUTTI_COLLECTIVES=" + table).output,
              HasSubstr("algorithm = \"two-shot, above 8 bytes\""));
  EXPECT_THAT(plan_with("TUTTI_COLLECTIVES=" + table + ".none").errors,
              HasSubstr("TUTTI_COLLECTIVES: "));
  EXPECT_THAT(plan_with("TUTTI_COLLECTIVES=" + folder_.path().string()).errors,
              HasSubstr(" is a folder"));
}

TEST_F(Emit, LeavesOutDisabledPasses) {
  const test::EnvironmentVariable disable("TUTTI_DISABLE", "cse,fuse");
  EXPECT_THAT(text(kProgram, "passes"),
              AllOf(HasSubstr("// after canonicalize"), Not(HasSubstr("// after cse")),
                    Not(HasSubstr("fusion"))));
  EXPECT_THAT(text(kProgram, "dce"), HasSubstr("add(%0, %1)"));
  EXPECT_THAT(text(kProgram, "kernels"), HasSubstr("kernel exp "));
  expect_refused(emit(kProgram, "cse"), 2, "the stage 'cse' is left out: TUTTI_DISABLE names it");
}

TEST_F(Emit, ShowsTheProgramAfterAPass) {
  EXPECT_THAT(text(kProgram, "canonicalize"), HasSubstr("%1 = exp(%x)"));
  const std::string after = text(kProgram, "cse");
  EXPECT_THAT(after, HasSubstr("add(%0, %0)"));
  EXPECT_THAT(after, Not(HasSubstr("fusion")));
  // It is a program again.
  EXPECT_EQ(text(after, "canonicalize"), text(after, "cse"));
}

TEST_F(Emit, ShowsKernelsAndPlan) {
  EXPECT_THAT(text(kProgram, "kernels"), HasSubstr("kernel exp_add"));
  EXPECT_THAT(text(kProgram, "plan"), HasSubstr("plan @f rank 0"));
  if (TUTTI_HAS_LLVM == 0) {
    expect_refused(emit(kProgram, "llvm"), 1, "this build of Tutti has no LLVM");
    return;
  }
  EXPECT_THAT(text(kProgram, "llvm"), HasSubstr("define void @"));
  EXPECT_THAT(text(kProgram, "asm"), HasSubstr(".globl"));
}

TEST_F(Emit, UsesNoMoreInstructionsThanTheEnvironmentSays) {
  const std::string program = folder_.write("p.tutti", kProgram);
  const auto assembly = [&](const std::string& most) {
    return test::run_command({"/usr/bin/env", "TUTTI_SET=instructions=" + most,
                              TUTTI_BINARY_DIR "/bin/tutti", "emit", program, "--stage", "asm"});
  };
  if (TUTTI_HAS_LLVM != 0) {
    EXPECT_THAT(assembly("avx2").output, AllOf(HasSubstr(".globl"), Not(HasSubstr("zmm"))));
    EXPECT_THAT(assembly("baseline").output, AllOf(HasSubstr(".globl"), Not(HasSubstr("ymm"))));
  }
  expect_refused(assembly("sse"), 1,
                 "instructions in TUTTI_SET is \"sse\"; it takes avx512, avx2 or baseline");
}

TEST_F(Emit, ShowsThePlanOfARank) {
  EXPECT_THAT(text(kMessage, "plan", {"--rank", "1"}), HasSubstr("plan @f rank 1"));
  expect_refused(emit(kMessage, "plan", {"--rank", "2"}), 2, "@f has no rank 2: it is for 2 ranks");
  expect_refused(emit(kMessage, "plan", {"--rank", "-1"}), 2, "--rank");
}

TEST_F(Emit, ShowsCudaWithoutAGpu) {
  EXPECT_THAT(text(kOnGpu, "cuda"), HasSubstr("extern \"C\" __global__ void"));
  expect_refused(emit(kProgram, "cuda"), 2, "@f has nothing on a GPU, so there is no stage 'cuda'");
}

TEST_F(Emit, PutsProgramsThatNameNoDeviceOnAGpu) {
  EXPECT_THAT(text(kProgram, "cuda", {"--on", "device"}),
              HasSubstr("extern \"C\" __global__ void"));
  EXPECT_EQ(text(kOnGpu, "plan", {"--on", "device"}), text(kOnGpu, "plan"));
  EXPECT_EQ(text(kProgram, "plan", {"--on", "host"}), text(kProgram, "plan"));
}

TEST_F(Emit, ShowsPtxWhereNvrtcIsThere) {
  const CommandResult result = emit(kOnGpu, "ptx", {"--arch", "sm_90"});
  if (result.status == 0) {
    EXPECT_THAT(result.output, HasSubstr(".target sm_90"));
    expect_refused(emit(kOnGpu, "ptx", {"--arch", "sm_9"}), 1, "sm_9");
    expect_refused(emit(kOnGpu, "ptx", {"--arch", "90"}), 2, "write sm_90");
    expect_refused(emit(kOnGpu, "plan", {"--arch", "sm_90"}), 2, "--arch is for --stage ptx");
  } else {
    expect_refused(result, 1, TUTTI_HAS_CUDA == 0 ? "no CUDA" : "nvrtc");
  }
}

TEST_F(Emit, WritesAFile) {
  const std::string path = folder_.path() / "plan.txt";
  EXPECT_EQ(text(kProgram, "plan", {"-o", path}), "");
  EXPECT_EQ(folder_.read("plan.txt"), text(kProgram, "plan"));
  expect_refused(emit(kProgram, "plan", {"--output", "/nowhere/at/all"}), 1,
                 "/nowhere/at/all: cannot be written");
}

TEST_F(Emit, RefusesStagesThatDoNotExist) {
  expect_refused(emit(kProgram, "cuba"), 2, "--stage: cuba not in {passes,");
}

}  // namespace
}  // namespace tutti::emit_test
