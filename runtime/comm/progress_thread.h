#pragma once

#include <tutti/runtime/process_mark.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace tutti::kernels {
struct Signal;
}  // namespace tutti::kernels

namespace tutti::runtime {

class ProgramOrder;

// Completes what its rank has started while the rank's own thread is elsewhere: collectives over
// memory that the ranks share, one in a turn. It runs no user's code, and drops nothing that a user
// may have given: the rank's thread does, in its next turn.
class ProgressThread {
 public:
  // Throws EnvironmentError where the system has no more threads.
  explicit ProgressThread(ProgramOrder& order);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ~ProgressThread();

  // Waits for its end; to be called by the rank's thread, outside of its turns, before anybody lets
  // go of it.
  void stop();

  // The turns of the rank's own thread, which may nest.
  void enter() {
    if (depth_++ > 0) return;
    wanted_.store(true, std::memory_order_relaxed);
    mutex_.lock();
    wanted_.store(false, std::memory_order_relaxed);
  }
  void leave() {
    if (--depth_ == 0) mutex_.unlock();
  }
  // Of the rank's thread: something was added to the order.
  void added() {
    if (idle_) work_.notify_one();
  }
  // Whether it is this thread's turn; for whoever has one.
  bool has_turn() const { return has_turn_; }
  // Whether this process was forked off the one that has the thread, and has none itself.
  bool is_copy() const { return process_.is_copy(); }

 private:
  class All;  // of this process

  void run();
  // Its turn, if the rank's thread has none and wants none; whether it completed something, or is
  // to stop.
  bool take_turn();

  ProgramOrder& order_;
  const ProcessMark process_;  // that has the thread
  std::mutex mutex_;
  std::mutex gate_;  // held while the thread works: whoever forks waits for that
  std::atomic<bool> wanted_{false};
  int depth_ = 0;  // the rank's own thread alone looks at it
  bool has_turn_ = false;
  bool idle_ = false;
  bool stopping_ = false;
  std::condition_variable work_;
  std::shared_ptr<kernels::Signal> signal_;  // that it sleeps on
  std::thread thread_;
};

}  // namespace tutti::runtime
