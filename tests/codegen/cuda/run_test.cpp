#include <tutti/codegen/cuda/compiler.h>
#include <tutti/runtime/run/open_accelerator.h>

#include <vector>

#include "tests/support/fake_cuda_process.h"
#include <gtest/gtest.h>

// From a text to what it computes, on the doubles of CUDA.
namespace tutti::codegen::cuda::run_test {
namespace {

TEST(CudaRun, CompiledTextsComputeOnTheDeviceThatTheyWereCompiledFor) {
  test::expect_with_fake_cuda("capability=80,races=on", [] {
    const std::vector<Source> sources = {{.name = "twice",
                                          .text = R"(
extern "C" __global__ void twice(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2.0f * x[i];
})",
                                          .grid = {4, 1, 1},
                                          .block = {8, 1, 1}}};
    const auto gpu = runtime::open_accelerator(Device::cuda(0));
    const auto codes = Compiler::shared().compile(sources, gpu->target());
    std::vector<float> values(32, 1.5F);
    const auto x = gpu->memory().allocate(128);
    const auto y = gpu->memory().allocate(128);
    gpu->copy_in(x->data(), values.data(), 128);
    void* const buffers[] = {x->data(), y->data()};
    codes[0]->launch(*gpu, buffers);
    gpu->copy_out(values.data(), y->data(), 128);
    return values == std::vector<float>(32, 3.0F);
  });
}

}  // namespace
}  // namespace tutti::codegen::cuda::run_test
