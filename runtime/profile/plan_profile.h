#pragma once

#include <tutti/runtime/buffer.h>
#include <tutti/runtime/profile/profile.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::runtime {

// The sources of the events that the steps of one plan give rise to.
struct PlanProfile {
  struct LaunchSources {
    std::uint32_t whole = 0;
    std::vector<std::uint32_t> pieces = {};  // by kernel
  };
  struct WorkSources {
    std::uint32_t start = 0;
    std::uint32_t wait = 0;
    std::uint32_t collective = 0;
  };

  std::shared_ptr<Profile> profile;
  std::vector<LaunchSources> launches = {};
  std::vector<WorkSources> works = {};
  std::uint32_t run = 0;     // of one run of the plan
  std::uint32_t memory = 0;  // counter: bytes of buffers that are in use
  std::uint32_t arena = 0;   // counter: bytes of the plan's arena
  std::int64_t arena_bytes = 0;

  // The collective of a work was started, from `begin` until now; `lines` as in PlanFrame.
  void started(std::int32_t work, std::int64_t begin, const Work& started,
               std::span<const Location> lines) const;
  void count_memory(const Allocator& allocator) const {
    profile->count(memory, static_cast<std::int64_t>(allocator.used_bytes()));
  }
};

// Records a run of a plan while it lives.
class RunRecord {
 public:
  RunRecord(const PlanProfile* plan, const Allocator& allocator);
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;
  ~RunRecord() {
    if (plan_ != nullptr) [[unlikely]]
      end();
  }

  // An exception ended the run: the trace is saved, since nobody may catch it (and no destructor be
  // called then).
  void failed();

 private:
  void end() const;

  const PlanProfile* plan_;
  const Allocator& allocator_;
  std::int64_t begin_ = 0;
};

}  // namespace tutti::runtime
