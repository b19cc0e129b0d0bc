#pragma once

#include <tutti/codegen/plan/plan.h>

#include <cstddef>
#include <vector>

namespace tutti::codegen {

// Which steps of a plan touched each buffer last, of those seen so far: past which steps a launch
// may be moved, up to an earlier one or down to the next.
class AccessHistory {
 public:
  // The plan, whose buffers are all there, outlives this.
  explicit AccessHistory(const Plan& plan)
      : plan_(plan), written_(plan.buffers.size(), 0), used_(plan.buffers.size(), 0) {}

  // Sees a step that stands at that place. Places may come in any order.
  void note(const Step& step, std::size_t place);

  // The place behind the last step that writes what the part reads, or touches what it writes.
  std::size_t earliest(const LaunchPart& part) const;
  // The place behind the last step that reads or writes it.
  std::size_t behind_uses(BufferId id) const { return used_[static_cast<std::size_t>(id)]; }

 private:
  const Plan& plan_;
  std::vector<std::size_t> written_;  // [buffer], the place behind the last step that writes it
  std::vector<std::size_t> used_;     // [buffer], behind the last that reads or writes it
};

// Drops the steps that are `gone`.
void erase_steps(Plan& plan, const std::vector<bool>& gone);

}  // namespace tutti::codegen
