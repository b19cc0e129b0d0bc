#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/function_ref.h>
#include <tutti/runtime/run/plan_frame.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace tutti::codegen {

// How a plan puts its launches on GPUs.
struct DeviceOptions {
  bool record = true;  // what is likely to come again, and replay it as a whole
  // Wait after each, so that an error comes from the one that caused it, and names it; nothing is
  // recorded then.
  bool launch_blocking = false;
};

// Steps of a plan that put work on one GPU while the host has nothing else to do: launches, with
// the allocations around them. The addresses that the launches work on are likely to come again,
// from the second run on, so the work is recorded then, and replayed as a whole whenever they do.
// Work that can't be recorded is launched piece by piece as before; the log says so.
class DeviceRegion {
 public:
  DeviceRegion(Device device, const DeviceOptions& options)
      : device_(device),
        records_(options.record && !options.launch_blocking),
        blocks_(options.launch_blocking) {}

  Device device() const { return device_; }
  void add(const Allocate& step) { steps_.push_back({Step::Kind::allocate, step.buffer}); }
  void add(const Free& step) { steps_.push_back({Step::Kind::free, step.buffer}); }
  // `number` is the launch's among all of the plan.
  void add(const Plan& plan, const LaunchPart& part, std::int32_t number);

  // Runs the steps on a frame that has begun. The work is done when the device is.
  void run(runtime::Context& context, runtime::PlanFrame& frame);

  // For who runs its steps himself, with what lies between regions: the addresses of this run,
  // which takes the steps that allocate and free (in a trial of the frame); its launches on these,
  // to be a part of a recording; and whether there are any.
  void find_addresses(runtime::PlanFrame& frame);
  const std::vector<void*>& addresses() const { return addresses_; }
  std::shared_ptr<const runtime::Accelerator::Part> part(runtime::Accelerator& accelerator);
  bool launches_something() const { return !launches_.empty(); }

  // How many different sets of addresses are recorded; more than so many are not kept.
  std::size_t recordings() const { return recordings_.size(); }
  static constexpr std::size_t kMostRecordings = 4;
  // After so many runs in a row with addresses that were new no more sets are recorded. Where few
  // launches have others than in the run before, the work is recorded launch by launch then, and
  // theirs are exchanged before each replay; else nothing is recorded any more.
  static constexpr int kMostMisses = 12;
  // To exchange a launch takes as long as so many launches: it is recorded first. An estimate that
  // no GPU has seen.
  static constexpr std::size_t kExchangeCost = 4;

 private:
  struct Step {
    enum class Kind : std::uint8_t { allocate, free } kind;
    BufferId buffer;
  };
  struct Launch {
    const LaunchPart* part = nullptr;
    std::int32_t number = 0;
    std::size_t first_argument = 0;
    std::size_t after_steps = 0;  // of steps_, how many come before it
  };
  struct Argument {
    BufferId buffer = -1;
    std::int64_t offset = -1;  // in the arena; -1: not there
  };
  struct Recorded {
    std::vector<void*> addresses;
    std::unique_ptr<runtime::Accelerator::Recording> work;
  };

  void put_on_stream(runtime::Accelerator& accelerator, runtime::PlanFrame& frame);
  std::size_t end_of_arguments(std::size_t launch) const {
    return launch + 1 < launches_.size() ? launches_[launch + 1].first_argument : arguments_.size();
  }
  void launch(runtime::Accelerator& accelerator) const;
  void launch_one(runtime::Accelerator& accelerator, const Launch& each) const;
  // `put` puts it on the stream.
  void launch_and_wait(runtime::Accelerator& accelerator, const Launch& each,
                       runtime::FunctionRef<void()> put) const;
  bool replay(runtime::Accelerator& accelerator);
  bool exchange_and_replay(runtime::Accelerator& accelerator);
  std::shared_ptr<const runtime::Accelerator::Part> part_of(runtime::Accelerator& accelerator,
                                                            const Launch& launch) const;
  // Those whose addresses are others than these.
  std::vector<std::size_t> changed_launches(const std::vector<void*>& before) const;
  bool are_few(const std::vector<std::size_t>& changed) const {
    return changed.size() * kExchangeCost <= launches_.size();
  }
  void stop_recording(const std::string& why);

  Device device_;
  std::vector<Step> steps_;
  std::vector<Launch> launches_;
  std::vector<Argument> arguments_;  // of all launches
  std::vector<void*> addresses_;     // of the arguments, in this run
  std::list<Recorded> recordings_;   // last used first
  // Launch by launch, as of the addresses that it was last replayed with; null: not yet, or not so.
  std::unique_ptr<runtime::Accelerator::JoinedRecording> joined_;
  std::vector<void*> joined_addresses_;
  struct Part {
    std::vector<void*> addresses;
    std::shared_ptr<const runtime::Accelerator::Part> work;
  };
  std::list<Part> parts_;  // likewise
  bool records_;
  const bool blocks_;
  bool warm_ = false;  // has run before: what the first launch gets ready is there
  int misses_ = 0;
};

}  // namespace tutti::codegen
