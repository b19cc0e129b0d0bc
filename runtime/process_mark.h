#pragma once

#include <atomic>

namespace tutti::runtime {

// Tells the process that made it from those that were forked off that one, which have copies of its
// memory and none of its threads.
class ProcessMark {
 public:
  // Throws EnvironmentError if the system has no memory for it.
  ProcessMark();

  // Whether this process was forked off.
  bool is_copy() const { return forks_.load(std::memory_order_relaxed) != own_; }

 private:
  static inline std::atomic<unsigned> forks_{0};  // from the first process down to this one
  const unsigned own_;
};

}  // namespace tutti::runtime
