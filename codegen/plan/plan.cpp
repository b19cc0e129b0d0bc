#include <tutti/codegen/plan/plan.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tutti::codegen {

void for_each_access(const Plan& plan, const Step& step, const OnAccess& f) {
  std::visit([&](const auto& each) { each.for_each_access(plan, f); }, step);
}

namespace {

// T itself, and null for the other kinds of steps, which it names: a new one is put to the
// question.
template <class T>
struct Only {
  template <class S>
  const T* operator()(const S& step) const {
    static_assert(kKnown<S>, "may it be a launch, start, loop or branch? Then add it to kKnown");
    if constexpr (std::is_same_v<S, T>) {
      return &step;
    } else {
      return nullptr;
    }
  }
  template <class S>
  static constexpr bool kKnown =
      (std::is_same_v<S, Allocate> || std::is_same_v<S, Acquire> || std::is_same_v<S, Launch> ||
       std::is_same_v<S, Observe> || std::is_same_v<S, Copy> ||
       std::is_same_v<S, CollectiveStart> || std::is_same_v<S, CollectiveWait> ||
       std::is_same_v<S, Finish> || std::is_same_v<S, Free> || std::is_same_v<S, Control>);
};

}  // namespace

const Launch* launch_of(const Step& step) { return std::visit(Only<Launch>(), step); }
Launch* launch_of(Step& step) { return const_cast<Launch*>(launch_of(std::as_const(step))); }
const CollectiveStart* start_of(const Step& step) {
  return std::visit(Only<CollectiveStart>(), step);
}
CollectiveStart* start_of(Step& step) {
  return const_cast<CollectiveStart*>(start_of(std::as_const(step)));
}
const Control* control_of(const Step& step) { return std::visit(Only<Control>(), step); }
Control* control_of(Step& step) { return const_cast<Control*>(control_of(std::as_const(step))); }

bool reads_peers(const Plan& plan, const Step& step) {
  const auto* const wait = std::get_if<CollectiveWait>(&step);
  return wait != nullptr && !wait->results.empty() &&
         plan.buffers[at(wait->results[0])].kind == PlanBuffer::Kind::peer;
}

int area_of(const Plan& plan, const ir::Group& group, int member, Device device) {
  const auto is_for = [&](const PlanArea& area) {
    return area.member == member && area.device == device &&
           area.group->is_same_for(plan.rank, group);
  };
  const auto found = std::ranges::find_if(plan.areas, is_for);
  return found == plan.areas.end() ? -1 : static_cast<int>(found - plan.areas.begin());
}

runtime::Placement placement_in(const Plan& plan, const ir::Group& group) {
  const auto found = std::ranges::find_if(
      plan.areas, [&](const PlanArea& area) { return area.group->is_same_for(plan.rank, group); });
  return found == plan.areas.end() ? runtime::Placement{} : found->placement;
}

bool is_common(const Plan& plan, BufferId id) {
  const PlanBuffer& buffer = plan.buffers[at(id)];
  return buffer.kind == PlanBuffer::Kind::symmetric && plan.areas[at(buffer.index)].member >= 0;
}

std::int64_t arena_bytes(const Plan& plan, Device device) {
  if (device.is_cpu()) return plan.arena_bytes;
  const auto found = std::ranges::find(plan.devices, device, &PlanDevice::device);
  return found == plan.devices.end() ? 0 : found->arena_bytes;
}

void add_place(const Plan& plan, BufferId id, Hasher& hasher) {
  const PlanBuffer& buffer = plan.buffers[at(id)];
  const bool local = buffer.kind == PlanBuffer::Kind::local;
  hasher.add(hashed(local ? 1 : 2)).add(hashed(local ? buffer.offset : id));
}

bool uses_group(const Plan& plan, const ir::Group& group) {
  return std::ranges::any_of(plan.steps, [&](const Step& step) {
    const CollectiveStart* const start = start_of(step);
    if (start == nullptr) return false;
    const ir::Group& of = start->parent != nullptr ? *start->parent : *start->group;
    return of.is_same_for(plan.rank, group);
  });
}

}  // namespace tutti::codegen
