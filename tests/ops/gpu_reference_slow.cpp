// All cases of the files of tests/reference on a GPU.

#include "tests/ops/gpu_reference.h"

namespace tutti::test {
namespace {

class GpuReferenceInFull : public testing::TestWithParam<std::string> {};

TEST_P(GpuReferenceInFull, IsWhatKernelsGive) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  expect_gpu_agreement(GetParam(), [](const ReferenceCase&) { return true; });
}

INSTANTIATE_TEST_SUITE_P(Files, GpuReferenceInFull, testing::ValuesIn(reference_ops()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace tutti::test
