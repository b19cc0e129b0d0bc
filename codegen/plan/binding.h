#pragma once

#include <tutti/codegen/plan/device_region.h>
#include <tutti/codegen/plan/device_span.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/run/plan_frame.h>

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace tutti::codegen {

class Binding;

// One step as the walker sees it: what it calls, with itself.
struct BoundStep {
  // What a recording may be made of; of the host is whatever is not.
  enum class Kind : std::uint8_t { host, region, allocate, free, start, wait };

  void (*run)(Binding& binding, const BoundStep& self) = nullptr;
  std::int32_t number = 0;         // of a buffer, launch, work, step, or part of a GPU's work
  std::uint32_t first_buffer = 0;  // of a launch or a copy, in the binding's buffers
  Kind kind = Kind::host;
  // It reads and writes nothing that copies to the host may be writing (PlanFrame::finish_copies).
  bool runs_beside_copies = false;
};

// A collective that reads what lies at a place of a group's memory.
struct PlaceReader {
  std::int32_t step = 0;
  int work = 0;
  int area = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// A step of a program that communicates.
struct BoundStart {
  std::size_t step = 0;               // as the binding counts
  std::vector<int> works;             // that it starts, maybe
  bool loops = false;                 // a loop or branch: whether, and how often
  std::span<const ir::CallId> calls;  // the step's
  // Results that lie in a group's memory, and the step from which on they are there no more: others
  // lie there, or may.
  std::vector<BufferId> placed = {};
  std::size_t overwritten_at = ~std::size_t{0};
};

// A plan's steps on one rank: what they bind themselves to, and what runs them one after another.
class Binding {
 public:
  // All outlive this.
  Binding(const Plan& plan, runtime::Context& context, runtime::PlanFrame& frame,
          const DeviceOptions& on_devices)
      : plan_(plan), context_(context), frame_(frame), on_devices_(on_devices) {}
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  // Binds all steps. Throws as Backend::communicator does, and UsageError where a plan that was
  // read from text has a call, whose code is known by its name alone.
  void bind();

  const Plan& plan() const { return plan_; }
  runtime::Context& context() { return context_; }
  runtime::PlanFrame& frame() { return frame_; }
  const DeviceOptions& on_devices() const { return on_devices_; }
  // The plan's number of the step that is being bound.
  std::int32_t next_step() const { return next_step_; }

  // Which of the calls over its group the collective of that work is, in the order of the plan.
  std::uint32_t number_in_group(int work) const { return numbers_in_groups_[at(work)]; }
  // All of the plan, in the order of the steps.
  std::span<const PlaceReader> place_readers() const { return place_readers_; }

  // The next step, on buffers that add_buffers() took.
  void add(const BoundStep& step);
  std::uint32_t add_buffers(std::span<const BufferId> buffers);
  // The steps of a GPU that are under way, where the last step was one of its; or null.
  DeviceRegion* open_region() { return region_; }
  DeviceRegion& region(Device device);
  DeviceRegion& region_of(const BoundStep& step) { return regions_[at(step.number)]; }
  // That the next step communicates; what a region does is its caller's.
  void add_start(BoundStart start);
  // That the next step takes the buffer's place in a group's memory.
  void takes_place(BufferId id);

  // What loops that run inside of each other keep from step to step, the innermost's last.
  std::vector<std::byte*>& carried() { return carried_; }
  // While it runs: where a buffer lies; and the addresses of a launch's.
  void* address_of(BufferId id);
  BufferId buffer(std::size_t i) const { return buffers_[i]; }
  void* const* addresses(std::uint32_t first, std::size_t count);

  // Runs the steps that are no region's. Throws what one throws; step() is then its number.
  void walk();
  // Runs those of a region, while step() remains that of the loop or branch that enters it.
  void enter(const Region& region);
  // The one of that number alone.
  void run_step() { run(steps_[step_]); }
  std::size_t step() const { return step_; }
  void set_step(std::size_t step) { step_ = step; }
  std::size_t steps() const { return steps_.size(); }
  std::size_t first_step() const { return main_; }  // that is no region's
  // The steps that communicate, but for those of regions, in the order of the plan.
  std::span<const BoundStart> starts() const { return starts_; }

 private:
  void run(const BoundStep& step) {
    if (!step.runs_beside_copies) frame_.finish_copies();
    step.run(*this, step);
  }
  void number_calls();
  void take_device_places();
  // find_spans.cpp
  void find_spans();
  bool replay(DeviceSpan& span);
  // The same step within a range of a profiler's timeline.
  static void run_in_range(Binding& binding, const BoundStep& self);

  const Plan& plan_;
  runtime::Context& context_;
  runtime::PlanFrame& frame_;
  const DeviceOptions on_devices_;
  std::deque<DeviceRegion> regions_;
  DeviceRegion* region_ = nullptr;
  std::vector<BoundStep> steps_;
  // By step, where somebody listens (timeline_listens): what it calls, and its name.
  std::vector<decltype(BoundStep::run)> in_ranges_;
  std::vector<std::string> range_names_;
  std::deque<DeviceSpan> spans_;   // in their order
  std::vector<BufferId> buffers_;  // of all launches
  std::vector<BoundStart> starts_;
  std::vector<PlaceReader> place_readers_;
  std::vector<std::uint32_t> numbers_in_groups_;  // by work
  std::vector<void*> arguments_;                  // scratch, for the launch that takes most
  std::size_t step_ = 0;                          // that runs now
  std::int32_t next_step_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> of_regions_;  // the regions' steps
  std::size_t main_ = 0;
  std::vector<std::byte*> carried_;
};

}  // namespace tutti::codegen
