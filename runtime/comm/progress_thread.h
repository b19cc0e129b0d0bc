#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tutti::runtime {

class ProgramOrder;

// Completes what its rank has started while the rank's own thread is elsewhere: collectives over
// memory that the ranks share, and nothing that runs a user's code or drops what a user gave.
class ProgressThread {
 public:
  // Throws EnvironmentError where the system has no more threads.
  explicit ProgressThread(ProgramOrder& order);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ~ProgressThread() = default;

  // Waits for its end; to be called, by the rank's thread, before anybody lets go of it.
  void stop();

  // The turns of the rank's own thread, which may nest.
  void enter() {
    if (depth_++ == 0) mutex_.lock();
  }
  void leave() {
    if (--depth_ == 0) mutex_.unlock();
  }
  // Of the rank's thread: something was added to the order.
  void added() {
    if (idle_) work_.notify_one();
  }
  // Whether it is the progress thread's turn; for whoever has a turn.
  bool has_turn() const { return has_turn_; }
  // Whether this process was forked off the one that has the thread, and has none itself.
  bool is_copy() const;

 private:
  void run();

  ProgramOrder& order_;
  const unsigned forks_;  // up to this process
  std::mutex mutex_;
  int depth_ = 0;  // the rank's own thread alone looks at it
  bool has_turn_ = false;
  bool idle_ = false;
  bool stopping_ = false;
  std::condition_variable work_;
  std::thread thread_;
};

}  // namespace tutti::runtime
