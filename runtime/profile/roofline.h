#pragma once

#include <tutti/runtime/profile/work_counts.h>
#include <tutti/runtime/thread_pool.h>

#include <cstdint>

namespace tutti::runtime {

// What a machine can do at most, with the threads of one rank.
struct Roofline {
  double bytes_per_second = 0;  // of memory behind the caches
  double flops_per_second = 0;  // f32, with fused multiply-add
  double double_flops_per_second = 0;

  // The least time, in seconds, that the work can take when all data comes from memory and goes
  // there. Work whose data lies in caches may take less.
  double least_seconds(const WorkCounts& counts) const;
};

// Measures it: a triad over arrays that no cache holds, and multiply-adds in registers. Takes some
// tens of milliseconds, once a process and number of threads.
Roofline measure_roofline(ThreadPool& pool);

}  // namespace tutti::runtime
