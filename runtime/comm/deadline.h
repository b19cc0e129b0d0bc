#pragma once

#include <algorithm>
#include <chrono>

namespace tutti::runtime {

// A time-out that passes only while this process runs: a job that somebody stops (Ctrl-Z, a
// debugger) and continues has as much time left as before. Stopped time shows as a long one between
// two looks, of which no more than kLongestLook counts: to be looked at more often than that.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLongestLook{500};

  explicit Deadline(std::chrono::nanoseconds timeout, Clock::time_point now = Clock::now())
      : left_(timeout), last_(now) {}

  // What is left of it now; none or less when it has passed.
  std::chrono::nanoseconds left(Clock::time_point now = Clock::now()) {
    left_ -= std::min<std::chrono::nanoseconds>(now - last_, kLongestLook);
    last_ = now;
    return left_;
  }
  bool has_passed(Clock::time_point now = Clock::now()) { return left(now).count() <= 0; }

 private:
  std::chrono::nanoseconds left_;
  Clock::time_point last_;
};

}  // namespace tutti::runtime
