// Every op and gradient on a GPU, against the files of tests/reference: the first cases of f32 and
// of another dtype, of a different one from op to op, since the kernels of all take minutes to
// compile (gpu_reference_slow.cpp).

#include "tests/ops/gpu_reference.h"

#include <iterator>
#include <map>
#include <set>

namespace tutti::test::gpu_reference_test {
namespace {

class GpuReference : public testing::TestWithParam<std::string> {};

TEST_P(GpuReference, IsWhatKernelsGive) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  std::set<DType> dtypes;
  for (const ReferenceCase& use : reference_cases(GetParam())) dtypes.insert(use.dtype);
  const auto op = static_cast<std::size_t>(*ir::op_from_name(GetParam()));
  const DType other = *std::next(dtypes.begin(), static_cast<std::ptrdiff_t>(op % dtypes.size()));
  std::map<DType, int> seen;
  expect_gpu_agreement(GetParam(), [&](const ReferenceCase& use) {
    if (use.dtype != DType::f32 && use.dtype != other) return false;
    // Corners; of f32 also their gradients, and a shape.
    return seen[use.dtype]++ < (use.dtype == DType::f32 ? 3 : 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Files, GpuReference, testing::ValuesIn(reference_ops()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace tutti::test::gpu_reference_test
