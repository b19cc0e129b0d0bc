// Every op on a GPU, in every shape of the table and one dtype, the first or the last of the op's
// in turns; gpu_every_op_slow.cpp has all.

#include "tests/ops/gpu_op.h"

namespace tutti::test::gpu_every_op_test {
namespace {

class GpuOp : public testing::TestWithParam<const OpRow*> {};

TEST_P(GpuOp, MeansTheSameAsOnTheHost) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  const std::vector<DType>& all = GetParam()->dtypes;
  const bool first = static_cast<int>(GetParam()->op) % 2 == 0;
  expect_gpu_agreement(*GetParam(), {first ? all.front() : all.back()});
}

INSTANTIATE_TEST_SUITE_P(Table, GpuOp, testing::ValuesIn(local_rows()), row_name);

}  // namespace
}  // namespace tutti::test::gpu_every_op_test
