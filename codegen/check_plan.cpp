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

class PlanChecker {
 public:
  explicit PlanChecker(const Plan& plan)
      : plan_(plan), states_(plan.buffers.size()), works_(static_cast<std::size_t>(plan.works)) {}

  void run() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer& buffer = plan_.buffers[i];
      if (is_given(buffer)) states_[i].written = true;
      if (buffer.kind == PlanBuffer::Kind::input) inputs_[buffer.index] = static_cast<BufferId>(i);
    }
    find_lives();
    for (; step_ < plan_.steps.size(); ++step_) {
      std::visit([this](const auto& step) { check_step(step); }, plan_.steps[step_]);
    }
    check_end();
    for (const Donation& donation : plan_.donations) check_donation(donation);
    check_said_lives();
  }

 private:
  struct State {
    bool allocated = false;
    bool arriving = false;  // is a result of a collective that was started
    bool written = false;
    bool freed = false;
    bool read_by_peers = false;
    bool returned = false;
    std::size_t written_at = 0;
    std::size_t last_access = 0;
    // Of the whole plan: the steps that write it first and use it last, but for those that allocate
    // and free it; the number of steps where it is returned, -1 where there is none.
    int first_write = -1;
    int last_use = -1;
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

  // The lives that the steps give the buffers, whatever the plan says of them.
  void find_lives() {
    std::vector<const CollectiveStart*> starts(works_.size(), nullptr);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const int step = static_cast<int>(i);
      for_each_access(plan_, plan_.steps[i], [&](BufferId id, bool written) {
        State& state = states_[at(id)];
        if (written && state.first_write < 0) state.first_write = step;
        state.last_use = step;
      });
      if (const auto* const start = std::get_if<CollectiveStart>(&plan_.steps[i])) {
        starts[static_cast<std::size_t>(start->work)] = start;
      }
      // Results come with the wait.
      const auto* const wait = std::get_if<CollectiveWait>(&plan_.steps[i]);
      if (wait == nullptr) continue;
      const CollectiveStart* const start = starts[static_cast<std::size_t>(wait->work)];
      if (start == nullptr) continue;
      for (const BufferId id : start->results) states_[at(id)].last_use = step;
    }
    for (const PlanResult& result : plan_.results) {
      states_[at(result.buffer)].last_use = static_cast<int>(plan_.steps.size());
    }
  }

  void check_step(const Allocate& allocate) {
    State& state = states_[at(allocate.buffer)];
    require(is_allocated(plan_.buffers[at(allocate.buffer)]), " is not to be allocated",
            allocate.buffer);
    require(!state.allocated && !state.written, " is allocated twice", allocate.buffer);
    require(!state.arriving, " is allocated, but comes with a collective", allocate.buffer);
    state.allocated = true;
  }

  void check_step(const Free& free) {
    State& state = states_[at(free.buffer)];
    const PlanBuffer::Kind kind = plan_.buffers[at(free.buffer)].kind;
    const bool own = kind == PlanBuffer::Kind::comm || kind == PlanBuffer::Kind::owned;
    require(own && state.allocated, " is freed, but has no memory of its own", free.buffer);
    require(!state.freed, " is freed twice", free.buffer);
    state.freed = true;
  }

  void check_step(const Copy& copy) {
    require(plan_.buffers[at(copy.from)].bytes == plan_.buffers[at(copy.to)].bytes,
            " is copied from a buffer of another size", copy.to);
    read(copy.from);
    write(copy.to);
  }

  // Work reads and writes what lies where it runs.
  void check_step(const Launch& launch) {
    if (!launch.device.is_cpu() && launch.parts.size() != 1) fail("groups launches on a GPU");
    for (const LaunchPart& part : launch.parts) {
      if (part.tiles_in_place < 0) continue;
      const bool call = part.kernel < 0 && part.epilogue < 0 && part.results == 1;
      if (!call || part.tiles_in_place > part.tiles || part.buffers.size() < 2) {
        fail(part.name + " can't run in place in " + std::to_string(part.tiles_in_place) +
             " tiles: only a call of one result can, in no more tiles than it has");
      }
    }
    for_each_access(plan_, plan_.steps[step_], [&](BufferId id, bool written) {
      require(plan_.buffers[at(id)].device == launch.device, " lies on another device", id);
      written ? write(id) : read(id);
    });
  }

  void check_step(const CollectiveStart& start) {
    for (const BufferId id : start.operands) {
      require(plan_.buffers[at(id)].device.is_cpu(), " lies where peers can't reach it", id);
      require(plan_.buffers[at(id)].kind != PlanBuffer::Kind::local,
              " goes to peers, but has no memory of its own", id);
      read(id);
      states_[at(id)].read_by_peers = true;
    }
    for (const BufferId id : start.results) {
      State& state = states_[at(id)];
      require(!state.allocated && !state.written && !state.arriving,
              " is a result, but written before", id);
      require(is_allocated(plan_.buffers[at(id)]),
              " comes with a collective, but has a place already", id);
      state.arriving = true;
    }
    Work& work = works_[static_cast<std::size_t>(start.work)];
    if (work != Work::none) fail("starts w" + std::to_string(start.work) + " twice");
    work = Work::started;
    starts_[start.work] = &start;
  }

  void check_step(const Control& control) {
    for (const int number : control.functions) {
      if (number < 0 || static_cast<std::size_t>(number) >= plan_.functions.size()) {
        fail("runs function " + std::to_string(number) + ", which is not there");
      }
    }
    check_functions(control);
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
      require(is_allocated(plan_.buffers[at(id)]) && !state.allocated && !state.arriving,
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

  void check_step(const CollectiveWait& wait) {
    Work& work = works_[static_cast<std::size_t>(wait.work)];
    if (work == Work::none) fail("waits for w" + std::to_string(wait.work) + " before its start");
    if (work == Work::waited) fail("waits for w" + std::to_string(wait.work) + " twice");
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
    require(!is_given(buffer), " is written, but is the caller's", id);
    require(!state.read_by_peers, " is written, but peers may read it", id);
    if (state.written && is_update(id)) return;
    require(!state.written, " is written twice", id);
    require(!state.freed, " is written after it was freed", id);
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

  // Nothing that a later step uses, or this one, lies where the buffer does.
  void begin_life(BufferId id) {
    const PlanBuffer& buffer = plan_.buffers[at(id)];
    const std::int64_t end = buffer.offset + buffer.bytes;
    require(buffer.offset >= 0 && end <= arena_bytes(buffer.device), " lies outside the arena", id);
    if (buffer.bytes == 0) return;
    std::map<std::int64_t, BufferId>& places = places_[buffer.device];
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

  void check_end() {
    for (const PlanResult& result : plan_.results) {
      State& state = states_[at(result.buffer)];
      state.returned = true;
      require(plan_.buffers[at(result.buffer)].kind != PlanBuffer::Kind::local,
              " is returned, but has no memory of its own", result.buffer);
      require(!state.freed, " is returned, but freed", result.buffer);
      if (result.work >= 0) {
        require(works_[static_cast<std::size_t>(result.work)] != Work::none,
                " is returned, but its collective is not started", result.buffer);
        const std::vector<BufferId>& parts = starts_.at(result.work)->results;
        require(std::ranges::find(parts, result.buffer) != parts.end(),
                " is returned under way, but is none of its collective's results", result.buffer);
      } else {
        require(state.written, " is returned, but not there", result.buffer);
      }
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const auto id = static_cast<BufferId>(i);
      require(!states_[i].allocated || states_[i].written, " is allocated, but not written", id);
      require(!states_[i].allocated || states_[i].freed || states_[i].returned, " is never freed",
              id);
    }
  }

  // People and tools read them.
  void check_said_lives() const {
    const auto text = [](int first, int last) {
      return first < 0 ? "until step " + std::to_string(last)
                       : "in steps " + std::to_string(first) + ".." + std::to_string(last);
    };
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const PlanBuffer& buffer = plan_.buffers[i];
      const State& state = states_[i];
      if (buffer.defined_at < 0 && buffer.last_use < 0) continue;  // it says nothing
      if (buffer.defined_at == state.first_write && buffer.last_use == state.last_use) continue;
      fail(name(static_cast<BufferId>(i)) + " is said to live " +
           text(buffer.defined_at, buffer.last_use) + ", but lives " +
           text(state.first_write, state.last_use));
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
    require(target.allocated && target.written, " takes memory over, but isn't written",
            donation.buffer);
    require(!given.read_by_peers, " is taken over, but peers may read it", input);
    require(!given.returned, " is taken over, but returned", input);
    if (given.last_access < target.written_at) return;
    const auto* const launch = std::get_if<Launch>(&plan_.steps[target.written_at]);
    require(given.last_access == target.written_at && launch != nullptr &&
                in_place(*launch, input, donation.buffer),
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
  // The local buffers that were written last, by device and offset; none overlaps another.
  std::unordered_map<Device, std::map<std::int64_t, BufferId>> places_;
  std::size_t step_ = 0;
};

}  // namespace

void check(const Plan& plan) {
  for (const Plan* const function : nested_plans(plan)) PlanChecker(*function).run();
  PlanChecker(plan).run();
  call_test_hook(plan);
}

}  // namespace tutti::codegen
