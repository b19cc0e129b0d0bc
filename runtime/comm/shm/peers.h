#pragma once

#include <tutti/runtime/descriptor.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <poll.h>

namespace tutti::runtime {

// The processes of other ranks, watched through descriptors that stay theirs whatever the system
// does with their numbers afterwards.
class Peers {
 public:
  // Watches a process. One that is gone already counts as ended. Raises the soft limit of open
  // files where that keeps it from it; throws EnvironmentError where there is no descriptor all the
  // same.
  void watch(std::int64_t rank, std::int32_t process);
  // The ranks whose processes have ended since the last call. From any thread.
  std::vector<std::int64_t> ended();

 private:
  std::mutex mutex_;
  std::vector<Descriptor> descriptors_;
  std::vector<pollfd> polled_;
  std::vector<std::int64_t> ranks_;        // of polled_
  std::vector<std::int64_t> gone_before_;  // when they were to be watched
};

// "process 1234", with "stopped" where the system says so.
std::string describe_process(std::int32_t process);

}  // namespace tutti::runtime
