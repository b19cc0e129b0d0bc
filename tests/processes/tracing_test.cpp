// Traces of jobs of several processes: one file, whatever becomes of the ranks.

#include <algorithm>
#include <csignal>
#include <map>

#include "tests/processes/job.h"
#include <nlohmann/json.hpp>

namespace tutti::test::tracing_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class TracedJob : public Job {
 protected:
  std::string file() const { return (folder_.path() / "trace.json").string(); }
  Words options() const { return {"--profile", file()}; }

  // The ranks in the trace that have launches or collectives.
  std::vector<std::int64_t> ranks() const {
    std::map<std::int64_t, std::int64_t> ranks;  // by process
    std::vector<std::int64_t> out;
    const json trace = json::parse(folder_.read("trace.json"));
    for (const json& event : trace.at("traceEvents")) {
      if (event.at("name") == "process_name") {
        ranks[event.at("pid")] = event.at("args").at("rank");
      } else if (event.value("cat", "") == "start") {
        out.push_back(ranks.at(event.at("pid")));
      }
    }
    std::ranges::sort(out);
    const auto same = std::ranges::unique(out);
    out.erase(same.begin(), same.end());
    return out;
  }
  // What is in the folder beside what the scenarios write.
  std::vector<std::string> traces() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("trace.json")) out.push_back(name);
    }
    return out;
  }
};

TEST_F(TracedJob, HasOneFileWithAllRanks) {
  const CommandResult result = run(2, {"static_world"}, options());
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(ranks(), ElementsAre(0, 1));
  EXPECT_THAT(traces(), ElementsAre("trace.json"));
}

TEST_F(TracedJob, OfAKilledRankHasTheOthers) {
  RunningCommand job(command(3, {"loops", "1000"}, options()));
  ASSERT_TRUE(all_reach("looping", 3));
  kill(process_of(1), SIGKILL);
  const CommandResult result = job.wait();
  EXPECT_EQ(result.status, 128 + SIGKILL);
  EXPECT_THAT(result.errors, HasSubstr("holds the traces of 2 of 3 ranks"));
  EXPECT_THAT(ranks(), ElementsAre(0, 2));
  EXPECT_THAT(traces(), ElementsAre("trace.json"));
}

TEST_F(TracedJob, OfARankWhoseExceptionNobodyCatchesHasTheOthers) {
  const CommandResult result = run(2, {"--uncaught", "throws"}, options());
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_THAT(ranks(), testing::Contains(0));
}

}  // namespace
}  // namespace tutti::test::tracing_test
