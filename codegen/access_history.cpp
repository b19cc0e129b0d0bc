#include <tutti/codegen/access_history.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen {

void AccessHistory::note(const Step& step, std::size_t place) {
  for_each_access(plan_, step, [&](BufferId id, bool written) {
    if (written) written_[at(id)] = std::max(written_[at(id)], place + 1);
    used_[at(id)] = std::max(used_[at(id)], place + 1);
  });
}

std::size_t AccessHistory::earliest(const LaunchPart& part) const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    const std::size_t id = at(part.buffers[i]);
    out = std::max(out, writes(plan_, part, i) ? used_[id] : written_[id]);
  }
  return out;
}

void erase_steps(Plan& plan, const std::vector<bool>& gone) {
  std::size_t kept = 0;
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    if (!gone[step]) std::swap(plan.steps[kept++], plan.steps[step]);
  }
  plan.steps.resize(kept);
}

}  // namespace tutti::codegen
