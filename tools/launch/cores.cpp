#include "tools/launch/cores.h"

#include <tutti/ir/support/error.h>

#include <cerrno>

#include "tools/launch/file_handle.h"

namespace tutti::tools {

std::vector<std::size_t> allowed_cores() {
  // The kernel refuses a set that is too small for the machine.
  constexpr std::size_t kMostWords = 1024;
  std::vector<cpu_set_t> words(1);
  while (sched_getaffinity(0, words.size() * sizeof(cpu_set_t), words.data()) != 0) {
    if (errno != EINVAL || words.size() > kMostWords) {
      throw EnvironmentError(system_failure("cannot ask for the cores of this process"));
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

std::vector<CoreSet> share_out(const std::vector<std::size_t>& cores, std::size_t ranks) {
  std::vector<CoreSet> out;
  if (ranks > cores.size()) return out;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    CoreSet& share = out.emplace_back(cores.back());
    const std::size_t end = cores.size() * (rank + 1) / ranks;
    for (std::size_t i = cores.size() * rank / ranks; i < end; ++i) share.add(cores[i]);
  }
  return out;
}

}  // namespace tutti::tools
