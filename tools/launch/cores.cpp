#include "tools/launch/cores.h"

namespace tutti::tools {

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
