#pragma once

#include <string>

#include "tests/processes/job.h"
#include "tests/support/environment_variable.h"

// Ranks with a GPU each, on the doubles of CUDA and NCCL, whose programs are recorded together with
// their collectives (codegen/plan/device_span.h).
namespace tutti::test {

class ReplaysOfAJob : public Job {
 protected:
  static CommandResult expect_all_say(int ranks, const std::string& text, const Words& scenario) {
    const CommandResult result = run(ranks, scenario, {"--timeout", "30"});
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(lines_of_rank(result, rank), text + "\n") << result.errors;
    }
    return result;
  }

 private:
  EnvironmentVariable gpus_{"TUTTI_TEST_FAKE_CUDA", "devices=4,log=on"};
  EnvironmentVariable double_{"TUTTI_CUDA_LIBRARIES", folders_of_doubles(false)};
};

}  // namespace tutti::test
