#pragma once

#include <tutti/ir/support/held_over_forks.h>
#include <tutti/runtime/pause.h>

#include <atomic>
#include <thread>

namespace tutti::runtime {

// A lock for a few instructions at a time, on paths where a mutex would cost as much as all the
// rest; forked processes find it free. For std::scoped_lock.
class SpinLock final : HeldOverForks {
 public:
  SpinLock() { begin(); }
  ~SpinLock() { end(); }

  void lock() {
    for (int spin = 0; taken_.exchange(true, std::memory_order_acquire); ++spin) {
      // Whoever has it may have lost its core.
      if (spin < kSpins) {
        pause_processor();
      } else {
        std::this_thread::yield();
      }
    }
  }
  bool try_lock() { return !taken_.exchange(true, std::memory_order_acquire); }
  void unlock() { taken_.store(false, std::memory_order_release); }

  // In a process that was forked off: whether what it guards is whole, since whoever forked had it.
  // Not so where a handler of signals forks that has interrupted who had it: that one goes on.
  bool was_held_over_fork() const { return held_; }

 private:
  // Others spin until the process is forked off, which takes the longer the more memory it has
  // mapped: it is the price of whole lists in the child. The thread that forks must not come here:
  // handlers of fork that run in between release no tensors.
  void hold() override {
    held_ = try_lock();
    for (int attempt = 0; !held_ && attempt < kAttempts; ++attempt) {
      std::this_thread::yield();
      held_ = try_lock();
    }
  }
  void let_go() override {
    if (held_) unlock();
  }

  static constexpr int kSpins = 100;
  static constexpr int kAttempts = 10'000;

  std::atomic<bool> taken_{false};
  bool held_ = false;  // by whoever forked last
};

}  // namespace tutti::runtime
