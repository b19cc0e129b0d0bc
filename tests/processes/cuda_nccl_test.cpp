// Ranks with a GPU each, on the doubles of CUDA and NCCL.

#include "tests/processes/job.h"
#include "tests/support/environment_variable.h"

namespace tutti::test::cuda_nccl_test {
namespace {

using testing::HasSubstr;

class NcclOfAJob : public Job {
  EnvironmentVariable libraries_{"TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda"};
  EnvironmentVariable options_{"TUTTI_TEST_FAKE_CUDA", "devices=4"};
};

TEST_F(NcclOfAJob, ServesProgramsOnGpus) {
  const CommandResult result = run(2, {"over_nccl"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(sorted_lines(result.output), testing::ElementsAre("[0] all right", "[1] all right"));
}

}  // namespace
}  // namespace tutti::test::cuda_nccl_test
