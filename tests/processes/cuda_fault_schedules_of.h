#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/processes/job.h"
#include "tests/support/environment_variable.h"

// Jobs of ranks with a GPU each, on the doubles of CUDA and NCCL, one of whose ranks fails at a
// place that a seed draws: all ranks get the right error, in time, and nothing is left.
namespace tutti::test {

// One rank's fault, as the scenario faults_over_nccl takes it, and what has to come of it.
struct FaultSchedule {
  int ranks = 2;
  int victim = 0;
  bool older = false;  // NCCL 2.27.7, which has no windows
  // Kernels of our own would do what NCCL is to fail at.
  bool own_kernels = false;
  std::string scenario = "faults_over_nccl";
  std::vector<std::string> words;
  bool fails = true;       // else all ranks come to their end
  int victims_signal = 0;  // that ends the victim; 0: it says an error, too
  // One of these is among what their errors say: who it was, or what.
  std::vector<std::string> others_say;
  std::vector<std::string> victim_says = {": "};
  // What some rank says, whichever it is.
  std::string somebody_says;
  // Seconds that collectives wait; less where waiting is what the schedule is about.
  static constexpr int kUsualTimeout = 60;
  int timeout = kUsualTimeout;
  bool compiles = false;  // kernels, in the first round

  // What takes longer hangs. Where nobody's time is to be up, all have ended before it could be.
  std::chrono::seconds longest() const {
    constexpr std::chrono::seconds kSlack{45};
    static_assert(kSlack.count() < kUsualTimeout);
    return kSlack + std::chrono::seconds(timeout < kUsualTimeout ? timeout : 0);
  }

  std::string text() const {
    std::string out = std::to_string(ranks) + " ranks, NCCL " + (older ? "2.27.7" : "2.32.3") +
                      (own_kernels ? ", own kernels: " : ": ") + scenario;
    for (const std::string& word : words) out += " " + word;
    return out;
  }
};

// Of a time-out, whose reader has to find out who it was.
inline constexpr const char* kLastCall = "): its last collective was #";

inline FaultSchedule draw_fault_schedule(std::uint64_t seed) {
  constexpr int kRounds = 8;
  constexpr std::array kCalls = {"ncclAllReduce",
                                 "ncclAllGather",
                                 "ncclReduceScatter",
                                 "ncclBroadcast",
                                 "ncclSend",
                                 "ncclRecv",
                                 "ncclGroupEnd",
                                 "ncclCommGetAsyncError",
                                 "ncclCommInitRankConfig"};
  constexpr std::array kResults = {1, 2, 3, 4, 5, 6};  // all failures of ncclResult_t
  constexpr std::array kDriverCalls = {"cuEventRecord", "cuStreamWaitEvent", "cuMemAlloc"};
  std::mt19937_64 random(seed);
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(end));
  };
  const auto one_of = [&](const auto& all) { return all[random() % all.size()]; };
  FaultSchedule out;
  out.ranks = 2 + draw(3);
  out.victim = draw(out.ranks);
  out.older = draw(4) == 0;
  const std::string victim = std::to_string(out.victim);
  out.others_say = {"rank " + victim};
  // Kinds by turns, so that few schedules have them all.
  switch (seed % 8) {
    case 0:
    case 1: {
      const std::string call = one_of(kCalls);
      const int last = call == "ncclCommInitRankConfig" ? 1 : kRounds;
      out.words = {"nccl_call", victim, call, std::to_string(1 + draw(last)),
                   std::to_string(one_of(kResults))};
      out.victim_says = {call == "ncclCommGetAsyncError" ? "failed" : call + " failed"};
      break;
    }
    case 2: {
      const std::string call = one_of(kDriverCalls);
      const int last = call == "cuMemAlloc" ? 3 : 20;  // memory is kept, and used again
      // CUDA_ERROR_UNKNOWN
      out.words = {"driver_call", victim, call, std::to_string(1 + draw(last)), "999"};
      break;
    }
    case 3:
      out.words = {"delay", victim, std::to_string(1 + draw(kRounds)),
                   std::to_string(50 + draw(300))};
      out.fails = false;
      break;
    case 4: {
      const bool ends = draw(2) == 0;
      out.words = ends ? std::vector<std::string>{"hang", victim, std::to_string(1 + draw(kRounds))}
                       : std::vector<std::string>{"delay", victim,
                                                  std::to_string(1 + draw(kRounds)), "600000"};
      out.timeout = 2;
      // Whose GPU it is that does not go on, nobody sees; nor whose time is up first.
      out.victim_says = out.others_say = {"time-out", "left: an exception ended it"};
      out.somebody_says = kLastCall;
      break;
    }
    case 5:
    case 6:
    case 7: {
      constexpr std::array kKinds = {"kill", "stop", "throw"};
      constexpr std::array kPlaces = {"before", "started"};
      const std::string kind = kKinds[seed % 8 - 5];
      out.words = {kind, victim, std::to_string(draw(kRounds - 1)), one_of(kPlaces)};
      if (kind == "kill") out.victims_signal = SIGKILL;
      if (kind == "stop") out.victims_signal = SIGTERM;
      if (kind == "stop") out.timeout = 2;
      // Stopped behind its launches, it is the GPU alone that is seen not to go on.
      if (kind == "stop") out.others_say.push_back("does not end on the GPU");
      if (kind == "throw") out.victim_says = {"the rank's own mistake"};
      break;
    }
  }
  return out;
}

// The same of collectives that are recorded and replayed, over NCCL and by kernels of our own.
inline FaultSchedule draw_replayed_fault_schedule(std::uint64_t seed) {
  constexpr int kRounds = 8;
  constexpr std::array kDriverCalls = {"cuGraphLaunch", "cuEventRecord", "cuStreamWaitEvent"};
  std::mt19937_64 random(seed);
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(end));
  };
  FaultSchedule out;
  out.scenario = "faults_in_replays";
  out.compiles = true;
  out.ranks = 2 + draw(3);
  out.victim = draw(out.ranks);
  out.own_kernels = draw(2) == 0;
  out.older = seed / 6 % 2 == 1;        // each kind with both
  const int fewer = out.older ? 6 : 0;  // calls: there is no memory to be registered
  const std::string victim = std::to_string(out.victim);
  out.others_say = {"rank " + victim};
  switch (seed % 6) {
    case 0: {
      const std::string call = kDriverCalls[random() % kDriverCalls.size()];
      // CUDA_ERROR_UNKNOWN, in one of the runs up to the last: what a rank calls without kernels of
      // our own is less.
      const int last = call == "cuGraphLaunch"       ? 5
                       : call == "cuStreamWaitEvent" ? 20 - fewer
                                                     : 30 - fewer;
      out.words = {"driver_call", victim, call, std::to_string(1 + draw(last)), "999"};
      break;
    }
    case 1:
      // Of some collective, by whichever rank it is that the time is up for.
      out.own_kernels = false;
      out.words = {"hang", victim, std::to_string(1 + draw(3 * kRounds))};
      out.timeout = 2;
      out.victim_says = out.others_say = {"time-out", "left: an exception ended it"};
      out.somebody_says = kLastCall;
      break;
    case 2:
      out.own_kernels = false;
      out.words = {"nccl_call", victim, "ncclCommGetAsyncError",
                   std::to_string(1 + draw(30 - fewer)), "6"};
      out.victim_says = {"failed"};
      break;
    default: {
      constexpr std::array kKinds = {"kill", "stop", "throw"};
      constexpr std::array kPlaces = {"before", "started"};
      const std::string kind = kKinds[seed % 6 - 3];
      out.words = {kind, victim, std::to_string(draw(kRounds - 1)), kPlaces[random() % 2]};
      if (kind == "kill") out.victims_signal = SIGKILL;
      if (kind == "stop") out.victims_signal = SIGTERM;
      if (kind == "stop") out.timeout = 2;
      // Stopped behind its launch, it is the GPU alone that is seen not to go on.
      if (kind == "stop") out.others_say.push_back("does not end on the GPU");
      if (kind == "throw") out.victim_says = {"the rank's own mistake"};
      break;
    }
  }
  return out;
}

// Memory that NCCL can't register on one rank: all go on without windows.
inline FaultSchedule draw_window_fault_schedule(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(end));
  };
  FaultSchedule out;
  out.fails = false;
  out.ranks = 2 + draw(3);
  out.victim = draw(out.ranks);
  const std::string victim = std::to_string(out.victim);
  const std::string result = std::to_string(1 + draw(6));  // a failure of ncclResult_t
  if (draw(2) == 0) {
    out.scenario = "faults_in_replays";
    out.compiles = true;
    out.own_kernels = draw(2) == 0;
  }
  switch (seed % 3) {
    case 0:
      out.words = {"nccl_call", victim, "ncclCommWindowRegister", "1", result};
      break;
    default:
      out.words = {"window", victim, result, seed % 3 == 1 ? "early" : "late"};
      break;
  }
  return out;
}

class FaultSchedules : public Job {
 protected:
  // Runs those of seeds from `first` up to `end`.
  void run_schedules(std::uint64_t first, std::uint64_t end,
                     FaultSchedule (*draw)(std::uint64_t seed) = draw_fault_schedule) {
    // A rank that compiles does not see what becomes of the others, and the launcher does not wait
    // for it for long: so kernels are compiled before, by a job without a fault.
    const EnvironmentVariable cache("TUTTI_CACHE", "on");
    const EnvironmentVariable folder("TUTTI_CACHE_DIR", folder_.path() / "cache");
    std::set<std::pair<int, bool>> compiled;
    for (std::uint64_t seed = first; seed < end; ++seed) {
      const FaultSchedule schedule = draw(seed);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + schedule.text());
      if (schedule.compiles && compiled.emplace(schedule.ranks, schedule.own_kernels).second) {
        FaultSchedule faultless = schedule;
        faultless.words = {"none"};
        faultless.somebody_says = {};
        faultless.fails = false;
        run_schedule(faultless, std::chrono::minutes(1));
      }
      run_schedule(schedule, schedule.longest());
      if (HasFailure()) return;  // the first says most
    }
  }

 private:
  void run_schedule(FaultSchedule schedule, std::chrono::seconds longest) const {
    const EnvironmentVariable libraries("TUTTI_CUDA_LIBRARIES", folders_of_doubles(schedule.older));
    const EnvironmentVariable gpus("TUTTI_TEST_FAKE_CUDA", "devices=4");
    const EnvironmentVariable off(
        "TUTTI_SET", schedule.own_kernels ? "verify=on" : "verify=on,comm_kernels=off");
    Words scenario = {schedule.scenario};
    scenario.insert(scenario.end(), schedule.words.begin(), schedule.words.end());
    const CommandResult result = run_command(
        command(schedule.ranks, scenario, {"--timeout", std::to_string(schedule.timeout)}),
        longest);
    SCOPED_TRACE(result.output + result.errors);
    expect_no_complaints(result);
    // A look at the library that fails may be one for a window, which all go on without.
    const bool looks =
        std::ranges::find(schedule.words, "ncclCommGetAsyncError") != schedule.words.end();
    if (looks &&
        (result.output + result.errors).find("goes on without windows") != std::string::npos) {
      schedule.fails = false;
    }
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      expect_of_rank(schedule, rank, lines_of_rank(result, rank));
    }
    EXPECT_THAT(result.output, testing::HasSubstr(schedule.somebody_says));
    // (Of ranks that are killed the next job's remove what they had.)
    if (schedule.victims_signal == 0) expect_no_boards(schedule.ranks);
    if (!schedule.fails) {
      EXPECT_EQ(result.status, 0);
    } else if (schedule.victims_signal == SIGKILL) {
      EXPECT_EQ(result.status, 128 + SIGKILL);
    }
  }

  // Where the ranks of a communicator of NCCL's double meet.
  void expect_no_boards(int ranks) const {
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      const std::string name = entry.path().filename();
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_FALSE(name.starts_with("fake-nccl-" + std::to_string(process_of(rank)) + "-"))
            << name << " is left";
      }
    }
  }

  static bool says_one_of(const std::string& said, const std::vector<std::string>& words) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return said.find(word) != said.npos; });
  }

  static void expect_of_rank(const FaultSchedule& schedule, int rank, const std::string& said) {
    using testing::HasSubstr;
    SCOPED_TRACE("rank " + std::to_string(rank));
    EXPECT_THAT(said, testing::Not(HasSubstr("complaint")));
    EXPECT_THAT(said, testing::Not(HasSubstr("remains: ")));
    EXPECT_THAT(said, testing::Not(HasSubstr("does not hold")));  // a wrong value
    if (!schedule.fails) {
      EXPECT_EQ(said, "all right\n");
    } else if (rank != schedule.victim) {
      EXPECT_THAT(said, testing::StartsWith("CommError: "));
      EXPECT_TRUE(says_one_of(said, schedule.others_say)) << said;
    } else if (schedule.victims_signal == 0) {
      EXPECT_TRUE(says_one_of(said, schedule.victim_says)) << said;
    } else {
      EXPECT_EQ(said, "");
    }
  }
};

}  // namespace tutti::test
