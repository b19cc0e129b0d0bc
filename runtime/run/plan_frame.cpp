#include <tutti/ir/support/hash.h>
#include <tutti/runtime/run/plan_frame.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::runtime {

PlanFrame::PlanFrame(Context& context, std::size_t buffers, std::size_t works,
                     std::size_t arena_bytes)
    : collectives(works),
      allocations(buffers),
      context_(context),
      arena_bytes_(arena_bytes),
      addresses_(buffers),
      held_(buffers),
      works_(works),
      sequences_(works, 0) {
  memory_.addresses = addresses_.data();
  failed_iterations_.reserve(kMostLevels);
}

void PlanFrame::begin() {
  memory_.arena = context_.arena(arena_bytes_, arena_contents);
  memory_.kernels = kernels.data();
  if (!areas.empty()) begin_areas();
}

void PlanFrame::add_place(BoundPlace place) {
  allocations[at(place.buffer)].place = static_cast<std::int32_t>(places_.size());
  places_.push_back(std::move(place));
}

void PlanFrame::begin_areas() {
  for (BoundArea& area : areas) {
    if (area.member >= 0) {
      if (area.memory == nullptr && area.member == area.communicator->position()) {
        area.memory = area.communicator->common_memory(area.bytes);
        place_in(area);
      }
      continue;
    }
    if (area.memory == nullptr || area.memory->retired()) {
      area.source.reset();
      area.may_register = true;
      area.registered = nullptr;
      Accelerator* const on = area.device.is_cpu() ? nullptr : &context_.accelerator(area.device);
      area.memory = area.communicator->symmetric_memory(area.bytes, on);
      area.user = area.memory->new_user();
      area.others = 0;
      place_in(area);
    }
    area.others = std::max(area.others, area.memory->enter(area.user));
    // To register it takes longer than a copy: not for a program that runs once.
    if (area.source && area.memory->keeps_pages() && std::exchange(area.may_register, false)) {
      area.registered = context_.accelerator(*area.source)
                            .register_host(area.memory->at(0, area.memory->bytes()));
    }
  }
  for (const BoundPlace& place : places_) {
    if (areas[place.area].member < 0) bind(place.buffer, place.memory);
  }
}

void PlanFrame::place_in(const BoundArea& area) {
  const auto number = static_cast<std::size_t>(&area - areas.data());
  for (BoundPlace& place : places_) {
    if (place.area != number || area.memory == nullptr) continue;
    place.memory = area.memory->at(place.offset, place.bytes);
  }
}

void PlanFrame::break_off() {
  // They may go on, and peers need not wait for that: where they write is nobody's from here on,
  // and stays until the GPU is done with it.
  copying_.clear();
  for (std::size_t work = 0; work < works_.size(); ++work) {
    if (collectives[work].reads && works_[work] != nullptr) works_[work]->stop_reading();
    // Others count on its operand, and what that is made of changes in the next run.
    if (collectives[work].leader != nullptr && works_[work] != nullptr) works_[work]->lead_now();
    if (collectives[work].recorded != nullptr) collectives[work].recorded->give_up();
  }
  for (const BoundArea& area : areas) {
    if (area.memory != nullptr && area.member < 0) area.memory->retire();
  }
}

void PlanFrame::bind(std::int32_t buffer, std::shared_ptr<Buffer> memory) {
  if (trial_) [[unlikely]] {
    tried_.resize(held_.size());
    if (!tried_[at(buffer)]) {
      before_trial_.emplace_back(buffer, held_[at(buffer)]);
    } else if (held_[at(buffer)] != nullptr) {
      of_trial_.push_back(held_[at(buffer)]);
    }
    tried_[at(buffer)] = true;
  }
  addresses_[at(buffer)] = memory == nullptr ? nullptr : memory->data();
  held_[at(buffer)] = std::move(memory);
}

void PlanFrame::undo_trial() {
  trial_ = false;
  for (auto& [buffer, memory] : before_trial_) bind(buffer, std::move(memory));
  keep_trial();
}

void PlanFrame::keep_trial() {
  trial_ = false;
  for (const auto& [buffer, memory] : before_trial_) tried_[at(buffer)] = false;
  before_trial_.clear();
  of_trial_.clear();
}

void PlanFrame::end() {
  keep_trial();
  placed_results_.clear();
  common_places_.clear();
  std::ranges::fill(addresses_, nullptr);
  std::ranges::fill(held_, nullptr);
  std::ranges::fill(works_, nullptr);
  operands_.clear();
  lines = {};
  sites = {};
  agreements = {};
  failure = nullptr;
  failed_iterations_.clear();
}

void PlanFrame::failed_inside(std::int32_t region, std::int64_t iteration) noexcept {
  if (failed_iterations_.size() < kMostLevels) failed_iterations_.push_back({region, iteration});
}

void PlanFrame::allocate(std::int32_t buffer) {
  if (held_[at(buffer)] != nullptr) return;
  const Allocation& wanted = allocations[at(buffer)];
  if (!wanted.device.is_cpu()) {
    bind(buffer, context_.accelerator(wanted.device).memory().allocate(wanted.bytes, wanted.label));
    return;
  }
  bind(buffer, wanted.shared ? context_.backend->allocate(wanted.bytes, wanted.label)
                             : context_.allocator.allocate(wanted.bytes, wanted.label));
  if (profile != nullptr) [[unlikely]]
    profile->count_memory(context_.allocator);
}

void PlanFrame::acquire(std::int32_t buffer) {
  const BoundPlace& place = places_[at(allocations[at(buffer)].place)];
  const BoundArea& area = areas[place.area];
  std::uint64_t last = area.others;
  for (const std::int32_t work : place.readers) last = std::max(last, sequences_[at(work)]);
  if (!area.communicator->released(last)) {
    area.communicator->wait_released(last, place.where);
  }
  // Floats are NaN then.
  if (scribbles) [[unlikely]]
    std::memset(place.memory->data(), 0xff, place.bytes);
}

namespace {

// How many of its tiles a kernel has to compute.
std::int64_t tiles_of(const BoundKernel& kernel, void* const* arguments) {
  const bool in_place =
      kernel.tiles_in_place >= 0 && arguments[0] == arguments[kernel.arguments - 1];
  return in_place ? kernel.tiles_in_place : kernel.tiles;
}

// Runs a launch; `run(i, arguments, begin, end)` computes tiles of its i-th kernel.
template <class Run>
void run_launch(ThreadPool& pool, const BoundLaunch& launch, void* const* arguments, Run&& run) {
  if (!launch.is_shared) {
    for (std::size_t i = 0; i < launch.kernels.size(); ++i) {
      run(i, arguments, 0, tiles_of(launch.kernels[i], arguments));
      arguments += launch.kernels[i].arguments;
    }
    return;
  }
  if (launch.kernels.size() == 1) {
    const std::int64_t tiles = tiles_of(launch.kernels[0], arguments);
    if (tiles == 1) return run(0, arguments, 0, 1);
    pool.parallel_for(tiles,
                      [&](std::int64_t begin, std::int64_t end) { run(0, arguments, begin, end); });
    return;
  }
  pool.parallel_for(launch.tiles, [&](std::int64_t begin, std::int64_t end) {
    void* const* own = arguments;
    for (std::size_t i = 0; i < launch.kernels.size(); ++i) {
      const BoundKernel& kernel = launch.kernels[i];
      if (begin >= end) return;
      const std::int64_t tiles = tiles_of(kernel, own);
      if (begin < tiles) run(i, own, begin, std::min(end, tiles));
      begin = std::max<std::int64_t>(begin - kernel.tiles, 0);
      end -= kernel.tiles;
      own += kernel.arguments;
    }
  });
}

}  // namespace

void PlanFrame::launch(std::int32_t number, void* const* arguments) {
  if (profile != nullptr) [[unlikely]]
    return launch_recorded(number, arguments);
  const BoundLaunch& launch = launches[at(number)];
  run_launch(context_.pool, launch, arguments,
             [&](std::size_t i, void* const* own, std::int64_t begin, std::int64_t end) {
               launch.kernels[i].run(launch.kernels[i].code, own, begin, end);
             });
}

void PlanFrame::launch_recorded(std::int32_t number, void* const* arguments) {
  const BoundLaunch& launch = launches[at(number)];
  const PlanProfile::LaunchSources& sources = profile->launches[at(number)];
  Profile& recorder = *profile->profile;
  const std::uint32_t launch_number = recorder.begin_launch();
  const std::int64_t start = monotonic_now();
  run_launch(context_.pool, launch, arguments,
             [&](std::size_t i, void* const* own, std::int64_t begin, std::int64_t end) {
               const std::int64_t piece_start = monotonic_now();
               launch.kernels[i].run(launch.kernels[i].code, own, begin, end);
               recorder.add_piece(ThreadPool::thread_number(), sources.pieces[i], launch_number,
                                  piece_start);
             });
  recorder.end_launch(sources.whole, launch_number, start);
}

void PlanFrame::launch_on(Accelerator& accelerator, std::int32_t number, const DeviceCode& code,
                          void* const* arguments) {
  if (profile == nullptr) return code.launch(accelerator, arguments);
  const PlanProfile::LaunchSources& sources = profile->launches[at(number)];
  Profile& recorder = *profile->profile;
  DeviceTrack& track = recorder.on(accelerator).kernels;
  const ProfileEvent launch{
      .begin = monotonic_now(), .source = sources.whole, .launch = recorder.begin_launch()};
  std::unique_ptr<DeviceTrack::Moment> begin = track.moment(accelerator);
  code.launch(accelerator, arguments);
  track.add(launch, std::move(begin), track.moment(accelerator));
}

std::byte* PlanFrame::arena(Device device) const {
  for (const DeviceArena& arena : device_arenas) {
    if (arena.device == device) return context_.arena(device, arena.bytes, arena.contents);
  }
  return nullptr;
}

void PlanFrame::copy(std::int32_t from, const void* source, std::int32_t to, void* target) {
  const std::size_t bytes = allocations[at(to)].bytes;
  const Device source_device = allocations[at(from)].device;
  const Device target_device = allocations[at(to)].device;
  if (target_device.is_cpu()) return copy_out(source, to, target, source_device);
  if (source_device.is_cpu()) {
    return context_.accelerator(target_device).copy_in(target, source, bytes);
  }
  // Through the host: the devices may not reach each other.
  const std::shared_ptr<Buffer> between =
      context_.allocator.allocate(bytes, allocations[at(to)].label);
  context_.accelerator(source_device).copy_out(between->data(), source, bytes);
  context_.accelerator(target_device).copy_in(target, between->data(), bytes);
}

void PlanFrame::copy_out(const void* source, std::int32_t to, void* target, Device from) {
  const Allocation& allocation = allocations[at(to)];
  Accelerator& accelerator = context_.accelerator(from);
  if (accelerator.begin_copy_out(target, source, allocation.bytes)) {
    if (std::ranges::find(copying_, from) == copying_.end()) copying_.push_back(from);
    return;
  }
  if (allocation.place >= 0) areas[places_[at(allocation.place)].area].source = from;
  accelerator.copy_out(target, source, allocation.bytes);
}

void PlanFrame::wait_for_copies() {
  for (const Device device : copying_) context_.accelerator(device).finish_copies_out();
  copying_.clear();
}

void PlanFrame::find_placed_results(const BoundCollective& collective) {
  placed_results_.clear();
  common_places_.clear();
  for (const std::int32_t result : collective.results) {
    const std::int32_t number = allocations[at(result)].place;
    std::shared_ptr<Buffer>& own = placed_results_.emplace_back();
    CommonPlace& common = common_places_.emplace_back();
    if (number < 0) continue;
    const BoundPlace& place = places_[at(number)];
    if (areas[place.area].member < 0) {
      own = place.memory;
    } else {
      common = {.planned = true, .memory = place.memory};
    }
  }
}

// Good until the next call.
StartOptions PlanFrame::options_of(std::int32_t work) {
  const BoundCollective& collective = collectives[at(work)];
  StartOptions options;
  if (collective.places_results) {
    find_placed_results(collective);
    options.results = placed_results_;
    options.common = common_places_;
  }
  options.reads = collective.reads;
  if (!collective.device.is_cpu()) {
    options.accelerator = &context_.accelerator(collective.device);
    options.timed = profile != nullptr;
  }
  options.comm_kernels = comm_kernels;
  options.recorded = collective.recorded;
  options.number_in_recording = collective.number_in_recording;
  if (!lines.empty()) options.location = lines[at(work)];
  if (!sites.empty()) options.site = sites[at(work)];
  if (!agreements.empty()) options.agreement = agreements[at(work)];
  return options;
}

RecordedCalls::Way PlanFrame::begin(std::span<const std::int32_t> works) {
  Hasher content;
  for (const std::int32_t work : works) {
    content.add(std::uint64_t{sites.empty() ? 0 : sites[at(work)]});
    content.add(agreements.empty() ? 0 : agreements[at(work)].word());
  }
  const BoundCollective& first = collectives[at(works[0])];
  const RecordedCalls::Way way = first.recorded->begin(content.finish().low, options_of(works[0]));
  placed_results_.clear();
  common_places_.clear();
  return way;
}

void PlanFrame::start(std::int32_t work) {
  const BoundCollective& collective = collectives[at(work)];
  if (profile != nullptr && !collective.device.is_cpu()) [[unlikely]]
    profile->profile->on(context_.accelerator(collective.device));
  if (collective.follower != nullptr) allocate_for(*collective.follower);
  std::shared_ptr<const BoundLeader> leader;
  if (collective.leader != nullptr) leader = begin_leader(*collective.leader);
  const std::int64_t begin = profile == nullptr ? 0 : monotonic_now();
  operands_.clear();
  for (const std::int32_t operand : collective.operands) operands_.push_back(held_[at(operand)]);
  operands_.resize(collective.call->call().parts.size());  // none where this rank only receives
  const std::shared_ptr<RecordedCalls>& recorded = collective.recorded;
  std::shared_ptr<Work> begun;
  if (recorded != nullptr && collective.number_in_recording == 0) {
    begun = recorded->supply(operands_);
  }
  works_[at(work)] = begun != nullptr ? std::move(begun)
                                      : collective.communicator->start(collective.call, operands_,
                                                                       options_of(work));
  if (leader != nullptr) works_[at(work)]->lead_with(std::move(leader));
  operands_.clear();
  placed_results_.clear();
  common_places_.clear();
  sequences_[at(work)] = works_[at(work)]->sequence();
  if (collective.area >= 0) areas[at(collective.area)].memory->used_by(sequences_[at(work)]);
  if (profile != nullptr) [[unlikely]]
    profile->started(work, begin, *works_[at(work)], lines);
}

void PlanFrame::wait(std::int32_t work) {
  Work& pending = *works_[at(work)];
  const BoundCollective& collective = collectives[at(work)];
  const std::vector<std::int32_t>& results = collective.results;
  Profile* const recorder = profile == nullptr ? nullptr : profile->profile.get();
  if (collective.reads) {
    const std::span<const void* const> operands = wait_to_read(pending, recorder);
    for (std::size_t member = 0; member < results.size(); ++member) {
      place(results[member], const_cast<void*>(operands[member]));
    }
    return;
  }
  const BoundCompanion* const follower = collective.follower.get();
  bool done = true;
  if (follower == nullptr) {
    wait_for(pending, recorder);
  } else {
    done = wait_with_follower(pending, *follower);
  }
  for (std::size_t part = 0; part < results.size(); ++part) {
    bind(results[part], pending.result(part));
  }
  if (!done) launch_alone(*follower, addresses_[at(results[0])]);
}

}  // namespace tutti::runtime
