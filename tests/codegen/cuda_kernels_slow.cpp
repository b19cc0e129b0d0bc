// CUDA C++ of many kernels: on the emulator, and through NVRTC for every GPU.

#include <random>
#include <vector>

#include "tests/codegen/cuda_run.h"
#include "tests/codegen/cuda_samples.h"
#include "tests/codegen/named_kernels.h"
#include "tests/codegen/nvrtc_testing.h"
#include "tests/codegen/scalar_corners.h"
#include "tests/support/nvrtc.h"
#include <gtest/gtest.h>

namespace tutti::codegen {
namespace {

using namespace kernel_testing;  // NOLINT: the helpers of this folder

TEST(CudaKernels, ManyRandomOnesGiveTheSameBits) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    std::mt19937 random(seed);
    std::vector<Kernel> kernels;
    for (int i = 0; i < 60; ++i) kernels.push_back(without_float_sums(random_kernel(random)));
    ASSERT_EQ(CudaKernels(kernels).difference(), "") << "seed " << seed;
  }
}

#if TUTTI_HAS_CUDA

class CudaNvrtc : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, CudaNvrtc, testing::ValuesIn(kTargets),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST_P(CudaNvrtc, TakesAllKernels) {
  std::vector<Kernel> kernels = sample_kernels();
  for (const DType dtype : kDTypes) kernels.push_back(all_ops(dtype));
  for (const NamedKernel& named : named_kernels(Size::large)) kernels.push_back(named.kernel);
  std::mt19937 random(5);
  for (int i = 0; i < 100; ++i) kernels.push_back(random_kernel(random));
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(nvrtc_refusal(kernel, GetParam()), "") << print(kernel);
  }
}

#endif

}  // namespace
}  // namespace tutti::codegen
