#pragma once

#include <cstdint>

namespace tutti::runtime {

// What one run of a kernel has to do at least: bytes of the distinct elements that it reads and
// writes, and arithmetic on floating-point elements, one flop an operation (exp too; two for a
// fused multiply-add, one an element for a reduction). Comparisons, selections and conversions
// count nothing. Narrow floats are computed in f32.
struct WorkCounts {
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t flops = 0;         // f32
  std::int64_t double_flops = 0;  // f64

  std::int64_t bytes() const { return bytes_read + bytes_written; }

  WorkCounts& operator+=(const WorkCounts& more) {
    bytes_read += more.bytes_read;
    bytes_written += more.bytes_written;
    flops += more.flops;
    double_flops += more.double_flops;
    return *this;
  }
  friend bool operator==(const WorkCounts&, const WorkCounts&) = default;
};

}  // namespace tutti::runtime
