#include "tests/processes/cuda_replays_of.h"

namespace tutti::test::cuda_replays_slow {
namespace {

TEST_F(ReplaysOfAJob, HaveTheHostsResultsAHundredTimes) {
  for (const int ranks : {2, 4}) {
    for (const char* const set : {"verify=on", "comm_kernels=off", "record=off"}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + set);
      const EnvironmentVariable setting("TUTTI_SET", set);
      const bool records = std::string(set) != "record=off";
      expect_all_say(ranks, records ? "all right" : "0 replays", {"replays", "100"});
    }
  }
}

}  // namespace
}  // namespace tutti::test::cuda_replays_slow
