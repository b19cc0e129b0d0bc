#include <tutti/codegen/plan/memory_labels.h>
#include <tutti/codegen/plan/step.h>
#include <tutti/ir/support/interned.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

using runtime::MemoryBlock;
using runtime::MemoryLabel;

// What a step does and where, to one of the buffers that it writes.
MemoryLabel label_of(const Plan& plan, const Step& step, BufferId written) {
  if (const Launch* const launch = launch_of(step)) {
    for (const LaunchPart& part : launch->parts) {
      for (std::size_t i = 0; i < part.buffers.size(); ++i) {
        if (part.buffers[i] != written || !writes(plan, part, i)) continue;
        return {.what = interned(part.name), .where = part.location};
      }
    }
  }
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
  const auto set = [&](BufferId id, const MemoryLabel& label) {
    if (out[at(id)].what == nullptr) out[at(id)] = label;
  };
  for (const Step& step : plan.steps) {
    if (const CollectiveStart* const start = start_of(step)) {
      for (const BufferId id : start->results) {
        set(id, {.what = name_of(start->call.kind).data(), .where = start->call.location});
      }
      continue;
    }
    for_each_access(plan, step, [&](BufferId id, bool written) {
      if (written && out[at(id)].what == nullptr) set(id, label_of(plan, step, id));
    });
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
