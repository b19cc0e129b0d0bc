// Ranks with a GPU each, on the doubles of CUDA and NCCL.

#include "tests/processes/job.h"

namespace tutti::test::cuda_nccl_test {
namespace {

using testing::HasSubstr;

class NcclOfAJob : public Job {
 protected:
  void SetUp() override {
    Job::SetUp();
    setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 1);
    setenv("TUTTI_TEST_FAKE_CUDA", "devices=2", 1);
  }
  void TearDown() override {
    unsetenv("TUTTI_TEST_FAKE_CUDA");
    unsetenv("TUTTI_CUDA_LIBRARIES");
    Job::TearDown();
  }
};

TEST_F(NcclOfAJob, ServesProgramsOnGpus) {
  const CommandResult result = run(2, {"over_nccl"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(sorted_lines(result.output), testing::ElementsAre("[0] all right", "[1] all right"));
}

}  // namespace
}  // namespace tutti::test::cuda_nccl_test
