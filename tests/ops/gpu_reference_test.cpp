// Every op, dtype and gradient on a GPU, against the files of tests/reference: the first cases of
// f32 and the very first of other dtypes, since the kernels of all take minutes to compile
// (gpu_reference_slow.cpp).

#include "tests/ops/gpu_reference.h"

#include <map>

namespace tutti::test::gpu_reference_test {
namespace {

class GpuReference : public testing::TestWithParam<std::string> {};

TEST_P(GpuReference, IsWhatKernelsGive) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  std::map<DType, int> seen;
  expect_gpu_agreement(GetParam(), [&](const ReferenceCase& use) {
    // Corners; of f32 also their gradients, and a shape.
    return seen[use.dtype]++ < (use.dtype == DType::f32 ? 3 : 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Files, GpuReference, testing::ValuesIn(reference_ops()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace tutti::test::gpu_reference_test
