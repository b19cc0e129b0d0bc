// CUDA C++ of what real programs are lowered to, on the emulator, against the reference evaluator;
// and as text.

#include <tutti/codegen/cuda/emit_kernel.h>

#include <string>

#include "tests/codegen/cuda_run.h"
#include "tests/codegen/lowered_kernels.h"
#include "tests/codegen/named_kernels.h"
#include "tests/support/golden.h"
#include <gmock/gmock.h>

namespace tutti::codegen::cuda_lowered_test {
namespace {

using namespace kernel_testing;  // NOLINT: the helpers of this folder

// Sums are added in another order than the evaluator's. One of n numbers is off by at most n / 2
// units in the last place of the sum of their magnitudes, of random ones by far less; what is
// subtracted from it later leaves that error where the numbers are small.
constexpr CudaKernels::Comparison kSums{.ulp = 256, .scale = 1, .special_values = false};

TEST(CudaLowered, KernelsOfRealProgramsAgreeWithTheEvaluator) {
  std::vector<Kernel> kernels;
  for (const NamedKernel& named : named_kernels(Size::small)) kernels.push_back(named.kernel);
  EXPECT_EQ(CudaKernels(kernels).difference(kSums), "");
}

// Without the helpers in front of it.
std::string function_of(const Kernel& kernel) {
  const std::string text = cuda::emit_kernel(kernel).text;
  const std::string heading = text.substr(0, text.find("\n\n") + 2);
  return heading + text.substr(text.find("extern \"C\""));
}

TEST(CudaLowered, TextsAreReadable) {
  for (const NamedKernel& named : named_kernels(Size::large)) {
    if (named.name != "softmax" && named.name != "transpose" && named.name != "full_sum" &&
        named.name != "bias_gelu") {
      continue;
    }
    EXPECT_TRUE(
        test::matches_golden(function_of(named.kernel), "codegen/golden/" + named.name + ".cu"));
  }
}

TEST(CudaLowered, TheSameKernelGivesTheSameText) {
  for (const NamedKernel& named : named_kernels(Size::small)) {
    EXPECT_EQ(cuda::emit_kernel(named.kernel), cuda::emit_kernel(named.kernel));
  }
}

}  // namespace
}  // namespace tutti::codegen::cuda_lowered_test
