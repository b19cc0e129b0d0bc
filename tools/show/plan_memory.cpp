#include "tools/show/plan_memory.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tutti::tools::show {

namespace {

using codegen::PlanBuffer;

using CountsBuffer = std::function<bool(const PlanBuffer&)>;

// Wraps around where sizes are larger than any memory; what is live stays right where it can be
// told.
void add_wrapping(std::int64_t& sum, std::int64_t bytes) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(bytes));
}

// By region, the steps that enter it.
std::vector<std::vector<int>> callers_of_regions(const codegen::Plan& plan) {
  std::vector<std::vector<int>> out(plan.regions.size());
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    const codegen::Control* const control = codegen::control_of(plan.steps[step]);
    if (control == nullptr) continue;
    for (const int region : control->regions)
      out[codegen::at(region)].push_back(static_cast<int>(step));
  }
  return out;
}

// What buffers hold at each step, without what is held where its region is entered.
std::vector<std::int64_t> own_bytes(const codegen::Plan& plan, const CountsBuffer& counts) {
  const std::size_t steps = plan.steps.size();
  std::vector<std::int64_t> out(steps, 0);
  // The change at each step, then summed up.
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.defined_at < 0 || !counts(buffer)) continue;
    add_wrapping(out[codegen::at(buffer.defined_at)], buffer.bytes);
    const std::size_t end = codegen::at(buffer.last_use) + 1;
    if (end < steps) add_wrapping(out[end], -buffer.bytes);
  }
  for (std::size_t i = 1; i < steps; ++i) add_wrapping(out[i], out[i - 1]);
  return out;
}

// The same with what the steps that enter regions hold. Regions enter those in front of them only:
// what a caller holds is known by then.
std::vector<std::int64_t> held_along(const codegen::Plan& plan, const std::vector<int>& entered_by,
                                     const CountsBuffer& counts) {
  std::vector<std::int64_t> out = own_bytes(plan, counts);
  for (std::size_t number = plan.regions.size(); number-- > 0;) {
    const codegen::Region& region = plan.regions[number];
    for (int step = region.first_step; step < region.end_step; ++step) {
      const int caller = entered_by[codegen::at(step)];
      if (caller >= 0) add_wrapping(out[codegen::at(step)], out[codegen::at(caller)]);
    }
  }
  return out;
}

bool lies_in_arena(const PlanBuffer& buffer) { return buffer.kind == PlanBuffer::Kind::local; }
bool is_for_collectives(const PlanBuffer& buffer) {
  return buffer.kind == PlanBuffer::Kind::comm || buffer.kind == PlanBuffer::Kind::symmetric;
}
bool is_output(const PlanBuffer& buffer) { return buffer.kind == PlanBuffer::Kind::output; }

}  // namespace

std::vector<std::int64_t> held_bytes(const codegen::Plan& plan, const CountsBuffer& counts) {
  return held_along(plan, entering_steps(plan), counts);
}

PlanMemory find_memory(const codegen::Plan& plan) {
  const std::vector<int> entered_by = entering_steps(plan);
  return {.local = held_along(plan, entered_by, lies_in_arena),
          .comm = held_along(plan, entered_by, is_for_collectives),
          .output = held_along(plan, entered_by, is_output)};
}

std::vector<int> entering_steps(const codegen::Plan& plan) {
  std::vector<int> out(plan.steps.size(), -1);
  std::vector<std::int64_t> held = own_bytes(plan, [](const PlanBuffer& buffer) {
    return lies_in_arena(buffer) || is_for_collectives(buffer) || is_output(buffer);
  });
  const std::vector<std::vector<int>> callers = callers_of_regions(plan);
  for (std::size_t number = plan.regions.size(); number-- > 0;) {
    if (callers[number].empty()) continue;
    const int caller = *std::ranges::max_element(callers[number], {},
                                                 [&](int step) { return held[codegen::at(step)]; });
    const codegen::Region& region = plan.regions[number];
    for (int step = region.first_step; step < region.end_step; ++step) {
      out[codegen::at(step)] = caller;
      add_wrapping(held[codegen::at(step)], held[codegen::at(caller)]);
    }
  }
  return out;
}

}  // namespace tutti::tools::show
