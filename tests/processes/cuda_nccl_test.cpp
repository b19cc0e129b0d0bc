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
    setenv("TUTTI_TEST_FAKE_CUDA", "devices=4", 1);
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

// An example as it is, by its environment alone; its ranks are threads.
TEST_F(NcclOfAJob, RunsAnExampleLikeTheHostsMemory) {
  setenv("TUTTI_DEVICE", "cuda", 1);
  const auto output = [](const std::string& backends) {
    setenv("TUTTI_BACKENDS", backends.c_str(), 1);
    const CommandResult result = run_command({TUTTI_BINARY_DIR "/bin/data_parallel"});
    unsetenv("TUTTI_BACKENDS");
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    return result.output;
  };
  EXPECT_EQ(output("cuda:nccl"), output("cuda:shm"));
  unsetenv("TUTTI_DEVICE");
}

}  // namespace
}  // namespace tutti::test::cuda_nccl_test
