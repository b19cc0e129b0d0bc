// All cases of the files of tests/reference on a GPU.

#include "tests/ops/reference_agreement.h"
#include "tests/support/gpu.h"

namespace tutti::test {
namespace {

class GpuReferenceInFull : public testing::TestWithParam<std::string> {};

TEST_P(GpuReferenceInFull, IsWhatKernelsGive) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  const std::vector<ReferenceCase> cases = reference_cases(GetParam());
  const ReferenceGraph all(*ir::op_from_name(GetParam()), cases, Device::cuda(),
                           [](const ReferenceCase&) { return true; });
  expect_agreement(run_on_gpu(all.graph, all.inputs), all.values, "on a GPU");
}

INSTANTIATE_TEST_SUITE_P(Files, GpuReferenceInFull, testing::ValuesIn(reference_ops()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace tutti::test
