#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/peers.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

// No more than is needed: programs that use select() can't have many. False where it is the most.
bool raise_limit_of_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return false;
  limit.rlim_cur = std::min(2 * limit.rlim_cur + 1, limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

}  // namespace

void Peers::watch(std::int64_t rank, std::int32_t process) {
  Descriptor descriptor;
  int error = 0;
  do {
    descriptor = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    error = descriptor.valid() ? 0 : errno;
  } while (error == EMFILE && raise_limit_of_files());
  if (error == EMFILE || error == ENFILE) {
    throw EnvironmentError("rank " + std::to_string(rank) + " (process " + std::to_string(process) +
                           ") can't be watched: too many open files (ulimit -n)");
  }
  const std::scoped_lock lock(mutex_);
  if (!descriptor.valid()) {
    // Without pidfds (before Linux 5.3, or forbidden) a death shows as a time-out.
    if (error == ESRCH) gone_before_.push_back(rank);
    return;
  }
  polled_.push_back({.fd = descriptor.number(), .events = POLLIN, .revents = 0});
  ranks_.push_back(rank);
  descriptors_.push_back(std::move(descriptor));
}

std::vector<std::int64_t> Peers::ended() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::int64_t> ended = std::exchange(gone_before_, {});
  if (polled_.empty() || poll(polled_.data(), polled_.size(), 0) <= 0) return ended;
  for (std::size_t i = 0; i < polled_.size(); ++i) {
    if (polled_[i].revents == 0) continue;
    ended.push_back(ranks_[i]);
    polled_[i].fd = -1;  // ignored from now on
    polled_[i].revents = 0;
  }
  return ended;
}

std::string describe_process(std::int32_t process) {
  std::string text = "process " + std::to_string(process);
  // "1234 (name) T ...": the name may hold anything.
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos || end_of_name + 2 >= line.size()) return text;
  const char state = line[end_of_name + 2];
  if (state == 'T' || state == 't') text += ", stopped";
  return text;
}

}  // namespace tutti::runtime
