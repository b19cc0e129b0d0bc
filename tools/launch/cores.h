#pragma once

#include <cstddef>
#include <vector>

#include <sched.h>

namespace tutti::tools {

// A set of processor cores, as the kernel takes it.
class CoreSet {
 public:
  explicit CoreSet(std::size_t cores) : words_(cores / CPU_SETSIZE + 1) {}

  const cpu_set_t* data() const { return words_.data(); }
  std::size_t bytes() const { return words_.size() * sizeof(cpu_set_t); }
  void add(std::size_t core) { CPU_SET_S(core, bytes(), words_.data()); }

 private:
  std::vector<cpu_set_t> words_;
};

// Neighbouring cores for each of the ranks, as evenly as it goes; nothing if there are more ranks
// than cores.
std::vector<CoreSet> share_out(const std::vector<std::size_t>& cores, std::size_t ranks);

}  // namespace tutti::tools
