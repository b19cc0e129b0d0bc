#include "tests/examples/cuda/training_of.h"

namespace tutti::test::training_test {
namespace {

class TrainingOfASmallJob : public TrainingOnDoubledGpus {};

// training_slow.cpp has a larger model, and more ranks.
TEST_F(TrainingOfASmallJob, HasTheHostsLosses) {
  expect_the_hosts_losses(
      2, {"--layers", "1", "--width", "16", "--heads", "2", "--context", "8", "--batch", "4"}, 3);
}

}  // namespace
}  // namespace tutti::test::training_test
