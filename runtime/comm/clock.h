#pragma once

#include <chrono>
#include <cstdint>

namespace tutti::runtime {

// Nanoseconds of the host's monotonic clock, the same for all its processes.
inline std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace tutti::runtime
