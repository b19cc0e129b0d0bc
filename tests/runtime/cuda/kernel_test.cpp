#include <tutti/ir/support/error.h>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::kernel_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CudaKernelTest : public FakeCudaTest {};

TEST_F(CudaKernelTest, IsLoadedAtItsFirstLaunchAndUnloadedWhenItGoes) {
  const auto gpu = open();
  auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  fake_.calls();
  launch(*kernel, *gpu, {x.get(), x.get()});
  launch(*kernel, *gpu, {x.get(), x.get()});
  EXPECT_EQ(fake_.calls(),
            "cuModuleLoadData: module1\n"
            "cuModuleGetFunction module1 add_one\n"
            "cuFuncGetParamInfo add_one 0\n"
            "cuFuncGetParamInfo add_one 1\n"
            "cuFuncGetParamInfo add_one 2 = CUDA_ERROR_INVALID_VALUE\n"
            "cuLaunchKernel stream1 add_one 2x1x1 32x1x1 memory1 memory1\n"
            "cuLaunchKernel stream1 add_one 2x1x1 32x1x1 memory1 memory1\n");
  kernel = nullptr;  // after its work
  EXPECT_EQ(fake_.calls(), "cuStreamSynchronize stream1\ncuModuleUnload module1\n");
  EXPECT_EQ(to_host(*gpu, *x), count_up(64, 2));
}

TEST_F(CudaKernelTest, MayOutliveTheAccelerator) {
  const auto kernel = add_one();
  for (int i = 0; i < 2; ++i) {
    const auto gpu = open();
    const auto x = on_device(*gpu, count_up(64));
    launch(*kernel, *gpu, {x.get(), x.get()});
    EXPECT_EQ(to_host(*gpu, *x), count_up(64, 1));
  }
  EXPECT_EQ(fake_.left(), "");
}

TEST_F(CudaKernelTest, GetsAWorkspaceBehindItsBuffers) {
  const auto gpu = open();
  const char* const text = R"(
extern "C" __global__ void count(float* y, unsigned* workspace) {
  const unsigned before = atomicAdd(workspace, 1u);
  if (threadIdx.x == 0) y[0] = workspace[1024] == 0xA5A5A5A5u ? 1.0f : 0.0f;
  if (before == blockDim.x - 1) {
    y[1] = before;
    workspace[0] = 0;
  }
})";
  const CudaKernel kernel(test::FakeCuda::image("count", text),
                          {.grid = {1, 1, 1}, .block = {8, 1, 1}, .workspace_bytes = 8192});
  const auto y = gpu->memory().allocate(8);
  for (int i = 0; i < 2; ++i) {
    launch(kernel, *gpu, {y.get()});
    EXPECT_EQ(to_host(*gpu, *y), (std::vector<float>{1, 7})) << i;
  }
}

TEST_F(CudaKernelTest, AWorkspaceGrowsAndTheOldOneStays) {
  const auto gpu = open();
  std::byte* const small = gpu->workspace(100);
  EXPECT_EQ(gpu->workspace(4096), small);
  std::byte* const large = gpu->workspace(std::size_t{3} << 20);
  EXPECT_NE(large, small);
  EXPECT_EQ(gpu->workspace(100), large);
  for (std::byte* const place : {small, large}) {
    std::vector<char> counters(Accelerator::kCounterBytes, 1);
    gpu->copy_out(counters.data(), place, counters.size());
    EXPECT_THAT(counters, testing::Each(0));
  }
}

TEST_F(CudaKernelTest, NoRoomForAWorkspaceIsAnError) {
  const auto gpu = open();
  EXPECT_THAT(
      message_of<EnvironmentError>([&] { gpu->workspace(std::size_t{1} << 30); }),
      HasSubstr("no 1073741824 bytes (1 GiB) to be had for the workspace of kernels; 0 B are in "
                "use by this rank; cuda:0 has 64 MiB of 64 MiB free"));
  gpu->memory().allocate(std::size_t{40} << 20);  // and back: cached
  EXPECT_NE(gpu->workspace(std::size_t{40} << 20), nullptr);
}

TEST_F(CudaKernelTest, OfTheWrongGpuSaysSo) {
  const auto gpu = open();
  const CudaKernel kernel(
      test::FakeCuda::image("f", "extern \"C\" __global__ void f(float* x) { x[0] = 1; }", "sm_80"),
      {});
  const auto x = gpu->memory().allocate(4);
  EXPECT_THAT(message_of<EnvironmentError>([&] { launch(kernel, *gpu, {x.get()}); }),
              HasSubstr("cuModuleLoadData failed: CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel image is "
                        "available for execution on the device); loading the kernel f; the driver "
                        "may be older than the NVRTC"));
}

TEST_F(CudaKernelTest, AShapeThatNoGpuTakesIsNamed) {
  const auto gpu = open();
  const CudaKernel kernel(
      test::FakeCuda::image("f", "extern \"C\" __global__ void f(float* x) { x[0] = 1; }"),
      {.grid = {1, 2, 3}, .block = {4096, 1, 1}, .workspace_bytes = 0});
  const auto x = gpu->memory().allocate(4);
  EXPECT_THAT(message_of<EnvironmentError>([&] { launch(kernel, *gpu, {x.get()}); }),
              HasSubstr("cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (invalid argument); "
                        "launching f with 1x2x3 blocks of 4096x1x1 threads"));
  EXPECT_THAT(fake_.complaints(), HasSubstr("a launch that no GPU takes"));
}

TEST_F(CudaKernelTest, WhatItDoesWrongComesFromALaterCall) {
  auto gpu = open();
  const char* const text = R"(
extern "C" __global__ void beside(float* x) { x[16 + threadIdx.x] = 1; })";
  const CudaKernel kernel(test::FakeCuda::image("beside", text),
                          {.grid = {1, 1, 1}, .block = {4, 1, 1}, .workspace_bytes = 0});
  auto x = gpu->memory().allocate(64);
  launch(kernel, *gpu, {x.get()});
  EXPECT_THAT(message_of<EnvironmentError>([&] { gpu->synchronize(); }),
              HasSubstr("cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
                        "access was encountered); code that was launched before touched memory"));
  EXPECT_THAT(message_of<EnvironmentError>([&] { gpu->copy(x->data(), x->data() + 32, 16); }),
              HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(fake_.complaints(), HasSubstr("wrote beside memory1, which has 64 bytes"));
  x = nullptr;
  gpu = nullptr;
  fake_ = test::FakeCuda();  // nothing can be given back to a GPU that is in such a state
}

TEST_F(CudaKernelTest, HostsAreNoPlaceForIt) {
  class Host final : public Accelerator {
   public:
    Device device() const override { return Device::cpu(); }
    std::string name() const override { return "a host"; }
    std::string target() const override { return {}; }
    Allocator& memory() override { return memory_; }
    void copy_in(void*, const void*, std::size_t) override {}
    void copy_out(void*, const void*, std::size_t) override {}
    void copy(void*, const void*, std::size_t) override {}
    std::byte* workspace(std::size_t) override { return nullptr; }
    std::unique_ptr<Recording> record(FunctionRef<void()>) override { return nullptr; }
    std::shared_ptr<const Part> record_part(FunctionRef<void()>) override { return nullptr; }
    std::unique_ptr<JoinedRecording> join(std::vector<JoinedPart>) override { return nullptr; }
    std::unique_ptr<Moment> moment() override { return nullptr; }
    void synchronize() override {}

   private:
    Allocator memory_;
  } host;
  EXPECT_THAT(message_of<InternalError>([&] { launch(*add_one(), host, {}); }),
              HasSubstr("code for CUDA was given a host"));
}

}  // namespace
}  // namespace tutti::runtime::kernel_test
