#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tools/launch/child_process.h"
#include "tools/launch/cores.h"
#include "tools/launch/guard.h"
#include "tools/launch/launch.h"
#include "tools/launch/output_queue.h"
#include "tools/launch/rank_output.h"
#include "tools/launch/signals.h"
#include "tools/launch/summary.h"
#include "tools/launch/terminal_input.h"
#include <poll.h>

namespace tutti::tools {

// One launch, from the first rank's start to the last one's end. Runs in one thread, around poll().
// Whenever it is destroyed, no rank is left.
class Launcher {
 public:
  Launcher(const LaunchOptions& options, LaunchObserver* observer);
  // To be called once; gives the exit code.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  void start();
  void start_rank(std::size_t rank, const Environment& environment, const std::string& file,
                  const std::vector<CoreSet>& shares, const FileLimit& files);
  bool all_ended() const { return ended_ == children_.size(); }

  // Waits until something happens, and deals with it.
  void step();
  void handle_signals();
  void pass_on(int signal);
  void find_ended();
  // After a failure, ends what has not ended by itself in time.
  void escalate();
  void end_all(int signal);

  // When all ranks have ended: ends what they left behind, and prints what is still to be printed.
  void finish();
  void flush();

  const LaunchOptions& options_;
  LaunchObserver* observer_;
  SignalQueue signals_;
  OutputQueue output_{STDOUT_FILENO};
  OutputQueue errors_{STDERR_FILENO};
  std::optional<TerminalInput> terminal_;

  // By rank.
  std::deque<RecentLines> recent_;
  std::deque<RankStream> streams_;  // two each
  std::vector<ChildProcess> children_;
  std::vector<RankFate> fates_;
  Guard guard_;  // below children_: goes first, while the numbers it knows still belong to them

  std::size_t ended_ = 0;
  int interrupts_ = 0;
  int passed_on_ = 0;
  std::optional<FirstFailure> first_failure_;
  Clock::time_point first_failure_time_;
  std::size_t escalated_ = 0;  // how many steps of it have been taken
};

}  // namespace tutti::tools
