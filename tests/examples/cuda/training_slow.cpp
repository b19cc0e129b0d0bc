#include "tests/examples/cuda/training_of.h"

namespace tutti::test::training_slow {
namespace {

class TrainingOfAJob : public TrainingOnDoubledGpus, public testing::WithParamInterface<int> {
 protected:
  void expect_steps(int steps) const {
    expect_the_hosts_losses(
        GetParam(),
        {"--layers", "2", "--width", "64", "--heads", "4", "--context", "32", "--batch", "8"},
        steps);
  }
};

TEST_P(TrainingOfAJob, HasTheHostsLosses) { expect_steps(20); }

// Sums then have NCCL's order. Fewer steps: each sum waits for all ranks to have the processor.
TEST_P(TrainingOfAJob, HasTheHostsLossesByNcclAlone) {
  const EnvironmentVariable off("TUTTI_SET", "comm_kernels=off");
  expect_steps(5);
}

INSTANTIATE_TEST_SUITE_P(Ranks, TrainingOfAJob, testing::Values(2, 4));

}  // namespace
}  // namespace tutti::test::training_slow
