#include "tests/processes/cuda_replays_of.h"

namespace tutti::test::cuda_replays_test {
namespace {

using testing::HasSubstr;

std::string last_line(const std::string& text) {
  const std::size_t end = text.size() - 1;
  const std::size_t begin = text.rfind('\n', end - 1);
  return text.substr(begin == text.npos ? 0 : begin + 1,
                     end - (begin == text.npos ? 0 : begin + 1));
}

TEST_F(ReplaysOfAJob, AStepIsOneLaunch) {
  const CommandResult result = run(2, {"launches_of_a_step"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(last_line(lines_of_rank(result, rank)),
              "0 launches, 1 graphs, 0 recordings, 4 events");
  }
}

TEST_F(ReplaysOfAJob, ARankMayBeToldNotToRecord) {
  const EnvironmentVariable off("TUTTI_SET", "verify=on,record=off");
  const CommandResult result = run(2, {"launches_of_a_step"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(last_line(lines_of_rank(result, 0)), HasSubstr(" 0 graphs, 0 recordings"));
}

// A hundred times, and without windows and kernels of our own: among the slow tests.
TEST_F(ReplaysOfAJob, HaveTheHostsResults) { expect_all_say(2, "all right", {"replays", "14"}); }

// Every dtype, form of group and more ranks: among the slow tests.
TEST_F(ReplaysOfAJob, OfEveryCollectiveAndItsGradientAreRight) {
  expect_all_say(2, "all right", {"recorded_sweep", "14", "world", "f32", "bf16", "i32", "bool"});
  expect_all_say(2, "all right", {"recorded_sweep", "14", "world", "f32", "kernels"});
}

TEST_F(ReplaysOfAJob, ShowOnAProfilersTimeline) {
  const EnvironmentVariable listener("NVTX_INJECTION64_PATH",
                                     TUTTI_BINARY_DIR "/fake_cuda/libnvtx_listener.so");
  const std::string file = folder_.path() / "ranges";
  const EnvironmentVariable ranges("TUTTI_TEST_RANGES", file);
  const CommandResult result = run(2, {"launches_of_a_step"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  const std::string said = file_content(file);
  EXPECT_THAT(said, HasSubstr("\n start all_reduce sum f32[64]\n"));
  EXPECT_THAT(said, HasSubstr("\n wait all_reduce sum f32[64]\n"));
  EXPECT_THAT(said, HasSubstr("\n recorded collectives\n"));
}

// All ranks go on without it, and in step.
TEST_F(ReplaysOfAJob, WhatOneRankCanNotRecordIsLaunchedByAll) {
  const EnvironmentVariable log("TUTTI_LOG", "gpu");
  for (const auto& [call, nth] :
       std::vector<std::pair<std::string, std::string>>{{"cuStreamCreate", "2"},
                                                        {"cuStreamBeginCapture", "2"},
                                                        {"cuStreamEndCapture", "2"},
                                                        {"cuGraphCreate", "1"},
                                                        {"cuGraphAddChildGraphNode", "3"},
                                                        {"cuGraphInstantiate", "1"}}) {
    SCOPED_TRACE(call);
    const CommandResult result = expect_all_say(2, "all right", {"fails_to_record", call, nth});
    EXPECT_THAT(result.errors, HasSubstr("not recorded any more"));
  }
}

TEST_F(ReplaysOfAJob, ProgramsWithoutCollectivesGoOnWhereTheyCanNotBeRecorded) {
  const EnvironmentVariable log("TUTTI_LOG", "gpu");
  for (const char* const call :
       {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate"}) {
    SCOPED_TRACE(call);
    const CommandResult result = expect_all_say(1, "all right", {"fails_to_record_alone", call});
    EXPECT_THAT(result.errors, HasSubstr("are not recorded any more, but put on the stream one by "
                                         "one: " +
                                         std::string(call)));
  }
}

// Nobody waits for what it announced.
TEST_F(ReplaysOfAJob, WhatOneRankAnnouncedAndCanNotMakeIsAnErrorOfAll) {
  const CommandResult result = run(3, {"fails_behind_an_announcement"}, {"--timeout", "30"});
  EXPECT_THAT(lines_of_rank(result, 1), HasSubstr("cuEventRecord failed")) << result.errors;
  for (const int rank : {0, 2}) {
    EXPECT_THAT(lines_of_rank(result, rank), HasSubstr("CommError: ")) << result.errors;
    EXPECT_THAT(lines_of_rank(result, rank), HasSubstr("rank 1")) << result.errors;
  }
}

TEST_F(ReplaysOfAJob, AFunctionThatOutlivesItsWorldKeepsNothingOfTheOthers) {
  expect_all_say(2, "1 in it\n0 behind it", {"function_outlives_its_world"});
}

TEST_F(ReplaysOfAJob, WhatCanNotBeExchangedIsMadeAnew) {
  expect_all_say(2, "all right", {"fails_to_record", "cuGraphExecChildGraphNodeSetParams", "1"});
}

TEST_F(ReplaysOfAJob, ARankThatDiffersMakesAllLaunch) {
  expect_all_say(3, "all right", {"differs", "record_off"});
  expect_all_say(2, "all right", {"differs", "recompiles"});
}

TEST_F(ReplaysOfAJob, AMismatchIsAnErrorOfBothLines) {
  const CommandResult call = run(3, {"differs", "other_call"});
  const CommandResult number = run(3, {"differs", "other_number"});
  for (int rank = 0; rank < 3; ++rank) {
    // Whoever of the others notices first.
    EXPECT_THAT(lines_of_rank(call, rank), HasSubstr("does not match: rank "));
    EXPECT_THAT(lines_of_rank(call, rank), HasSubstr("calls all_reduce sum f32[12] ("));
    EXPECT_THAT(lines_of_rank(call, rank), HasSubstr("rank 1 calls broadcast root 0 f32[12] ("));
    EXPECT_THAT(lines_of_rank(number, rank),
                HasSubstr("depends on a number that the ranks take for the same"));
  }
}

}  // namespace
}  // namespace tutti::test::cuda_replays_test
