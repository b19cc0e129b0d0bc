#pragma once

#include <chrono>
#include <csignal>
#include <optional>

#include "tools/launch/file_handle.h"

namespace tutti::tools {

// What a process does with signals; a child gets back what the launcher was started with.
struct SignalState {
  sigset_t mask{};
  struct sigaction child{};  // of SIGCHLD
  struct sigaction pipe{};   // of SIGPIPE

  // Only system calls: a child uses it between fork and exec.
  void restore() const;
};

// While it lives, signals wait in a queue: SIGCHLD and those that are passed on to the ranks (but
// those that were ignored, as under nohup, stay so), and SIGPIPE is ignored.
class SignalQueue {
 public:
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue() { before_.restore(); }

  // To be polled for input.
  int descriptor() const { return file_.get(); }
  // The next signal, if one has come.
  std::optional<int> next();
  const SignalState& before() const { return before_; }

 private:
  SignalState before_;
  FileHandle file_;
};

// Stops this process as SIGTSTP would, until SIGCONT comes; gives how long that was.
std::chrono::steady_clock::duration stop_until_continued();

// "SIGTERM"
const char* signal_name(int signal);

}  // namespace tutti::tools
