#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/launch.h>
#include <tutti/runtime/profile/timeline_range.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen {

namespace {

// As the profile calls it; of a GPU's work, what it begins with.
std::string name_in_profile(const Plan& plan, const Step& step) {
  if (const auto* const launch = std::get_if<Launch>(&step)) {
    return full_name(plan, launch->parts[0]);
  }
  if (const CollectiveStart* const start = start_of(step)) {
    return "start " + runtime::describe(start->call);
  }
  if (const auto* const wait = std::get_if<CollectiveWait>(&step)) {
    for (const Step& other : plan.steps) {
      const CollectiveStart* const start = start_of(other);
      if (start != nullptr && start->work == wait->work) {
        return "wait " + runtime::describe(start->call);
      }
    }
  }
  return std::visit([](const auto& each) { return std::string(each.kWords[0]); }, step);
}

}  // namespace

void Binding::bind() {
  number_calls();
  for (std::int32_t step = 0; at(step) < plan_.steps.size(); ++step) {
    const CollectiveStart* const start = start_of(plan_.steps[at(step)]);
    if (start == nullptr) continue;
    for (const BufferId id : start->operands) {
      const PlanBuffer& place = plan_.buffers[at(id)];
      if (place.kind != PlanBuffer::Kind::symmetric) continue;
      place_readers_.push_back(
          {step, start->work, place.index, place.offset, place.offset + place.bytes});
    }
  }
  const auto bind_up_to = [this](std::int32_t end) {
    for (region_ = nullptr; next_step_ < end; ++next_step_) {
      take_device_places();
      std::visit([this](const auto& each) { each.bind(*this); }, plan_.steps[at(next_step_)]);
    }
  };
  for (const Region& region : plan_.regions) {
    const std::size_t first = steps_.size();
    bind_up_to(region.end_step);
    of_regions_.emplace_back(first, steps_.size());
  }
  main_ = steps_.size();
  bind_up_to(static_cast<std::int32_t>(plan_.steps.size()));
  find_spans();
}

void Binding::number_calls() {
  numbers_in_groups_.resize(at(plan_.works));
  std::vector<std::pair<const ir::Group*, std::uint32_t>> groups;
  for (const Step& step : plan_.steps) {
    const CollectiveStart* const start = start_of(step);
    if (start == nullptr || start->parent != nullptr) continue;
    auto known = std::ranges::find_if(groups, [&](const auto& group) {
      return group.first->is_same_for(plan_.rank, *start->group);
    });
    if (known == groups.end()) known = groups.insert(groups.end(), {start->group.get(), 0});
    numbers_in_groups_[at(start->work)] = ++known->second;
  }
}

void Binding::add(const BoundStep& step) {
  region_ = nullptr;
  steps_.push_back(step);
  if (!runtime::timeline_listens()) return;
  in_ranges_.push_back(std::exchange(steps_.back().run, run_in_range));
  range_names_.push_back(name_in_profile(plan_, plan_.steps[at(next_step_)]));
}

void Binding::run_in_range(Binding& binding, const BoundStep& self) {
  const auto number = static_cast<std::size_t>(&self - binding.steps_.data());
  const runtime::TimelineRange range(binding.range_names_[number].c_str());
  binding.in_ranges_[number](binding, self);
}

std::uint32_t Binding::add_buffers(std::span<const BufferId> buffers) {
  const auto first = static_cast<std::uint32_t>(buffers_.size());
  buffers_.insert(buffers_.end(), buffers.begin(), buffers.end());
  arguments_.resize(std::max(arguments_.size(), buffers.size()));
  return first;
}

DeviceRegion& Binding::region(Device device) {
  if (region_ == nullptr || region_->device() != device) {
    DeviceRegion& region = regions_.emplace_back(device, on_devices_);
    const auto run = [](Binding& binding, const BoundStep& self) {
      binding.regions_[at(self.number)].run(binding.context_, binding.frame_);
    };
    add({.run = run,
         .number = static_cast<std::int32_t>(regions_.size()) - 1,
         .kind = BoundStep::Kind::region,
         .runs_beside_copies = true});
    region_ = &region;
  }
  return *region_;
}

void Binding::add_start(BoundStart start) {
  if (next_step_ < plan_.main_step()) return;
  start.step = steps_.size();
  starts_.push_back(std::move(start));
}

// Of a GPU's places no step says that they are taken but the first that writes there.
void Binding::take_device_places() {
  for_each_access(plan_, plan_.steps[at(next_step_)], [this](BufferId id, bool written) {
    const PlanBuffer& buffer = plan_.buffers[at(id)];
    const bool first = written && buffer.kind == PlanBuffer::Kind::symmetric &&
                       !buffer.device.is_cpu() && buffer.defined_at == next_step_;
    if (first) takes_place(id);
  });
}

void Binding::takes_place(BufferId id) {
  if (next_step_ < plan_.main_step()) return;  // nobody has what lay in a region's places
  const PlanBuffer& place = plan_.buffers[at(id)];
  const auto overlaps = [&](BufferId other) {
    const PlanBuffer& known = plan_.buffers[at(other)];
    return other != id && known.index == place.index && known.offset < place.offset + place.bytes &&
           place.offset < known.offset + known.bytes;
  };
  for (BoundStart& start : starts_) {
    if (std::ranges::none_of(start.placed, overlaps)) continue;
    start.overwritten_at = std::min(start.overwritten_at, steps_.size());
  }
}

void* Binding::address_of(BufferId id) {
  const PlanBuffer& buffer = plan_.buffers[at(id)];
  if (buffer.kind != PlanBuffer::Kind::local) return frame_.memory().addresses[id];
  std::byte* const arena =
      buffer.device.is_cpu() ? frame_.memory().arena : frame_.arena(buffer.device);
  return arena + buffer.offset;
}

void* const* Binding::addresses(std::uint32_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) arguments_[i] = address_of(buffers_[first + i]);
  return arguments_.data();
}

void Binding::walk() {
  std::size_t next = 0;  // of spans_
  for (step_ = main_; step_ < steps_.size(); ++step_) {
    DeviceSpan* const span = next < spans_.size() ? &spans_[next] : nullptr;
    const bool begins = span != nullptr && step_ == span->first_step();
    if (begins && replay(*span)) {
      step_ = span->last_step();
    } else {
      run_step();
      if (span != nullptr && step_ == span->last_step()) span->end();
    }
    if (span != nullptr && step_ == span->last_step()) ++next;
  }
  frame_.finish_copies();
}

bool Binding::replay(DeviceSpan& span) {
  frame_.finish_copies();
  const runtime::TimelineRange range(range_names_.empty() ? nullptr : "recorded collectives");
  return span.replay(context_, frame_);
}

void Binding::enter(const Region& region) {
  const auto [first, end] = of_regions_[static_cast<std::size_t>(&region - plan_.regions.data())];
  for (std::size_t step = first; step < end; ++step) run(steps_[step]);
  frame_.finish_copies();
}

}  // namespace tutti::codegen
