// Every op, dtype and gradient on a GPU, against the files of tests/reference: every dtype's first
// cases, since the kernels of all take minutes to compile (gpu_reference_slow.cpp).

#include "tests/ops/gpu_reference.h"

#include <map>

namespace tutti::test::gpu_reference_test {
namespace {

class GpuReference : public testing::TestWithParam<std::string> {};

TEST_P(GpuReference, IsWhatKernelsGive) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  constexpr int kFirst = 3;  // corners, their gradients, and a shape
  std::map<DType, int> seen;
  expect_gpu_agreement(GetParam(),
                       [&](const ReferenceCase& use) { return seen[use.dtype]++ < kFirst; });
}

INSTANTIATE_TEST_SUITE_P(Files, GpuReference, testing::ValuesIn(reference_ops()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace tutti::test::gpu_reference_test
