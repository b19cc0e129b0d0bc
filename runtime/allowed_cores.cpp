#include <tutti/ir/support/error.h>
#include <tutti/runtime/allowed_cores.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

#include <sched.h>

namespace tutti::runtime {

std::vector<std::size_t> allowed_cores() {
  // The kernel refuses a set that is too small for the machine.
  constexpr std::size_t kMostWords = 1024;
  std::vector<cpu_set_t> words(1);
  while (sched_getaffinity(0, words.size() * sizeof(cpu_set_t), words.data()) != 0) {
    if (errno != EINVAL || words.size() > kMostWords) {
      throw EnvironmentError("cannot ask for the cores of this process: " +
                             std::generic_category().message(errno));
    }
    words.resize(2 * words.size());
  }
  const std::size_t bytes = words.size() * sizeof(cpu_set_t);
  std::vector<std::size_t> out;
  for (std::size_t core = 0; core < 8 * bytes; ++core) {
    if (CPU_ISSET_S(core, bytes, words.data())) out.push_back(core);
  }
  return out;
}

int count_of_allowed_cores() {
  try {
    return static_cast<int>(allowed_cores().size());
  } catch (const EnvironmentError&) {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
}

}  // namespace tutti::runtime
