#include <tutti/codegen/pack.h>
#include <tutti/codegen/plan/in_place.h>
#include <tutti/codegen/plan/memory_labels.h>
#include <tutti/codegen/plan_areas.h>
#include <tutti/codegen/plan_memory.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::codegen {

namespace {

// Finds the arguments that results may take over.
class DonationFinder {
 public:
  explicit DonationFinder(Plan& plan) : plan_(plan), kept_(plan.buffers.size(), false) {
    for (const Step& step : plan.steps) {
      std::visit(
          [this](const auto& each) {
            for (const BufferId id : each.keeps()) kept_[at(id)] = true;
          },
          step);
    }
    for (const PlanResult& result : plan.results) kept_[at(result.buffer)] = true;
  }

  void run() {
    std::vector<BufferId> outputs;
    for (const Step& step : plan_.steps) {
      if (const Control* const control = control_of(step)) find_in_place(*control, outputs);
      if (const CollectiveStart* const start = start_of(step)) {
        const auto number = static_cast<std::size_t>(&step - plan_.steps.data());
        for (const BufferId id : start->follower_buffers(plan_, true)) {
          if (!plan_.buffers[at(id)].is_result()) continue;
          find_in_place(*start, number, id);
          outputs.push_back(id);
        }
      }
      const Launch* const launch = launch_of(step);
      if (launch == nullptr) continue;
      for (const LaunchPart& part : launch->parts) {
        for (std::size_t i = 0; i < part.buffers.size(); ++i) {
          const PlanBuffer& buffer = plan_.buffers[at(part.buffers[i])];
          if (!writes(plan_, part, i) || !buffer.is_result()) continue;
          find_in_place(*launch, part, i);
          outputs.push_back(part.buffers[i]);
        }
      }
    }
    // Arguments that are read no more come second: the kernel that reads one has it in the cache.
    // By device and size, in the order of their last use.
    std::map<BufferClass, std::vector<BufferId>> inputs;
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer& buffer = plan_.buffers[i];
      if (!buffer.is_argument() || kept_[i]) continue;
      inputs[class_of(buffer)].push_back(static_cast<BufferId>(i));
    }
    for (auto& [common, ids] : inputs) {
      std::ranges::stable_sort(ids, {},
                               [&](BufferId id) { return plan_.buffers[at(id)].last_use; });
    }
    for (const BufferId id : outputs) {
      const PlanBuffer& buffer = plan_.buffers[at(id)];
      const auto found = inputs.find(class_of(buffer));
      if (found == inputs.end()) continue;
      std::size_t pairs = 0;
      for (const BufferId input : found->second) {
        if (plan_.buffers[at(input)].last_use >= buffer.defined_at || pairs == kMostPairs) break;
        if (belong_together(input, id) && add(input, id)) ++pairs;
      }
    }
  }

 private:
  // Of a result with arguments that are read no more; a long list of equal arguments gives each
  // result others, since those of the same kernel come first.
  static constexpr std::size_t kMostPairs = 8;

  // Device and size: buffers that have both in common may take each other's memory over.
  using BufferClass = std::tuple<Device::Kind, std::uint8_t, std::int64_t>;
  static BufferClass class_of(const PlanBuffer& buffer) {
    return {buffer.device.kind, buffer.device.index, buffer.bytes};
  }

  void find_in_place(const Launch& launch, const LaunchPart& part, std::size_t written) {
    const PlanBuffer& target = plan_.buffers[at(part.buffers[written])];
    for (std::size_t i = 0; i < part.buffers.size(); ++i) {
      const BufferId id = part.buffers[i];
      const PlanBuffer& buffer = plan_.buffers[at(id)];
      if (!buffer.is_argument() || kept_[at(id)]) continue;
      if (buffer.bytes != target.bytes || buffer.device != target.device) continue;
      if (!belong_together(id, part.buffers[written])) continue;
      if (buffer.last_use > target.defined_at) continue;
      if (may_run_in_place(plan_, part, i, written) && !is_read_twice(launch, id)) {
        add(id, part.buffers[written]);
      }
    }
  }

  // Of a kernel that follows a collective.
  void find_in_place(const CollectiveStart& start, std::size_t step, BufferId written) {
    const PlanBuffer& target = plan_.buffers[at(written)];
    for (const BufferId id : start.follower_buffers(plan_, false)) {
      const PlanBuffer& buffer = plan_.buffers[at(id)];
      if (!buffer.is_argument() || kept_[at(id)] || !belong_together(id, written)) continue;
      if (buffer.bytes != target.bytes || buffer.device != target.device) continue;
      const auto wait = follows_in_place(plan_, step, id, written);
      if (wait && std::cmp_less_equal(buffer.last_use, *wait)) add(id, written);
    }
  }

  // Carries that a loop computes in place.
  void find_in_place(const Control& control, std::vector<BufferId>& outputs) {
    const auto in_place = writes_in_place(control);
    for (std::size_t i = 0; i < control.results.size(); ++i) {
      const BufferId id = control.results[i];
      const PlanBuffer& target = plan_.buffers[at(id)];
      if (!target.is_result()) continue;
      outputs.push_back(id);
      if (i >= control.spares.size()) continue;
      const BufferId input = control.operands[i];
      const PlanBuffer& buffer = plan_.buffers[at(input)];
      if (!buffer.is_argument() || kept_[at(input)] || buffer.last_use > target.defined_at)
        continue;
      if (buffer.bytes != target.bytes || !in_place.contains({input, id})) continue;
      if (belong_together(input, id)) add(input, id);
    }
  }

  // A region is entered by loops that have one place for what goes in and out under one number.
  bool belong_together(BufferId input, BufferId result) const {
    const PlanBuffer& buffer = plan_.buffers[at(input)];
    return buffer.kind == PlanBuffer::Kind::input ||
           (std::cmp_less(buffer.index, plan_.results.size()) &&
            plan_.results[at(buffer.index)].buffer == result);
  }

  static bool is_read_twice(const Launch& launch, BufferId id) {
    std::ptrdiff_t reads = 0;
    for (const LaunchPart& part : launch.parts) reads += std::ranges::count(part.buffers, id);
    return reads > 1;
  }

  // Whether the pair is new.
  bool add(BufferId input, BufferId buffer) {
    if (!known_.insert({input, buffer}).second) return false;
    plan_.donations.push_back({.input = plan_.buffers[at(input)].index, .buffer = buffer});
    return true;
  }

  Plan& plan_;
  std::vector<bool> kept_;  // arguments that are in use when the run is over
  std::set<std::pair<BufferId, BufferId>> known_;
};

ResultMemory result_memory(const Step& step) {
  return std::visit([](const auto& each) { return std::decay_t<decltype(each)>::kResults; }, step);
}

// Allocate and Free steps around the others.
void insert_allocations(Plan& plan) {
  const int end = static_cast<int>(plan.steps.size());
  std::vector<bool> bound(plan.buffers.size(), false);  // has memory when it is last used
  for (const Step& step : plan.steps) {
    for_each_access(plan, step, [&, memory = result_memory(step)](BufferId id, bool written) {
      if (!written || memory != ResultMemory::later) bound[at(id)] = true;
    });
  }
  std::vector<std::vector<BufferId>> to_free(plan.steps.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[i];
    if (!buffer.is_freed() || !bound[i] || buffer.last_use >= end) continue;
    to_free[static_cast<std::size_t>(buffer.last_use)].push_back(static_cast<BufferId>(i));
  }
  constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t reading = kNone;  // the place of the wait for peers' operands that are read now
  std::vector<Step> steps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step& step = plan.steps[i];
    const bool there = result_memory(step) == ResultMemory::there;
    if (reads_peers(plan, step)) reading = steps.size();
    if (std::holds_alternative<Finish>(step)) reading = kNone;
    for_each_access(plan, step, [&](BufferId id, bool written) {
      const PlanBuffer& buffer = plan.buffers[at(id)];
      if (!written || buffer.defined_at != static_cast<int>(i)) return;
      if (there && buffer.is_allocated()) steps.emplace_back(Allocate{id});
      // Peers may write a result as soon as its collective is announced. On a GPU streams see to
      // it that they have read what lay there.
      if (buffer.kind != PlanBuffer::Kind::symmetric || is_common(plan, id)) return;
      if (!buffer.device.is_cpu()) return;
      // While peers' operands are read nothing is waited for.
      const std::size_t place = reading == kNone ? steps.size() : reading++;
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(place), Acquire{id});
    });
    steps.push_back(std::move(step));
    for (const BufferId id : to_free[i]) steps.emplace_back(Free{id});
  }
  plan.steps = std::move(steps);
}

// Gives the local buffers of a device their offsets; returns the size of its arena.
std::int64_t place_in_arena(Plan& plan, Device device) {
  std::vector<PlanBuffer*> buffers;
  std::vector<Life> lives;
  for (PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind != PlanBuffer::Kind::local || buffer.device != device) continue;
    buffers.push_back(&buffer);
    lives.push_back({buffer.defined_at, buffer.last_use, buffer.bytes});
  }
  const Packing packing = [&] {
    try {
      return pack_first_fit(lives, alignment_on(device));
    } catch (const OutOfMemoryError& error) {
      const auto contents = arena_contents(plan, memory_labels(plan), device);
      throw OutOfMemoryError(error.message(), contents.label.where);
    }
  }();
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i]->offset = packing.offsets[i];
  return packing.bytes;
}

void place_in_arenas(Plan& plan) {
  plan.arena_bytes = place_in_arena(plan, {});
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.device.is_cpu()) continue;
    const auto known = std::ranges::find(plan.devices, buffer.device, &PlanDevice::device);
    if (known == plan.devices.end()) plan.devices.push_back({.device = buffer.device});
  }
  for (PlanDevice& used : plan.devices) used.arena_bytes = place_in_arena(plan, used.device);
}

}  // namespace

void find_live_ranges(Plan& plan) {
  for (PlanBuffer& buffer : plan.buffers) buffer.defined_at = buffer.last_use = -1;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const int at = static_cast<int>(i);
    for_each_access(plan, plan.steps[i], [&](BufferId id, bool written) {
      PlanBuffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
      if (written && buffer.defined_at < 0) buffer.defined_at = at;
      buffer.last_use = std::max(buffer.last_use, at);
    });
  }
  const int end = static_cast<int>(plan.steps.size());
  for (const PlanResult& result : plan.results) {
    plan.buffers[static_cast<std::size_t>(result.buffer)].last_use = end;
  }
}

void plan_memory(Plan& plan, const runtime::Algorithms& algorithms) {
  find_live_ranges(plan);
  DonationFinder(plan).run();
  place_in_areas(plan, algorithms);
  insert_allocations(plan);
  find_live_ranges(plan);
  // A product whose kernel became a part of the next call is written nowhere.
  for (PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind == PlanBuffer::Kind::local && buffer.last_use < 0) buffer.bytes = 0;
  }
  place_in_arenas(plan);
}

}  // namespace tutti::codegen
