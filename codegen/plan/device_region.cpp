#include <tutti/codegen/plan/device_region.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/log.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace tutti::codegen {

namespace {

// A single launch costs as much as the replay of a recording.
constexpr std::size_t kLeastLaunches = 2;

}  // namespace

void DeviceRegion::add(const Plan& plan, const LaunchPart& part, std::int32_t number) {
  launches_.push_back({.part = &part,
                       .number = number,
                       .first_argument = arguments_.size(),
                       .after_steps = steps_.size()});
  for (const BufferId id : part.buffers) {
    const PlanBuffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
    const bool in_arena = buffer.kind == PlanBuffer::Kind::local;
    arguments_.push_back({.buffer = id, .offset = in_arena ? buffer.offset : -1});
  }
  addresses_.resize(arguments_.size());
}

void DeviceRegion::run(runtime::Context& context, runtime::PlanFrame& frame) {
  runtime::Accelerator& accelerator = context.accelerator(device_);
  // What is let go of may go back to the driver at once, which the work has to come before.
  if (!steps_.empty()) frame.begin_trial();
  find_addresses(frame);
  put_on_stream(accelerator, frame);
  if (!steps_.empty()) frame.keep_trial();
}

void DeviceRegion::put_on_stream(runtime::Accelerator& accelerator, runtime::PlanFrame& frame) {
  if (frame.profile != nullptr) [[unlikely]] {
    for (const Launch& each : launches_) {
      const auto put = [&] {
        frame.launch_on(accelerator, each.number, *each.part->device_code,
                        &addresses_[each.first_argument]);
      };
      blocks_ ? launch_and_wait(accelerator, each, put) : put();
    }
    return;
  }
  if (!warm_ || !records_ || launches_.size() < kLeastLaunches) {
    launch(accelerator);
    warm_ = true;
    return;
  }
  if (!replay(accelerator)) launch(accelerator);
}

// The work is put on the stream in the order of the steps, after all of them. The frame keeps what
// they free until then.
void DeviceRegion::find_addresses(runtime::PlanFrame& frame) {
  std::byte* const arena = frame.arena(device_);
  std::size_t done = 0;
  const auto take_steps = [&](std::size_t end) {
    for (; done < end; ++done) {
      const Step& step = steps_[done];
      step.kind == Step::Kind::allocate ? frame.allocate(step.buffer) : frame.free(step.buffer);
    }
  };
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    take_steps(launches_[i].after_steps);
    const std::size_t end = end_of_arguments(i);
    for (std::size_t k = launches_[i].first_argument; k < end; ++k) {
      const Argument& argument = arguments_[k];
      addresses_[k] = argument.offset >= 0 ? arena + argument.offset
                                           : frame.memory().addresses[argument.buffer];
    }
  }
  take_steps(steps_.size());
}

void DeviceRegion::launch(runtime::Accelerator& accelerator) const {
  for (const Launch& each : launches_) {
    if (blocks_) [[unlikely]] {
      launch_and_wait(accelerator, each, [&] { launch_one(accelerator, each); });
    } else {
      launch_one(accelerator, each);
    }
  }
}

void DeviceRegion::launch_one(runtime::Accelerator& accelerator, const Launch& each) const {
  try {
    each.part->device_code->launch(accelerator, &addresses_[each.first_argument]);
  } catch (const OutOfMemoryError& error) {
    // Of a workspace, whose size is the kernel's affair.
    throw OutOfMemoryError(each.part->name + ": " + error.message(), each.part->location);
  }
}

void DeviceRegion::launch_and_wait(runtime::Accelerator& accelerator, const Launch& each,
                                   runtime::FunctionRef<void()> put) const {
  try {
    put();
    accelerator.synchronize();
  } catch (const OutOfMemoryError&) {
    throw;
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(each.part->name + " on " + device_.text() + ": " + error.message(),
                           each.part->location);
  }
}

// False if there is no recording for these addresses, and is not to be one.
bool DeviceRegion::replay(runtime::Accelerator& accelerator) {
  if (joined_ != nullptr) return exchange_and_replay(accelerator);
  const auto known = std::ranges::find(recordings_, addresses_, &Recorded::addresses);
  if (known != recordings_.end()) {
    recordings_.splice(recordings_.begin(), recordings_, known);
    misses_ = 0;
  } else {
    if (++misses_ > kMostMisses) {
      if (!recordings_.empty() && are_few(changed_launches(recordings_.front().addresses))) {
        return exchange_and_replay(accelerator);
      }
      stop_recording("its arguments lay elsewhere in each of " + std::to_string(kMostMisses) +
                     " runs");
      return false;
    }
    std::unique_ptr<runtime::Accelerator::Recording> work;
    try {
      work = accelerator.record([&] { launch(accelerator); });
    } catch (const OutOfMemoryError&) {
      --misses_;  // there may be room in the next run
      return false;
    } catch (const EnvironmentError& error) {
      // If the device itself is broken, launching says so, too.
      stop_recording(error.what());
      return false;
    }
    recordings_.push_front({.addresses = addresses_, .work = std::move(work)});
    if (recordings_.size() > kMostRecordings) recordings_.pop_back();
  }
  recordings_.front().work->replay();
  return true;
}

std::vector<std::size_t> DeviceRegion::changed_launches(const std::vector<void*>& before) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const std::size_t first = launches_[i].first_argument;
    const std::size_t count = end_of_arguments(i) - first;
    if (!std::ranges::equal(std::span(addresses_).subspan(first, count),
                            std::span(before).subspan(first, count))) {
      out.push_back(i);
    }
  }
  return out;
}

std::shared_ptr<const runtime::Accelerator::Part> DeviceRegion::part_of(
    runtime::Accelerator& accelerator, const Launch& launch) const {
  return accelerator.record_part([&] { launch_one(accelerator, launch); });
}

// False where it is to be launched piece by piece, in this run or from now on.
bool DeviceRegion::exchange_and_replay(runtime::Accelerator& accelerator) {
  try {
    if (joined_ == nullptr) {
      std::vector<runtime::Accelerator::JoinedPart> parts;
      for (const Launch& each : launches_) {
        std::vector<std::size_t> behind;
        if (!parts.empty()) behind.push_back(parts.size() - 1);
        parts.push_back({.part = part_of(accelerator, each), .behind = std::move(behind)});
      }
      joined_ = accelerator.join(std::move(parts));
      recordings_.clear();
    } else {
      const std::vector<std::size_t> changed = changed_launches(joined_addresses_);
      if (!are_few(changed)) return false;
      for (const std::size_t i : changed) {
        joined_->exchange(i, part_of(accelerator, launches_[i]));
      }
    }
  } catch (const OutOfMemoryError&) {
    joined_ = nullptr;  // some may be exchanged and others not
    misses_ = 0;        // from the beginning, as there may be room then
    return false;
  } catch (const EnvironmentError& error) {
    stop_recording(error.what());
    return false;
  }
  joined_addresses_ = addresses_;
  joined_->replay();
  return true;
}

std::shared_ptr<const runtime::Accelerator::Part> DeviceRegion::part(
    runtime::Accelerator& accelerator) {
  recordings_.clear();  // it is not run on its own any more
  joined_ = nullptr;
  const auto known = std::ranges::find(parts_, addresses_, &Part::addresses);
  if (known != parts_.end()) {
    parts_.splice(parts_.begin(), parts_, known);
  } else {
    parts_.push_front(
        {.addresses = addresses_, .work = accelerator.record_part([&] { launch(accelerator); })});
    if (parts_.size() > kMostRecordings) parts_.pop_back();
  }
  return parts_.front().work;
}

void DeviceRegion::stop_recording(const std::string& why) {
  records_ = false;
  recordings_.clear();
  joined_ = nullptr;
  runtime::Log::process().write(
      runtime::LogTopic::gpu, -1,
      std::to_string(launches_.size()) + " launches on " + device_.text() +
          " are not recorded any more, but put on the stream one by one: " + why);
}

}  // namespace tutti::codegen
