#pragma once

namespace tutti::runtime {

// Whether a profiler of NVIDIA's, as Nsight Systems, has started this process and listens to it:
// found once.
bool timeline_listens();

// While one lives, the calling thread's part of such a profiler's timeline says so (NVTX). They
// nest. For whoever has asked whether anybody listens.
class TimelineRange {
 public:
  // `name` may go at once; null: nothing is said.
  explicit TimelineRange(const char* name) : is_open_(name != nullptr) {
    if (is_open_) begin(name);
  }
  TimelineRange(const TimelineRange&) = delete;
  TimelineRange& operator=(const TimelineRange&) = delete;
  ~TimelineRange() {
    if (is_open_) end();
  }

 private:
  static void begin(const char* name);
  static void end();

  const bool is_open_;
};

}  // namespace tutti::runtime
