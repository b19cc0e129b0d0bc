#include <tutti/ir/support/error.h>
#include <tutti/runtime/dylib/cublaslt.h>
#include <tutti/runtime/dylib/nccl.h>
#include <tutti/runtime/dylib/nvrtc.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tests/runtime/cuda/testing.h"
#include "tests/support/command.h"
#include "tests/support/fake_cuda_process.h"

namespace tutti::runtime::dylib_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

SharedLibrary open(const std::vector<std::string>& folders, std::string_view name) {
  const std::array names = {name};
  return {folders, names};
}

TEST(SharedLibrary, IsTakenFromTheFirstFolderThatHasIt) {
  const SharedLibrary library = open({"/nowhere", test::FakeCuda::folder()}, "libcuda.so.1");
  ASSERT_TRUE(library.is_open());
  EXPECT_EQ(library.path(), test::FakeCuda::folder() + "/libcuda.so.1");
  EXPECT_EQ(library.tried(), "/nowhere/libcuda.so.1");
  EXPECT_NE(library.symbol("cuInit"), nullptr);
  EXPECT_EQ(library.symbol("cuNothing"), nullptr);
}

TEST(SharedLibrary, TheFirstNameWins) {
  const std::array<std::string_view, 2> names = {"libnvrtc.so.99", "libnvrtc.so.13"};
  const std::array folders = {test::FakeCuda::folder()};
  const SharedLibrary library(folders, names);
  EXPECT_EQ(library.path(), test::FakeCuda::folder() + "/libnvrtc.so.13");
}

TEST(SharedLibrary, WhatIsNotALibraryIsNamedWithTheReason) {
  const test::TemporaryFolder folder;
  folder.write("libcuda.so.1", "no library");
  const SharedLibrary library = open({"/nowhere", folder.path()}, "libcuda.so.1");
  EXPECT_FALSE(library.is_open());
  EXPECT_EQ(library.symbol("cuInit"), nullptr);
  EXPECT_THAT(library.tried(),
              StartsWith("/nowhere/libcuda.so.1, " + folder.path().string() + "/libcuda.so.1 ("));
}

TEST(SharedLibrary, WhatIsNotALibraryIsPassedOverAndTold) {
  const test::TemporaryFolder folder;
  folder.write("libcuda.so.1", "no library");
  const SharedLibrary library = open({folder.path(), test::FakeCuda::folder()}, "libcuda.so.1");
  EXPECT_EQ(library.path(), test::FakeCuda::folder() + "/libcuda.so.1");
  EXPECT_THAT(library.refused(), StartsWith(folder.path().string() + "/libcuda.so.1 ("));
}

// Of any of its names, though the system has one of another.
TEST(SharedLibrary, WhatTheProcessHasComesFirst) {
  const SharedLibrary loaded = open({test::FakeCuda::folder()}, "libcublasLt.so.13");
  ASSERT_TRUE(loaded.is_open());
  const std::array<std::string_view, 2> names = {"libutil.so.1", "libcublasLt.so.13"};
  const std::array<std::string, 1> folders = {""};
  EXPECT_EQ(SharedLibrary(folders, names).path(), loaded.path());
}

// Two libraries of one kind would each have their own idea of a process's GPUs. Without the empty
// folder a caller means those folders alone.
TEST(SharedLibrary, WhatTheProcessHasComesBeforeFolders) {
  const SharedLibrary loaded = open({test::FakeCuda::folder()}, "libcublasLt.so.13");
  ASSERT_TRUE(loaded.is_open());
  const test::TemporaryFolder folder;
  const std::string copy = folder.path() / "libcublasLt.so.13";
  std::filesystem::copy_file(loaded.path(), copy);
  EXPECT_EQ(open({folder.path(), ""}, "libcublasLt.so.13").path(), loaded.path());
  EXPECT_EQ(open({folder.path()}, "libcublasLt.so.13").path(), copy);
}

TEST(CudaLibraries, AreFoundInPackagesOfPython) {
  const test::TemporaryFolder packages;
  packages.write("nvidia/cublas/lib/libcublasLt.so.12", "");
  packages.write("nvidia/cu13/lib/libcublasLt.so.13", "");
  packages.write("nvidia/headers/include/cublasLt.h", "");
  const std::string root = packages.path().string();
  EXPECT_THAT(cuda_folders_of_packages(root),
              testing::ElementsAre(root + "/nvidia/cu13/lib", root + "/nvidia/cublas/lib"));
  EXPECT_THAT(cuda_folders_of_packages("/nowhere"), testing::IsEmpty());
}

TEST(CudaLibraries, AreOfTheDriversVersionWhereItTakesNoOther) {
  const std::array<std::string, 2> newest = {"libnvrtc.so.13", "libnvrtc.so.12"};
  const std::array<std::string, 2> older = {"libnvrtc.so.12", "libnvrtc.so.13"};
  EXPECT_EQ(names_of_cuda_library("libnvrtc.so.", 0), newest);
  EXPECT_EQ(names_of_cuda_library("libnvrtc.so.", 13010), newest);
  EXPECT_EQ(names_of_cuda_library("libnvrtc.so.", 12080), older);
}

// Doubles of both major versions are in one folder.
TEST(CudaLibraries, OfAProcessAreOfItsDriversVersion) {
  for (const auto& [driver, major] : {std::pair("12080", "12"), std::pair("13000", "13")}) {
    SCOPED_TRACE(driver);
    test::expect_with_fake_cuda(std::string("version=") + driver, [&] {
      const std::string nvrtc = Nvrtc::process().library().path();
      const std::string cublaslt = CublasLt::process().library().path();
      std::cerr << nvrtc << " and " << cublaslt << " are loaded\n";
      return nvrtc == test::FakeCuda::folder() + "/libnvrtc.so." + major &&
             cublaslt == test::FakeCuda::folder() + "/libcublasLt.so." + major;
    });
  }
}

TEST(SharedLibrary, CanBeMoved) {
  SharedLibrary library = open({test::FakeCuda::folder()}, "libcuda.so.1");
  SharedLibrary other = std::move(library);
  EXPECT_TRUE(other.is_open());
  library = std::move(other);
  EXPECT_NE(library.symbol("cuInit"), nullptr);
}

TEST(CudaLibraries, WhatIsMissingIsSaidWithWhatWasTriedAndWhatToDo) {
  EXPECT_THAT(message_of<EnvironmentError>([] { CudaDriver(open({"/a", "/b"}, "libcuda.so.1")); }),
              StartsWith("there is no NVIDIA driver for GPUs here: tried /a/libcuda.so.1, "
                         "/b/libcuda.so.1; install the driver"));
  EXPECT_THAT(message_of<EnvironmentError>([] { Nvrtc(open({"/a"}, "libnvrtc.so.13")); }),
              StartsWith("there is no NVRTC here, which compiles kernels for GPUs: tried "
                         "/a/libnvrtc.so.13; install the CUDA toolkit"));
  EXPECT_THAT(message_of<EnvironmentError>([] { CublasLt(open({"/a"}, "libcublasLt.so.13")); }),
              StartsWith("there is no cuBLASLt here, which multiplies matrices on GPUs: tried "
                         "/a/libcublasLt.so.13; install the CUDA toolkit"));
  EXPECT_THAT(message_of<EnvironmentError>([] { Nccl(open({"/a"}, "libnccl.so.2")); }),
              StartsWith("there is no NCCL here: tried /a/libnccl.so.2; install it"));
}

TEST(CudaLibraries, ALibraryWithoutAFunctionIsTooOld) {
  // Another library under the driver's name.
  EXPECT_THAT(message_of<EnvironmentError>(
                  [] { CudaDriver(open({test::FakeCuda::folder()}, "libnvrtc.so.13")); }),
              HasSubstr("/libnvrtc.so.13 has no function cuInit; the driver is too old"));
}

TEST(CudaLibraries, VersionedFunctionsAreThoseOfTheHeader) {
  test::FakeCuda fake;
  EXPECT_EQ(reinterpret_cast<void*>(fake.driver().cuMemAlloc),
            fake.driver().library().symbol("cuMemAlloc_v2"));
  EXPECT_EQ(reinterpret_cast<void*>(fake.driver().cuGraphInstantiate),
            fake.driver().library().symbol("cuGraphInstantiateWithFlags"));
  EXPECT_EQ(reinterpret_cast<void*>(fake.driver().cuEventElapsedTime),
            fake.driver().library().symbol("cuEventElapsedTime_v2"));
}

// What to do, behind what went wrong. In a process of its own, for the library stays with it.
TEST(CudaLibraries, EveryErrorOfNcclAdvises) {
  test::expect_in_own_process([] {
    const Nccl library(open({test::FakeCuda::folder()}, "libnccl.so.2"));
    std::set<std::string> advice;
    for (const nccl::Result result :
         {nccl::Result::unhandled_cuda_error, nccl::Result::system_error,
          nccl::Result::internal_error, nccl::Result::invalid_argument, nccl::Result::invalid_usage,
          nccl::Result::remote_error, nccl::Result::timeout}) {
      const std::string said =
          message_of<NcclError>([&] { library.check(result, "ncclAllReduce", nullptr); });
      const std::string begin = std::string("ncclAllReduce failed: ") +
                                library.ncclGetErrorString(result) + " (by the double of NCCL); ";
      EXPECT_THAT(said, StartsWith(begin));
      if (said.size() > begin.size()) advice.insert(said.substr(begin.size()));
    }
    EXPECT_EQ(advice.size(), 7U);
    return !testing::Test::HasFailure();
  });
}

TEST(CudaLibraries, NvrtcSaysItsVersion) {
  EXPECT_EQ(Nvrtc(open({test::FakeCuda::folder()}, "libnvrtc.so.13")).version(), "13.9999");
}

}  // namespace
}  // namespace tutti::runtime::dylib_test
