#include <tutti/codegen/plan/memory_labels.h>
#include <tutti/codegen/plan/step.h>
#include <tutti/ir/support/interned.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

using runtime::MemoryBlock;
using runtime::MemoryLabel;

// What a step that is no launch does and where.
MemoryLabel label_of(const Plan& plan, const Step& step) {
  if (const Control* const control = control_of(step)) {
    return {.what = Control::kWords[static_cast<std::size_t>(control->kind)].data(),
            .where = control->location};
  }
  if (const auto* const copy = std::get_if<Copy>(&step)) {
    return {.what = "copy", .where = copy->location};
  }
  return {.what = interned("@" + plan.name), .where = {}};
}

}  // namespace

std::vector<MemoryLabel> memory_labels(const Plan& plan) {
  std::vector<MemoryLabel> out(plan.buffers.size());
  const auto is_new = [&](BufferId id) { return out[at(id)].what == nullptr; };
  for (const Step& step : plan.steps) {
    if (const CollectiveStart* const start = start_of(step)) {
      if (start->leader && is_new(start->operands[0])) {
        out[at(start->operands[0])] = {.what = interned(start->leader->name),
                                       .where = start->leader->location};
      }
      for (const BufferId id : start->results) {
        if (!is_new(id)) continue;
        out[at(id)] = {.what = name_of(start->call.kind).data(), .where = start->call.location};
      }
      for (const BufferId id : start->follower_buffers(plan, true)) {
        if (!is_new(id)) continue;
        out[at(id)] = {.what = interned(start->follower->name), .where = start->follower->location};
      }
    } else if (const Launch* const launch = launch_of(step)) {
      for (const LaunchPart& part : launch->parts) {
        for (std::size_t i = 0; i < part.buffers.size(); ++i) {
          const BufferId id = part.buffers[i];
          if (!is_new(id) || !writes(plan, part, i)) continue;
          out[at(id)] = {.what = interned(part.name), .where = part.location};
        }
      }
    } else {
      for_each_access(plan, step, [&](BufferId id, bool written) {
        if (written && is_new(id)) out[at(id)] = label_of(plan, step);
      });
    }
  }
  return out;
}

runtime::ArenaContents arena_contents(const Plan& plan, std::span<const MemoryLabel> labels,
                                      Device device) {
  runtime::ArenaContents out;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[i];
    if (buffer.kind != PlanBuffer::Kind::local || buffer.device != device) continue;
    out.largest.push_back({.bytes = static_cast<std::size_t>(buffer.bytes), .label = labels[i]});
  }
  const std::size_t most = std::min(out.largest.size(), runtime::MemoryUse::kMostBlocks);
  std::ranges::partial_sort(out.largest, out.largest.begin() + static_cast<std::ptrdiff_t>(most),
                            std::ranges::greater(), &MemoryBlock::bytes);
  out.largest.resize(most);
  out.label.what = interned("what @" + plan.name + " keeps while it runs");
  if (most > 0) out.label.where = out.largest[0].label.where;
  return out;
}

}  // namespace tutti::codegen
