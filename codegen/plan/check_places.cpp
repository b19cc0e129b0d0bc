// What PlanChecker makes sure of about places in arenas and in groups' memory.

#include <tutti/codegen/plan/placement.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace tutti::codegen {

// From here on other buffers must be done with the place, and peers have read what lay there.
void PlanChecker::acquire(BufferId id) {
  State& state = states_[at(id)];
  require_own(id);
  require(buffer(id).kind == PlanBuffer::Kind::symmetric && buffer(id).device.is_cpu() &&
              !is_common(plan_, id),
          " is not to be acquired", id);
  require(!state.allocated, " is acquired twice", id);
  require(reading_ < 0, " is acquired while peers' operands are read", id);
  state.allocated = true;
  if (buffer(id).bytes > 0) begin_life(id, area_places_[at(buffer(id).index)]);
}

// Of one in a group's memory that is written first: where its place is to be acquired, it was.
void PlanChecker::begin_placed(BufferId id) {
  if (buffer(id).device.is_cpu() && !is_common(plan_, id)) {
    require(states_[at(id)].allocated, " is written before its place is acquired", id);
  } else if (buffer(id).bytes > 0) {
    begin_life(id, area_places_[at(buffer(id).index)]);
  }
}

// What lies in a group's memory is for that group's collectives, as the runtime itself moves it.
void PlanChecker::require_area(BufferId id, const CollectiveStart& start) const {
  require(start.parent == nullptr &&
              (start.engine == "shm" || runtime::moves_on_devices(start.engine)) &&
              plan_.areas[at(buffer(id).index)].group->is_same_for(plan_.rank, *start.group),
          " lies in another group's memory", id);
}

// Nothing that a later step uses, or this one, lies where the buffer does.
void PlanChecker::begin_life(BufferId id, Places& places) {
  const PlanBuffer& buffer = plan_.buffers[at(id)];
  const std::int64_t end = buffer.offset + buffer.bytes;
  auto next = places.lower_bound(buffer.offset);
  if (next != places.begin()) {
    const PlanBuffer& previous = plan_.buffers[at(std::prev(next)->second)];
    if (previous.offset + previous.bytes > buffer.offset) --next;
  }
  while (next != places.end() && next->first < end) {
    const BufferId other = next->second;
    const int last_use = states_[at(other)].last_use;
    if (last_use >= static_cast<int>(step_)) {
      fail(name(id) + " overlaps a live buffer, " + name(other) + ", which step " +
           std::to_string(last_use) + " uses");
    }
    next = places.erase(next);
  }
  places.emplace(buffer.offset, id);
}

void PlanChecker::check_place(BufferId id) const {
  const PlanBuffer& place = buffer(id);
  require(place.index >= 0 && at(place.index) < plan_.areas.size(),
          " lies in a group's memory that the plan does not have", id);
  require(place.device == plan_.areas[at(place.index)].device,
          " lies in a group's memory, which another device has", id);
  require(lies_within(place, plan_.areas[at(place.index)].bytes),
          " lies outside the group's memory", id);
  require(place.offset % alignment_on(place.device) == 0, " is not aligned", id);
}

void PlanChecker::check_arenas() {
  const auto check = [this](Device device) {
    check_windows([device](const PlanBuffer& buffer) {
      return buffer.kind == PlanBuffer::Kind::local && buffer.device == device;
    });
  };
  check(Device::cpu());
  for (const PlanDevice& used : plan_.devices) check(used.device);
}

// What a region has of an arena or area lies behind all that those have that enter it, directly or
// not.
void PlanChecker::check_windows(const std::function<bool(const PlanBuffer&)>& lies_there) {
  std::vector<std::int64_t> least(parts_.size(), 0);
  for (std::size_t i = parts_.size(); i-- > 0;) {
    std::int64_t end = least[i];
    for (BufferId id = parts_[i].first_buffer; id < parts_[i].end_buffer; ++id) {
      if (!lies_there(buffer(id))) continue;
      require(buffer(id).offset >= least[i], " lies where a caller of its region has its own", id);
      require(lies_within(buffer(id), std::numeric_limits<std::int64_t>::max()),
              " ends where no address does", id);
      end = std::max(end, buffer(id).offset + buffer(id).bytes);
    }
    for (const std::size_t region : enters_[i]) least[region] = std::max(least[region], end);
  }
}

void PlanChecker::check_areas() {
  for (std::size_t area = 0; area < plan_.areas.size(); ++area) {
    const ir::Group& group = *plan_.areas[area].group;
    if (area_of(plan_, group, plan_.areas[area].member, plan_.areas[area].device) !=
        static_cast<int>(area)) {
      fail("group \"" + group.tag + "\" has memory in two places");
    }
    if (plan_.areas[area].member >= group.size()) {
      fail("group \"" + group.tag + "\" has no member " + std::to_string(plan_.areas[area].member) +
           " to have memory");
    }
    if (plan_.areas[area].member >= 0 && !plan_.areas[area].device.is_cpu()) {
      fail("group \"" + group.tag + "\" has results in common on a GPU");
    }
    if (group.members_with(plan_.rank).size() < 2) {
      fail("group \"" + group.tag + "\" has memory, but nobody to share it with");
    }
    check_windows([area](const PlanBuffer& buffer) {
      return buffer.kind == PlanBuffer::Kind::symmetric && at(buffer.index) == area;
    });
    const runtime::Placement said = plan_.areas[area].placement;
    if (said.skeleton != 0 && said != placement_of(plan_, area)) {
      fail("the places in group \"" + group.tag + "\" are not those that the plan's head says");
    }
  }
}

}  // namespace tutti::codegen
