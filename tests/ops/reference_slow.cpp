// All cases of the files of tests/reference in the host's kernels.

#include "tests/ops/reference_agreement.h"

namespace tutti::test {
namespace {

class ReferenceInFull : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceInFull, IsWhatKernelsGive) {
  expect_host_agreement(GetParam(), reference_cases(GetParam()),
                        [](const ReferenceCase&) { return true; });
}

INSTANTIATE_TEST_SUITE_P(Files, ReferenceInFull, testing::ValuesIn(reference_ops()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace tutti::test
