// The kernels of every op for every target.

#include "tests/nvrtc/cuda/kernel_sources.h"

namespace tutti::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Targets, Nvrtc, testing::Values("sm_80", "sm_90", "sm_100"), target_name);

TEST_P(Nvrtc, TakesTheKernelsOfEveryOp) {
  std::map<std::string, codegen::cuda::Source> sources;
  for (const OpRow* row : local_rows()) add_sources(*row, sources);
  ASSERT_GT(sources.size(), 100U);
  expect_no_spills(sources, GetParam());
}

}  // namespace
}  // namespace tutti::test
