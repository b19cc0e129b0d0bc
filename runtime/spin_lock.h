#pragma once

#include <tutti/runtime/pause.h>

#include <atomic>
#include <thread>

namespace tutti::runtime {

// A lock for a few instructions at a time, on paths where a mutex would cost as much as all the
// rest. For std::scoped_lock.
class SpinLock {
 public:
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

 private:
  static constexpr int kSpins = 100;

  std::atomic<bool> taken_{false};
};

}  // namespace tutti::runtime
