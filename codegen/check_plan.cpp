#include <tutti/codegen/check_plan.h>
#include <tutti/codegen/control_step.h>
#include <tutti/codegen/in_place.h>
#include <tutti/codegen/test_hook.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::codegen {

namespace {

std::size_t at(BufferId id) { return static_cast<std::size_t>(id); }

class Checker {
 public:
  explicit Checker(const Plan& plan)
      : plan_(plan), states_(plan.buffers.size()), works_(static_cast<std::size_t>(plan.works)) {}

  void run() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer& buffer = plan_.buffers[i];
      if (is_given(buffer)) states_[i].written = true;
      if (buffer.kind == PlanBuffer::Kind::input) inputs_[buffer.index] = static_cast<BufferId>(i);
    }
    for (; step_ < plan_.steps.size(); ++step_) check_step(plan_.steps[step_]);
    check_end();
    for (const Donation& donation : plan_.donations) check_donation(donation);
  }

 private:
  struct State {
    bool allocated = false;
    bool written = false;
    bool freed = false;
    bool read_by_peers = false;
    bool returned = false;
    std::size_t written_at = 0;
    std::size_t last_access = 0;
  };
  enum class Work : std::uint8_t { none, started, waited };

  static bool is_given(const PlanBuffer& buffer) {
    return buffer.kind == PlanBuffer::Kind::input || buffer.kind == PlanBuffer::Kind::constant;
  }
  static bool is_allocated(const PlanBuffer& buffer) {
    return buffer.kind == PlanBuffer::Kind::comm || buffer.kind == PlanBuffer::Kind::owned ||
           buffer.kind == PlanBuffer::Kind::output;
  }
  static std::string name(BufferId id) { return "b" + std::to_string(id); }

  [[noreturn]] void fail(const std::string& message) const {
    const std::string where =
        step_ < plan_.steps.size() ? ", step " + std::to_string(step_) : std::string();
    throw InternalError("plan @" + plan_.name + where + ": " + message);
  }
  void require(bool condition, const char* what, BufferId id) const {
    if (!condition) fail(name(id) + what);
  }

  void check_step(const Step& step) {
    if (const auto* allocate = std::get_if<Allocate>(&step)) {
      State& state = states_[at(allocate->buffer)];
      require(is_allocated(plan_.buffers[at(allocate->buffer)]), " is not to be allocated",
              allocate->buffer);
      require(!state.allocated && !state.written, " is allocated twice", allocate->buffer);
      state.allocated = true;
    } else if (const auto* free = std::get_if<Free>(&step)) {
      State& state = states_[at(free->buffer)];
      const PlanBuffer::Kind kind = plan_.buffers[at(free->buffer)].kind;
      const bool own = kind == PlanBuffer::Kind::comm || kind == PlanBuffer::Kind::owned;
      require(own && state.allocated, " is freed, but has no memory of its own", free->buffer);
      require(!state.freed, " is freed twice", free->buffer);
      state.freed = true;
    } else if (const auto* wait = std::get_if<CollectiveWait>(&step)) {
      check_wait(*wait);
    } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
      check_start(*start);
    } else if (const auto* control = std::get_if<Control>(&step)) {
      check_control(*control);
    } else {
      check_devices(step);
      end_lives();
      for_each_access(plan_, step,
                      [&](BufferId id, bool written) { written ? write(id) : read(id); });
    }
  }

  // Work reads and writes what lies where it runs.
  void check_devices(const Step& step) const {
    const auto* const launch = std::get_if<Launch>(&step);
    if (launch == nullptr) {
      const auto& copy = std::get<Copy>(step);
      require(plan_.buffers[at(copy.from)].bytes == plan_.buffers[at(copy.to)].bytes,
              " is copied from a buffer of another size", copy.to);
      return;
    }
    if (!launch->device.is_cpu() && launch->parts.size() != 1) fail("groups launches on a GPU");
    for (const LaunchPart& part : launch->parts) {
      if (part.tiles_in_place < 0) continue;
      const bool call = part.kernel < 0 && part.epilogue < 0 && part.results == 1;
      if (!call || part.tiles_in_place > part.tiles || part.buffers.size() < 2) {
        fail(part.name + " can't run in place in " + std::to_string(part.tiles_in_place) +
             " tiles: only a call of one result can, in no more tiles than it has");
      }
    }
    for_each_access(plan_, step, [&](BufferId id, bool) {
      require(plan_.buffers[at(id)].device == launch->device, " lies on another device", id);
    });
  }

  void check_start(const CollectiveStart& start) {
    for (const BufferId id : start.operands) {
      require(plan_.buffers[at(id)].device.is_cpu(), " lies where peers can't reach it", id);
      read(id);
      states_[at(id)].read_by_peers = true;
    }
    for (const BufferId id : start.results) {
      const State& state = states_[at(id)];
      require(!state.allocated && !state.written, " is a result, but written before", id);
    }
    Work& work = works_[static_cast<std::size_t>(start.work)];
    if (work != Work::none) fail("starts w" + std::to_string(start.work) + " twice");
    work = Work::started;
    starts_[start.work] = &start;
  }

  void check_control(const Control& control) {
    for (const int number : control.functions) {
      if (number < 0 || static_cast<std::size_t>(number) >= plan_.functions.size()) {
        fail("runs function " + std::to_string(number) + ", which is not there");
      }
    }
    check_functions(control);
    end_lives();
    for (const BufferId id : control.operands) {
      const PlanBuffer& buffer = plan_.buffers[at(id)];
      require(is_given(buffer) || is_allocated(buffer),
              " goes to a function, but has no memory "
              "of its own",
              id);
      read(id);
    }
    for (const BufferId id : control.results) {
      State& state = states_[at(id)];
      require(is_allocated(plan_.buffers[at(id)]) && !state.allocated,
              " is a function's result, but has memory already", id);
      state.allocated = true;
      write(id);
    }
  }

  // What a step gives its functions and gets of them is as they say.
  void check_functions(const Control& control) {
    using Kind = Control::Kind;
    const auto operands = std::ssize(control.operands);
    const auto results = std::ssize(control.results);
    const auto require_counts = [&](bool holds) {
      if (!holds) fail("has other numbers of operands and results than its kind and functions");
    };
    const auto takes = [&](std::size_t i, std::int64_t inputs, std::int64_t outputs) {
      const Plan& function = *plan_.functions[static_cast<std::size_t>(control.functions[i])];
      require_counts(std::ssize(function.inputs) == inputs &&
                     std::ssize(function.results) == outputs);
    };
    require_counts(control.carries <= std::min(operands, results) &&
                   control.sequences <= operands - control.carries);
    switch (control.kind) {
      case Kind::scan:
        return takes(0, operands, results);
      case Kind::while_loop:
        takes(0, operands, 1);
        require_counts(results == control.carries);
        return takes(1, operands, results);
      case Kind::conditional:
        require_counts(operands >= 1);
        for (std::size_t i = 0; i < control.functions.size(); ++i) {
          takes(i, operands - 1, results);
        }
    }
  }

  void check_wait(const CollectiveWait& wait) {
    Work& work = works_[static_cast<std::size_t>(wait.work)];
    if (work == Work::none) fail("waits for w" + std::to_string(wait.work) + " before its start");
    if (work == Work::waited) return;
    work = Work::waited;
    for (const BufferId id : starts_.at(wait.work)->results) {
      State& state = states_[at(id)];
      state.allocated = state.written = true;
      state.written_at = state.last_access = step_;
    }
  }

  void read(BufferId id) {
    State& state = states_[at(id)];
    require(state.written, " is read before it is written", id);
    require(!state.freed, " is read after it was freed", id);
    state.last_access = step_;
  }

  void write(BufferId id) {
    const PlanBuffer& buffer = plan_.buffers[at(id)];
    State& state = states_[at(id)];
    if (state.written && is_update(id)) {
      require(!is_given(buffer), " is written, but is the caller's", id);
      require(!state.read_by_peers, " is written, but peers may read it", id);
      return;
    }
    require(!is_given(buffer), " is written, but is the caller's", id);
    require(!state.read_by_peers, " is written, but peers may read it", id);
    require(!state.written, " is written twice", id);
    if (is_allocated(buffer)) {
      require(state.allocated, " is written before it is allocated", id);
    } else {
      begin_life(id);
    }
    state.written = true;
    state.written_at = state.last_access = step_;
  }

  std::int64_t arena_bytes(Device device) const {
    if (device.is_cpu()) return plan_.arena_bytes;
    const auto used = std::ranges::find(plan_.devices, device, &PlanDevice::device);
    return used == plan_.devices.end() ? 0 : used->arena_bytes;
  }

  // Local buffers that are live, by device and offset.
  void end_lives() {
    for (auto& [device, live] : live_) {
      std::erase_if(live, [&](const auto& entry) {
        return plan_.buffers[at(entry.second)].last_use < static_cast<int>(step_);
      });
    }
  }
  void begin_life(BufferId id) {
    const PlanBuffer& buffer = plan_.buffers[at(id)];
    std::map<std::int64_t, BufferId>& live = live_[buffer.device];
    const auto next = live.lower_bound(buffer.offset);
    const bool hits_next = next != live.end() && next->first < buffer.offset + buffer.bytes;
    bool hits_previous = false;
    if (next != live.begin()) {
      const PlanBuffer& previous = plan_.buffers[at(std::prev(next)->second)];
      hits_previous = previous.offset + previous.bytes > buffer.offset;
    }
    require(!hits_next && !hits_previous, " overlaps a live buffer", id);
    require(buffer.offset >= 0 && buffer.offset + buffer.bytes <= arena_bytes(buffer.device),
            " lies outside the arena", id);
    live.emplace(buffer.offset, id);
  }

  void check_end() {
    for (const PlanResult& result : plan_.results) {
      State& state = states_[at(result.buffer)];
      state.returned = true;
      if (result.work >= 0) {
        require(works_[static_cast<std::size_t>(result.work)] != Work::none,
                " is returned, but its collective is not started", result.buffer);
        const std::vector<BufferId>& parts = starts_.at(result.work)->results;
        require(std::ranges::find(parts, result.buffer) != parts.end(),
                " is returned under way, but is none of its collective's results", result.buffer);
      } else {
        require(state.written && !state.freed, " is returned, but not there", result.buffer);
      }
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const auto id = static_cast<BufferId>(i);
      require(!states_[i].allocated || states_[i].written, " is allocated, but not written", id);
      require(!states_[i].allocated || states_[i].freed || states_[i].returned, " is never freed",
              id);
    }
  }

  void check_donation(const Donation& donation) {
    const auto found = inputs_.find(donation.input);
    if (found == inputs_.end()) fail("there is no input " + std::to_string(donation.input));
    const BufferId input = found->second;
    const State& given = states_[at(input)];
    const State& target = states_[at(donation.buffer)];
    require(plan_.buffers[at(input)].device == plan_.buffers[at(donation.buffer)].device,
            " can't take an argument's memory over on another device", donation.buffer);
    require(plan_.buffers[at(input)].bytes == plan_.buffers[at(donation.buffer)].bytes &&
                plan_.buffers[at(donation.buffer)].kind == PlanBuffer::Kind::output,
            " can't take an argument's memory over", donation.buffer);
    require(!given.read_by_peers, " is taken over, but peers may read it", input);
    require(!given.returned, " is taken over, but returned", input);
    if (given.last_access < target.written_at) return;
    require(given.last_access == target.written_at &&
                in_place(std::get<Launch>(plan_.steps[target.written_at]), input, donation.buffer),
            " is taken over while it is in use", input);
  }

  // Whether the step changes the buffer where it lies.
  bool is_update(BufferId id) const {
    const auto* const launch = std::get_if<Launch>(&plan_.steps[step_]);
    if (launch == nullptr) return false;
    std::ptrdiff_t uses = 0;
    bool safe = false;
    for (const LaunchPart& part : launch->parts) {
      uses += std::ranges::count(part.buffers, id);
      safe = safe ||
             (part.tiles_in_place >= 0 && part.buffers.front() == id && part.buffers.back() == id);
    }
    return safe && uses == 2;
  }

  bool in_place(const Launch& launch, BufferId input, BufferId target) const {
    std::ptrdiff_t reads = 0;
    bool safe = false;
    for (const LaunchPart& part : launch.parts) {
      reads += std::ranges::count(part.buffers, input);
      const auto read = std::ranges::find(part.buffers, input);
      const auto written = std::ranges::find(part.buffers, target);
      if (read == part.buffers.end() || written == part.buffers.end()) continue;
      safe = may_run_in_place(plan_, part, static_cast<std::size_t>(read - part.buffers.begin()),
                              static_cast<std::size_t>(written - part.buffers.begin()));
    }
    return safe && reads == 1;
  }

  const Plan& plan_;
  std::vector<State> states_;
  std::vector<Work> works_;
  std::map<int, BufferId> inputs_;  // by argument
  std::map<int, const CollectiveStart*> starts_;
  std::unordered_map<Device, std::map<std::int64_t, BufferId>> live_;
  std::size_t step_ = 0;
};

}  // namespace

void check(const Plan& plan) {
  for (const Plan* const function : nested_plans(plan)) Checker(*function).run();
  Checker(plan).run();
  call_test_hook(plan);
}

}  // namespace tutti::codegen
