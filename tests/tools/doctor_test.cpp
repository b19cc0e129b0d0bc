#include <tutti/codegen/build_id.h>

#include <cstdlib>
#include <map>

#include "tests/support/command.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tutti::doctor_test {
namespace {

using test::CommandResult;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CommandResult run_doctor(std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {TUTTI_BINARY_DIR "/bin/tutti", "doctor"});
  return test::run_command(arguments);
}

std::map<std::string, nlohmann::json> rows() {
  const CommandResult result = run_doctor({"--json"});
  EXPECT_EQ(result.status, 0) << result.errors;
  std::map<std::string, nlohmann::json> out;
  for (const auto& row : nlohmann::json::parse(result.output)) out[row.at("name")] = row;
  return out;
}

TEST(Doctor, ListsWhatThisBuildIsMadeOf) {
  auto found = rows();
  EXPECT_THAT(found["Tutti"]["says"].get<std::string>(),
              HasSubstr("build " + std::string(codegen::build_id()).substr(0, 8)));
  EXPECT_EQ(found["LLVM"]["works"], TUTTI_HAS_LLVM != 0);
  EXPECT_EQ(found["oneDNN"]["works"], TUTTI_HAS_ONEDNN != 0);
  EXPECT_EQ(found["CUDA"]["works"], TUTTI_HAS_CUDA != 0);
  EXPECT_EQ(found["shared memory"]["works"], true);
  EXPECT_THAT(found["processor"]["says"].get<std::string>(), HasSubstr("core"));
}

TEST(Doctor, SaysWhatDoesNotWorkWithoutWhatIsMissing) {
  ::setenv("TUTTI_CACHE", "off", 1);
  auto found = rows();
  EXPECT_EQ(found["disk cache"]["works"], false);
  EXPECT_EQ(found["disk cache"]["without"], "every process compiles all that it needs");
  EXPECT_FALSE(found["Tutti"].contains("without"));
}

// As the system's loader does for an empty element of a program's path.
TEST(Doctor, FindsNoLibraryInTheCurrentFolder) {
  const test::TemporaryFolder folder;
  folder.write("libcuda.so.1", "no library");
  const CommandResult result =
      test::run_command({"/usr/bin/env", "--chdir=" + folder.path().string(),
                         TUTTI_BINARY_DIR "/bin/tutti", "doctor", "--json"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, Not(HasSubstr("too short")));
  EXPECT_THAT(result.output, Not(HasSubstr("ELF")));
}

TEST(Doctor, SeesLimits) {
  ::setenv("TUTTI_CACHE", "off", 1);
  const CommandResult small = test::run_command(
      {"/bin/sh", "-c", "ulimit -f 8; exec " TUTTI_BINARY_DIR "/bin/tutti doctor"});
  EXPECT_EQ(small.status, 0) << small.errors;
  EXPECT_THAT(small.output,
              testing::ContainsRegex("shared memory +missing: [^.]*\\(ulimit *\n? *-f"));
  EXPECT_THAT(small.output, testing::ContainsRegex("\nfiles +missing: only files of up to 4 KiB"));
  const auto unlimited = rows();
  EXPECT_EQ(unlimited.at("threads")["works"], true);
}

TEST(Doctor, PrintsAPage) {
  ::setenv("TUTTI_CACHE", "off", 1);
  const CommandResult result = run_doctor();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("Tutti "));
  EXPECT_THAT(result.output, HasSubstr("\ndisk cache     missing: is off: "));
  EXPECT_THAT(result.output,
              HasSubstr("\n               without it: every process compiles all that it needs\n"));
}

#if TUTTI_HAS_CUDA

class DoctorOfCuda : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("TUTTI_CUDA_LIBRARIES");
    ::unsetenv("TUTTI_TEST_FAKE_CUDA");
  }
};

TEST_F(DoctorOfCuda, ListsTheDriverItsGpusAndTheCompiler) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=2,capability=80,memory=4294967296", 1);
  auto found = rows();
  EXPECT_THAT(found["NVIDIA driver"]["says"].get<std::string>(),
              HasSubstr(", " TUTTI_BINARY_DIR "/fake_cuda/libcuda.so.1"));
  EXPECT_THAT(found["cuda:0"]["says"].get<std::string>(),
              StartsWith("Fake GPU 0, sm_80, 4.0 GiB, PCI 0000:01:00.0"));
  EXPECT_THAT(found["cuda:1"]["says"].get<std::string>(),
              StartsWith("Fake GPU 1, sm_80, 4.0 GiB, PCI 0000:02:00.0"));
  EXPECT_THAT(found["NVRTC"]["says"].get<std::string>(), StartsWith("13.9999, "));
}

TEST_F(DoctorOfCuda, TellsHowGpusReachEachOtherAndWhatNcclWouldDo) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=4", 1);
  auto found = rows();
  EXPECT_EQ(found["GPU to GPU"]["says"],
            "4 GPUs reach each other over NVLink or its like (the link carries atomics)");
  EXPECT_EQ(found["cuda:nccl"]["says"],
            "serves up to 4 ranks that a launcher starts, with a GPU each; compiled programs get "
            "windows");
}

TEST_F(DoctorOfCuda, ExplainsComputeModes) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1,mode=prohibited", 1);
  auto prohibited = rows();
  EXPECT_EQ(prohibited["cuda:0"]["works"], false);
  EXPECT_THAT(
      prohibited["cuda:0"]["says"].get<std::string>(),
      StartsWith("no program may use it: its compute mode is `prohibited`; `nvidia-smi -c "));
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1,mode=exclusive", 1);
  auto exclusive = rows();
  EXPECT_EQ(exclusive["cuda:0"]["works"], true);
  EXPECT_THAT(exclusive["cuda:0"]["says"].get<std::string>(),
              HasSubstr("; its compute mode is `exclusive process`: "));
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1", 1);
  EXPECT_THAT(rows()["cuda:0"]["says"].get<std::string>(), Not(HasSubstr("compute mode")));
}

TEST_F(DoctorOfCuda, SaysWhetherTheDriverTakesWhatNvrtcCompiles) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1,version=12080", 1);
  auto older = rows();
  EXPECT_EQ(older["NVRTC's code"]["works"], false);
  EXPECT_THAT(older["NVRTC's code"]["says"].get<std::string>(),
              StartsWith("the driver is of CUDA 12.8 and refuses what NVRTC 13.9999 compiles; "
                         "install NVRTC 12 ("));
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1,version=13000", 1);
  auto fitting = rows();
  EXPECT_EQ(fitting["NVRTC's code"]["works"], true);
  EXPECT_THAT(fitting["NVRTC's code"]["says"].get<std::string>(),
              StartsWith("the driver, of CUDA "));
}

TEST_F(DoctorOfCuda, SaysWhatMemoryGpusCanShare) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=2,multicast=off", 1);
  auto without = rows();
  EXPECT_EQ(without["multicast"]["works"], false);
  EXPECT_EQ(without["fabric handles"]["says"],
            "GPUs give their memory to those of this host alone");
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=2,fabric=on", 1);
  auto with = rows();
  EXPECT_EQ(with["multicast"]["works"], true);
  EXPECT_THAT(with["fabric handles"]["says"].get<std::string>(), HasSubstr("of other hosts"));
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1", 1);
  EXPECT_FALSE(rows().contains("multicast")) << "there is nobody to share it with";
}

TEST_F(DoctorOfCuda, SaysWhichGpusDoNotReachEachOther) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=2,peers=off", 1);
  auto found = rows();
  EXPECT_EQ(found["GPU to GPU"]["works"], false);
  EXPECT_EQ(found["GPU to GPU"]["says"], "2 GPUs reach each other not directly");
  EXPECT_THAT(found["GPU to GPU"]["without"].get<std::string>(), HasSubstr("through the host"));
}

TEST_F(DoctorOfCuda, SaysWhyNcclWouldNotServe) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=1", 1);
  auto one = rows();
  EXPECT_EQ(one["cuda:nccl"]["works"], false);
  EXPECT_THAT(one["cuda:nccl"]["says"].get<std::string>(), StartsWith("there is one GPU"));
  EXPECT_FALSE(one.contains("GPU to GPU"));
  ::setenv("TUTTI_CUDA_LIBRARIES",
           TUTTI_BINARY_DIR "/fake_nccl_2.27.7:" TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=2", 1);
  auto older = rows();
  EXPECT_THAT(older["cuda:nccl"]["says"].get<std::string>(),
              HasSubstr("without windows: NCCL 2.27.7 is older than 2.29.7"));
}

TEST_F(DoctorOfCuda, SaysWhyThereIsNoGpu) {
  ::setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
  ::setenv("TUTTI_TEST_FAKE_CUDA", "devices=0", 1);
  auto found = rows();
  EXPECT_EQ(found["NVIDIA driver"]["works"], false);
  EXPECT_THAT(found["NVIDIA driver"]["says"].get<std::string>(), HasSubstr("CUDA_ERROR_NO_DEVICE"));
  EXPECT_EQ(found["NVIDIA driver"]["without"], "nothing runs on a GPU");
}

#endif

}  // namespace
}  // namespace tutti::doctor_test
