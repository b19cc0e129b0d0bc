#include <tutti/codegen/join_regions.h>
#include <tutti/codegen/pack.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace tutti::codegen {

namespace {

template <class T>
void move_behind(std::vector<T>& to, std::vector<T>& from) {
  std::ranges::move(from, std::back_inserter(to));
}

// Moves what a plan consists of behind what is there; its own numbers move along.
void add(Plan& to, Plan& from) {
  const Shift by{.buffers = static_cast<BufferId>(to.buffers.size()),
                 .kernels = static_cast<int>(to.kernels.size()),
                 .works = to.works};
  const int first_step = static_cast<int>(to.steps.size());
  const int constants = static_cast<int>(to.constants.size());
  for (PlanBuffer& buffer : from.buffers) {
    if (buffer.kind == PlanBuffer::Kind::constant) buffer.index += constants;
    if (buffer.kind == PlanBuffer::Kind::symmetric) {
      const PlanArea& area = from.areas[at(buffer.index)];
      buffer.index = area_of(to, *area.group, area.member, area.device);
    }
    if (buffer.defined_at >= 0) buffer.defined_at += first_step;
    if (buffer.last_use >= 0) buffer.last_use += first_step;
  }
  for (Step& step : from.steps) {
    std::visit([&](auto& each) { each.shift(by); }, step);
  }
  for (PlanResult& result : from.results) {
    result.buffer += by.buffers;
    if (result.work >= 0) result.work += by.works;
  }
  for (Donation& donation : from.donations) donation.buffer += by.buffers;
  to.works += from.works;
  move_behind(to.buffers, from.buffers);
  move_behind(to.kernels, from.kernels);
  move_behind(to.steps, from.steps);
  move_behind(to.constants, from.constants);
}

void add_region(Plan& to, Plan& function) {
  Region region{.name = std::move(function.name),
                .first_step = static_cast<int>(to.steps.size()),
                .first_buffer = static_cast<BufferId>(to.buffers.size())};
  add(to, function);
  region.end_step = static_cast<int>(to.steps.size());
  region.end_buffer = static_cast<BufferId>(to.buffers.size());
  region.inputs = std::move(function.inputs);
  region.results = std::move(function.results);
  region.donations = std::move(function.donations);
  region.parameters.resize(region.inputs.size());
  for (BufferId id = region.first_buffer; id < region.end_buffer; ++id) {
    const PlanBuffer& buffer = to.buffers[at(id)];
    if (buffer.kind == PlanBuffer::Kind::parameter) region.parameters[at(buffer.index)] = id;
  }
  to.regions.push_back(std::move(region));
}

bool before(Device a, Device b) { return std::pair(a.kind, a.index) < std::pair(b.kind, b.index); }

// Regions enter those in front of them only, so that from the back on each has its place when it is
// met: behind the highest of those that enter it. `bytes` are what each has of an arena or area,
// the program itself last; `lies_there` says which buffers are in it. Gives what all have together.
template <class LiesThere>
std::int64_t place_windows(Plan& plan, const std::vector<std::int64_t>& bytes,
                           LiesThere&& lies_there) {
  std::vector<std::int64_t> begin(plan.regions.size(), 0);
  std::int64_t all = 0;
  const auto enter = [&](int first_step, int end_step, std::int64_t end) {
    all = std::max(all, end);
    for (int step = first_step; step < end_step; ++step) {
      const Control* const control = control_of(plan.steps[at(step)]);
      if (control == nullptr) continue;
      for (const int region : control->regions) {
        begin[at(region)] = std::max(begin[at(region)], end);
      }
    }
  };
  enter(plan.main_step(), static_cast<int>(plan.steps.size()), bytes.back());
  for (std::size_t i = plan.regions.size(); i-- > 0;) {
    const Region& region = plan.regions[i];
    const std::int64_t end = add_bytes(begin[i], bytes[i]);
    for (BufferId id = region.first_buffer; id < region.end_buffer; ++id) {
      PlanBuffer& buffer = plan.buffers[at(id)];
      if (lies_there(buffer)) buffer.offset += begin[i];
    }
    enter(region.first_step, region.end_step, end);
  }
  return all;
}

// Each group and member once, in the order in which the program itself uses them, then the
// functions.
std::vector<PlanArea> all_areas(const std::vector<Plan>& functions, const Plan& program) {
  Plan out;
  out.rank = program.rank;
  const auto add = [&](const Plan& plan) {
    for (const PlanArea& area : plan.areas) {
      if (area_of(out, *area.group, area.member, area.device) >= 0) continue;
      out.areas.push_back({.group = area.group, .member = area.member, .device = area.device});
    }
  };
  add(program);
  for (const Plan& function : functions) add(function);
  return std::move(out.areas);
}

std::int64_t area_bytes(const Plan& plan, const PlanArea& of) {
  const int area = area_of(plan, *of.group, of.member, of.device);
  return area < 0 ? 0 : plan.areas[at(area)].bytes;
}

}  // namespace

Plan join_regions(std::vector<Plan> functions, Plan program) {
  if (functions.empty()) return program;
  Plan out;
  out.rank = program.rank;
  std::map<Device, std::vector<std::int64_t>, decltype(&before)> windows(before);
  const auto add_windows = [&](const Plan& plan) {
    windows.try_emplace(Device::cpu());
    for (const PlanDevice& used : plan.devices) windows.try_emplace(used.device);
  };
  for (const Plan& function : functions) add_windows(function);
  add_windows(program);
  for (auto& [device, bytes] : windows) {
    for (const Plan& function : functions) bytes.push_back(arena_bytes(function, device));
    bytes.push_back(arena_bytes(program, device));
  }
  out.areas = all_areas(functions, program);
  std::vector<std::vector<std::int64_t>> area_windows;
  for (const PlanArea& area : out.areas) {
    std::vector<std::int64_t>& bytes = area_windows.emplace_back();
    for (const Plan& function : functions) bytes.push_back(area_bytes(function, area));
    bytes.push_back(area_bytes(program, area));
  }
  for (Plan& function : functions) add_region(out, function);
  add(out, program);
  out.name = std::move(program.name);
  out.mesh = std::move(program.mesh);
  out.inputs = std::move(program.inputs);
  out.results = std::move(program.results);
  out.donations = std::move(program.donations);
  for (const auto& [device, bytes] : windows) {
    const auto lies_there = [&](const PlanBuffer& buffer) {
      return buffer.kind == PlanBuffer::Kind::local && buffer.device == device;
    };
    const std::int64_t all = place_windows(out, bytes, lies_there);
    if (device.is_cpu()) {
      out.arena_bytes = all;
    } else {
      out.devices.push_back({.device = device, .arena_bytes = all});
    }
  }
  for (std::size_t i = 0; i < out.areas.size(); ++i) {
    out.areas[i].bytes = place_windows(out, area_windows[i], [i](const PlanBuffer& buffer) {
      return buffer.kind == PlanBuffer::Kind::symmetric && at(buffer.index) == i;
    });
  }
  return out;
}

}  // namespace tutti::codegen
