#pragma once

#include <tutti/ir/support/held_over_forks.h>

#include <mutex>

namespace tutti {

// A mutex that forked processes find free, for what any of their threads may need at any time. No
// other lock is taken, and no code of a user's called, while it is held. For a few that a process
// has (the thread sanitizer counts those that a thread holds, to 64). For std::scoped_lock.
class LeafMutex final : HeldOverForks {
 public:
  LeafMutex() { begin(); }
  ~LeafMutex() { end(); }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  void hold() override { mutex_.lock(); }
  void let_go() override { mutex_.unlock(); }

  std::mutex mutex_;
};

}  // namespace tutti
