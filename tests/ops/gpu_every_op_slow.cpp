// Every op on a GPU, in every dtype and shape of the table.

#include "tests/ops/gpu_op.h"

namespace tutti::test {
namespace {

class GpuOpInFull : public testing::TestWithParam<const OpRow*> {};

TEST_P(GpuOpInFull, MeansTheSameAsOnTheHost) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  expect_gpu_agreement(*GetParam(), GetParam()->dtypes);
}

INSTANTIATE_TEST_SUITE_P(Table, GpuOpInFull, testing::ValuesIn(local_rows()), row_name);

}  // namespace
}  // namespace tutti::test
