#include <tutti/ir/support/bytes_text.h>
#include <tutti/runtime/host_room.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string_view>

#include <sys/resource.h>

namespace tutti::runtime {

namespace {

// "MemAvailable:   123 kB"
std::optional<std::size_t> kibibytes_of(std::string_view key) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t number = line.find_first_of("0123456789");
    if (number == std::string::npos) return std::nullopt;
    return std::stoull(line.substr(number)) << 10;
  }
  return std::nullopt;
}

// The only number in a file; nothing where it is "max" or not there.
std::optional<std::size_t> only_number_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t out = 0;
  if (file >> out) return out;
  return std::nullopt;
}

// What a group's statistics say of a name; 0 if nothing.
std::size_t statistic(const std::string& path, std::string_view wanted) {
  std::ifstream file(path);
  std::string name;
  for (std::size_t bytes = 0; file >> name >> bytes;) {
    if (name == wanted) return bytes;
  }
  return 0;
}

// Of version 2: the process's group and all around it. Pages of files that nobody used lately go
// where memory is wanted.
void restrict_to_control_groups(MemoryRoom& room) {
  std::ifstream file("/proc/self/cgroup");
  std::string group;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) group = line.substr(3);
  }
  for (;;) {
    while (group.ends_with('/')) group.pop_back();
    const std::string folder = "/sys/fs/cgroup" + group;
    if (const auto most = only_number_in(folder + "/memory.max"); most && *most < room.total) {
      const std::size_t all = only_number_in(folder + "/memory.current").value_or(0);
      const std::size_t files = statistic(folder + "/memory.stat", "inactive_file");
      const std::size_t used = all - std::min(all, files);
      room.total = *most;
      room.free = std::min(room.free, *most - std::min(*most, used));
    }
    const std::size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos) return;
    group.resize(slash);
  }
}

std::string limit_text(decltype(RLIMIT_AS) resource, const char* command) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return ", this process may have " + bytes_text(static_cast<std::int64_t>(limit.rlim_cur)) + " (" +
         command + ")";
}

}  // namespace

std::optional<MemoryRoom> host_room() {
  const auto total = kibibytes_of("MemTotal");
  const auto free = kibibytes_of("MemAvailable");
  if (!total || !free) return std::nullopt;
  MemoryRoom room{.free = *free, .total = *total};
  restrict_to_control_groups(room);
  return room;
}

std::string host_room_text() {
  const auto room = host_room();
  const std::string of_all =
      !room ? "of the host"
            : "the host has " + bytes_text(static_cast<std::int64_t>(room->free)) + " of " +
                  bytes_text(static_cast<std::int64_t>(room->total)) +
                  " free, for all programs that use it";
  return of_all + limit_text(RLIMIT_AS, "ulimit -v") + limit_text(RLIMIT_DATA, "ulimit -d");
}

}  // namespace tutti::runtime
