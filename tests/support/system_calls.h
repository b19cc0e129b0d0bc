#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <sys/types.h>

namespace tutti::test {

// How many calls of the system there were, by number (SYS_futex, ...).
using SystemCallCounts = std::map<long, std::uint64_t>;

// While it lives, another process looks on (by ptrace) and counts the calls of the system that any
// thread of this one makes; clocks that are read without one are none. Each takes some microseconds
// then. One at a time.
class SystemCallCounter {
 public:
  static constexpr std::size_t kNumbers = 512;  // calls of greater ones count as the last
  using Numbers = std::array<std::uint64_t, kNumbers>;

  SystemCallCounter();
  SystemCallCounter(const SystemCallCounter&) = delete;
  SystemCallCounter& operator=(const SystemCallCounter&) = delete;
  ~SystemCallCounter();

  // Why nothing is counted: the system does not let a process look at another. Empty: it is.
  const std::string& refusal() const { return refusal_; }

  // So far; to ask makes none. Those of the calling thread are all in it.
  Numbers numbers() const;

 private:
  // What this process and the other one share.
  struct Shared {
    std::array<std::atomic<std::uint64_t>, kNumbers> numbers{};
    std::atomic<bool> is_over{false};
  };
  class Watch;

  void begin();

  Shared* shared_ = nullptr;
  pid_t watcher_ = 0;
  std::string refusal_;
};

}  // namespace tutti::test
