#include <tutti/codegen/cuda/compile.h>
#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/ir/support/error.h>

#include <thread>

#include "tests/support/command.h"
#include "tests/support/nvrtc.h"
#include <gmock/gmock.h>

// With NVRTC itself, which needs no GPU.
namespace tutti::codegen::cuda::compile_test {
namespace {

using runtime::DiskCache;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Source adds(int number) {
  const std::string name = "add_" + std::to_string(number);
  Source source;
  source.name = name;
  source.text = "extern \"C\" __global__ void " + name +
                "(const float* x, float* y) {\n  y[threadIdx.x] = x[threadIdx.x] + " +
                std::to_string(number) + ".0f;\n}\n";
  source.block = {32, 1, 1};
  return source;
}

class CudaCompile : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }

  DiskCache cache() { return DiskCache({.folder = home_.path() / "cache", .why_off = ""}); }

  test::TemporaryFolder home_;
};

template <class Error, class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(CudaCompile, MakesMachineCodeForEachGeneration) {
  for (const char* const target : {"sm_80", "sm_90", "sm_100"}) {
    const Compiled compiled = compile_source(adds(1), target);
    ASSERT_GT(compiled.cubin.size(), 4U) << target;
    EXPECT_EQ(static_cast<char>(compiled.cubin[1]), 'E') << target;  // an ELF file
    EXPECT_GT(compiled.use.registers, 0) << target;
  }
}

TEST_F(CudaCompile, TellsWhatAKernelTakes) {
  const Source source = {.name = "reverse",
                         .text = R"(
extern "C" __global__ void reverse(float* x) {
  __shared__ float part[256];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[255 - threadIdx.x];
})",
                         .grid = {1, 1, 1},
                         .block = {256, 1, 1}};
  const ResourceUse use = compile_source(source, "sm_90").use;
  EXPECT_EQ(use.shared_bytes, 1024);
  EXPECT_EQ(use.barriers, 1);
  EXPECT_EQ(use.stack_bytes, 0);
  EXPECT_EQ(use.spill_stores, 0);
}

TEST_F(CudaCompile, TellsOfSpills) {
  std::string body;
  for (int i = 0; i < 64; ++i) {
    body += "  const float v" + std::to_string(i) + " = x[" + std::to_string(i * 7) + "];\n";
  }
  body += "  __syncthreads();\n";
  for (int i = 0; i < 64; ++i) {
    body += "  x[" + std::to_string(i) + "] = v" + std::to_string(63 - i) + " * v" +
            std::to_string(i) + ";\n";
  }
  const Source source = {
      .name = "many",
      .text = "extern \"C\" __global__ void __launch_bounds__(1024, 2) many(float* x) {\n" + body +
              "}\n",
      .grid = {1, 1, 1},
      .block = {1024, 1, 1}};
  const ResourceUse use = compile_source(source, "sm_90").use;
  EXPECT_EQ(use.registers, 32);
  EXPECT_GT(use.spill_stores, 0);
  EXPECT_GT(use.spill_loads, 0);
}

TEST_F(CudaCompile, DoesNotContractAMultiplyAndAnAdd) {
  const Source source = {.name = "f", .text = R"(
extern "C" __global__ void f(float* x) { x[0] = x[1] * x[2] + x[3]; })"};
  const std::string ptx = ptx_of(source, "sm_90");
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.rn.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
}

TEST_F(CudaCompile, AMistakeInATextIsABugWithItsLines) {
  Source source = adds(1);
  source.text += "\n// one\n// two\n// three\n__device__ int f() { return nothing; }\n// end\n";
  const std::string message = message_of<InternalError>([&] { compile_source(source, "sm_90"); });
  EXPECT_THAT(message, StartsWith("NVRTC refuses the kernel add_1 for sm_90:\n"));
  EXPECT_THAT(message, HasSubstr("add_1.cu(8): error: identifier \"nothing\" is undefined"));
  EXPECT_THAT(message, HasSubstr("  7  // three\n> 8  __device__ int f() { return nothing; }\n"
                                 "  9  // end\n"));
  EXPECT_THAT(message, Not(HasSubstr("  1  extern")));
}

TEST_F(CudaCompile, AGpuThatNvrtcDoesNotKnowIsNamedWithThoseItKnows) {
  const std::string message =
      message_of<EnvironmentError>([&] { compile_source(adds(1), "sm_999"); });
  EXPECT_THAT(message, HasSubstr("compiles no code for this GPU, sm_999; it does for sm_"));
  EXPECT_THAT(message, HasSubstr("sm_90"));
  EXPECT_THAT(message_of<InternalError>([&] { compile_source(adds(1), "gfx90"); }),
              HasSubstr("'gfx90' is no GPU to compile for; 'sm_90' is one"));
}

TEST_F(CudaCompile, FindsOnDiskWhatWasCompiledBefore) {
  const std::vector<Source> sources = {adds(1), adds(2), adds(3)};
  for (const std::uint64_t stored : {3, 0}) {
    DiskCache disk = cache();
    Compiler compiler(16, &disk);
    EXPECT_EQ(compiler.compile(sources, "sm_90").size(), 3U);
    EXPECT_EQ(disk.counts().stores, stored);
    EXPECT_EQ(disk.counts().hits, 3 - stored);
  }
  DiskCache disk = cache();
  Compiler compiler(16, &disk);
  compiler.compile(sources, "sm_80");
  EXPECT_EQ(disk.counts().stores, 3U) << "another GPU is other code";
  EXPECT_THAT(disk.files().front().origin, HasSubstr("NVRTC "));
}

TEST_F(CudaCompile, TheShapeOfALaunchIsNotPartOfTheCode) {
  DiskCache disk = cache();
  Compiler compiler(16, &disk);
  Source source = adds(1);
  const auto first = compiler.compile({&source, 1}, "sm_90");
  source.grid = {7, 1, 1};
  const auto second = compiler.compile({&source, 1}, "sm_90");
  EXPECT_NE(first, second);
  EXPECT_EQ(disk.counts().stores, 1U);
}

TEST_F(CudaCompile, EqualKernelsAreCompiledOnce) {
  DiskCache disk = cache();
  Compiler compiler(16, &disk);
  const std::vector<Source> sources = {adds(1), adds(2), adds(1)};
  std::vector<std::vector<std::shared_ptr<const runtime::DeviceCode>>> codes(4);
  {
    std::vector<std::jthread> ranks;
    for (auto& mine : codes) {
      ranks.emplace_back([&] { mine = compiler.compile(sources, "sm_90"); });
    }
  }
  for (const auto& mine : codes) {
    ASSERT_EQ(mine.size(), 3U);
    EXPECT_EQ(mine, codes.front());
    EXPECT_EQ(mine[0], mine[2]);
    EXPECT_NE(mine[0], mine[1]);
  }
  EXPECT_EQ(compiler.compiled(), 2U);
  EXPECT_EQ(disk.counts().stores, 2U);
}

TEST_F(CudaCompile, ForgetsWhatWasUsedLongestAgo) {
  DiskCache disk = cache();
  Compiler compiler(2, &disk);
  for (const int number : {1, 2, 1, 3, 1}) {
    const Source source = adds(number);
    compiler.compile({&source, 1}, "sm_90");
  }
  EXPECT_EQ(compiler.size(), 2U);
  EXPECT_EQ(compiler.compiled(), 3U);
}

TEST_F(CudaCompile, AMistakeIsNotRemembered) {
  DiskCache disk = cache();
  Compiler compiler(16, &disk);
  Source bad = adds(1);
  bad.text = "no CUDA";
  const std::vector<Source> sources = {adds(2), bad};
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(compiler.compile(sources, "sm_90"), InternalError);
    EXPECT_EQ(compiler.size(), 0U);
  }
  EXPECT_EQ(compiler.compile({sources.data(), 1}, "sm_90").size(), 1U);
}

}  // namespace
}  // namespace tutti::codegen::cuda::compile_test
