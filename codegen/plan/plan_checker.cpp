#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/in_place.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/test_hook.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tutti::codegen {

PlanChecker::PlanChecker(const Plan& plan)
    : plan_(plan), states_(plan.buffers.size()), works_(at(plan.works)) {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    if (plan_.buffers[i].is_given()) states_[i].written = true;
  }
}

void PlanChecker::run() {
  find_parts();
  for (part_ = 0; part_ < parts_.size(); ++part_) check_part(parts_[part_]);
  step_ = plan_.steps.size();
  check_arenas();
  check_areas();
  check_said_lives();
}

void PlanChecker::find_parts() {
  Part next{0, 0, 0, 0, plan_.results, plan_.donations, false};
  const auto add = [&](std::size_t end_step, BufferId end_buffer, const auto& of, bool is_region) {
    if (next.first_step > end_step || end_step > plan_.steps.size() ||
        next.first_buffer > end_buffer || std::cmp_greater(end_buffer, plan_.buffers.size())) {
      fail("a region's steps or buffers are none of the plan's");
    }
    parts_.push_back({next.first_step, end_step, next.first_buffer, end_buffer, of.results,
                      of.donations, is_region});
    next.first_step = end_step;
    next.first_buffer = end_buffer;
  };
  step_ = plan_.steps.size();
  for (const Region& region : plan_.regions) {
    if (std::cmp_not_equal(region.first_step, next.first_step) ||
        region.first_buffer != next.first_buffer) {
      fail("region @" + region.name + " does not begin where the one before it ends");
    }
    add(at(region.end_step), region.end_buffer, region, true);
  }
  add(plan_.steps.size(), static_cast<BufferId>(plan_.buffers.size()), plan_, false);
  enters_.resize(parts_.size());
}

void PlanChecker::check_part(const Part& part) {
  check_kinds(part);
  step_ = part.first_step;
  find_lives(part);
  places_.clear();
  area_places_.assign(plan_.areas.size(), {});
  reading_ = -1;
  started_.clear();
  for (step_ = part.first_step; step_ < part.end_step; ++step_) {
    std::visit([this](const auto& step) { step.check(*this); }, plan_.steps[step_]);
  }
  check_end(part);
  std::set<std::pair<int, BufferId>> donations;
  for (const Donation& donation : part.donations) {
    check_donation(donation);
    const bool is_new = donations.emplace(donation.input, donation.buffer).second;
    require(is_new, " may take the same argument's memory over twice", donation.buffer);
  }
}

// A region takes parameters and gives results; the program takes inputs and gives outputs.
void PlanChecker::check_kinds(const Part& part) {
  using Kind = PlanBuffer::Kind;
  inputs_.clear();
  std::map<BufferId, int> given;  // how often a buffer is a result
  for (const PlanResult& result : part.results) ++given[result.buffer];
  for (BufferId id = part.first_buffer; id < part.end_buffer; ++id) {
    const Kind kind = buffer(id).kind;
    if (kind == Kind::symmetric) check_place(id);
    require(!part.is_region || (kind != Kind::input && kind != Kind::output),
            " is a program's, but in a region", id);
    require(part.is_region || (kind != Kind::parameter && kind != Kind::result),
            " is a region's, but in none", id);
    if (kind == Kind::result) {
      require(given[id] == 1, " is not one of the results of its region", id);
    }
    if (buffer(id).is_argument()) {
      require(inputs_.emplace(buffer(id).index, id).second, " is given twice", id);
    }
  }
  if (!part.is_region) return;
  const std::vector<BufferId>& parameters = plan_.regions[part_].parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = inputs_.find(static_cast<int>(i));
    if (found == inputs_.end() || found->second != parameters[i]) {
      fail("parameter " + std::to_string(i) + " is not where the region says");
    }
  }
}

void PlanChecker::require_own(BufferId id) const {
  const Part& part = parts_[part_];
  require(id >= part.first_buffer && id < part.end_buffer, " is of another region", id);
}

void PlanChecker::fail(const std::string& message) const {
  const std::string where =
      step_ < plan_.steps.size() ? ", step " + std::to_string(step_) : std::string();
  throw InternalError("plan @" + plan_.name + where + ": " + message);
}

void PlanChecker::require(bool condition, const char* what, BufferId id) const {
  if (!condition) fail(name(id) + what);
}

// The lives that the steps give the buffers, whatever the plan says of them.
void PlanChecker::find_lives(const Part& part) {
  for (std::size_t i = part.first_step; i < part.end_step; ++i) {
    const int step = static_cast<int>(i);
    for_each_access(plan_, plan_.steps[i], [&](BufferId id, bool written) {
      require_own(id);
      State& state = states_[at(id)];
      if (written && state.first_write < 0) state.first_write = step;
      state.last_use = step;
    });
  }
  for (const PlanResult& result : part.results) {
    require_own(result.buffer);
    states_[at(result.buffer)].last_use = static_cast<int>(part.end_step);
  }
}

void PlanChecker::allocate(BufferId id) {
  State& state = states_[at(id)];
  require_own(id);
  require(buffer(id).is_allocated(), " is not to be allocated", id);
  require(!state.allocated && !state.written, " is allocated twice", id);
  require(!state.arriving, " is allocated, but comes with a collective", id);
  state.allocated = true;
}

void PlanChecker::free(BufferId id) {
  State& state = states_[at(id)];
  require_own(id);
  require(buffer(id).is_freed() && state.allocated, " is freed, but has no memory of its own", id);
  require(!state.freed, " is freed twice", id);
  state.freed = true;
}

void PlanChecker::read(BufferId id) {
  State& state = states_[at(id)];
  require(state.written, " is read before it is written", id);
  require(!state.freed, " is read after it was freed", id);
  require(!state.used_up, " is read, but only what follows its collective has it", id);
}

void PlanChecker::write(BufferId id) {
  State& state = states_[at(id)];
  require(!buffer(id).is_given(), " is written, but is the caller's", id);
  require(buffer(id).kind != PlanBuffer::Kind::peer, " is written, but is a peer's", id);
  require(!state.lent, " is written, but peers may read it", id);
  require(!is_common(plan_, id), " is written, but all members have it in common", id);
  require(state.read_beside == 0, " is written, but what goes with a collective may read it", id);
  require(state.written || !state.arriving, " is written, but comes with a collective", id);
  if (state.written && is_update(id)) return;
  require(!state.written, " is written twice", id);
  require(!state.freed, " is written after it was freed", id);
  if (buffer(id).is_allocated()) {
    require(state.allocated, " is written before it is allocated", id);
  } else if (buffer(id).kind == PlanBuffer::Kind::symmetric) {
    begin_placed(id);
  } else if (buffer(id).kind == PlanBuffer::Kind::local) {
    require(lies_within(buffer(id), arena_bytes(plan_, buffer(id).device)),
            " lies outside the arena", id);
    if (buffer(id).bytes > 0) begin_life(id, places_[buffer(id).device]);
  }
  state.written = true;
}

void PlanChecker::enter(int region) {
  if (reading_ >= 0) fail("enters a region while w" + std::to_string(reading_) + " is read");
  if (region < 0 || std::cmp_greater_equal(region, part_)) {
    fail("enters region r" + std::to_string(region) + ", which is not there above it");
  }
  enters_[part_].push_back(static_cast<std::size_t>(region));
}

void PlanChecker::check_end(const Part& part) {
  for (const PlanResult& result : part.results) {
    State& state = states_[at(result.buffer)];
    state.returned = true;
    const PlanBuffer::Kind kind = buffer(result.buffer).kind;
    require(part.is_region || !buffer(result.buffer).is_placed(),
            " is returned, but has no memory of its own", result.buffer);
    require(!part.is_region || kind == PlanBuffer::Kind::result,
            " is given by a region, but lies where only the region writes", result.buffer);
    require(!part.is_region || result.type.bytes() == buffer(result.buffer).bytes,
            " is given by a region, but of another size", result.buffer);
    require(!state.freed && !state.used_up, " is returned, but freed", result.buffer);
    if (result.work >= 0) {
      const Work& work = works_[at(result.work)];
      require(work.state != Work::State::none && work.part == part_,
              " is returned, but its collective is not started", result.buffer);
      const std::vector<BufferId>& parts = work.start->results;
      require(std::ranges::find(parts, result.buffer) != parts.end(),
              " is returned under way, but is none of its collective's results", result.buffer);
    } else {
      require(state.written, " is returned, but not there", result.buffer);
    }
  }
  for (const int number : started_) {
    const Work& work = works_[at(number)];
    if (work.state == Work::State::waited && work.start->reads(plan_)) {
      fail("w" + std::to_string(number) + " is read, but never finished");
    }
    if (!part.is_region || work.state >= Work::State::waited || work.start->results.empty())
      continue;
    fail("w" + std::to_string(number) + " is under way when its region ends");
  }
  for (BufferId id = part.first_buffer; id < part.end_buffer; ++id) {
    const State& state = states_[at(id)];
    require(!state.allocated || state.written, " is allocated, but not written", id);
    // What the group's memory holds is given back by the end of its collective.
    require(!buffer(id).is_allocated() || !state.allocated || state.freed || state.returned,
            " is never freed", id);
    for (const int work : state.lent_to) {
      require(works_[at(work)].state >= Work::State::waited,
              " lies in the group's memory, but its collective is not waited for", id);
    }
  }
}

// People and tools read them.
void PlanChecker::check_said_lives() const {
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

void PlanChecker::check_donation(const Donation& donation) {
  const auto found = inputs_.find(donation.input);
  if (found == inputs_.end()) fail("there is no input " + std::to_string(donation.input));
  const BufferId input = found->second;
  require_own(donation.buffer);
  const State& given = states_[at(input)];
  const State& target = states_[at(donation.buffer)];
  require(plan_.buffers[at(input)].device == plan_.buffers[at(donation.buffer)].device,
          " can't take an argument's memory over on another device", donation.buffer);
  require(plan_.buffers[at(input)].bytes == plan_.buffers[at(donation.buffer)].bytes &&
              plan_.buffers[at(donation.buffer)].is_result(),
          " can't take an argument's memory over", donation.buffer);
  require((target.allocated || !buffer(donation.buffer).is_allocated()) && target.written,
          " takes memory over, but isn't written", donation.buffer);
  require(!given.lent, " is taken over, but peers may read it", input);
  require(!given.returned, " is taken over, but returned", input);
  if (given.last_use < target.first_write) return;
  const auto wait = follows_in_place(plan_, at(target.first_write), input, donation.buffer);
  if (wait && std::cmp_less_equal(given.last_use, *wait)) return;
  require(given.last_use == target.first_write &&
              in_place(plan_.steps[at(target.first_write)], input, donation.buffer),
          " is taken over while it is in use", input);
}

// Whether the step changes the buffer where it lies.
bool PlanChecker::is_update(BufferId id) {
  if (const Control* const control = control_of(plan_.steps[step_])) {
    return writes_over(*control, id, id);
  }
  const auto* const launch = launch_of(plan_.steps[step_]);
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

bool PlanChecker::writes_over(const Control& control, BufferId read, BufferId written) {
  const auto [known, is_new] = in_place_.try_emplace(&control);
  if (is_new) known->second = writes_in_place(control);
  return known->second.contains({read, written});
}

bool PlanChecker::in_place(const Step& step, BufferId input, BufferId target) {
  if (const Control* const control = control_of(step)) return writes_over(*control, input, target);
  const Launch* const launch = launch_of(step);
  if (launch == nullptr) return false;
  std::ptrdiff_t reads = 0;
  bool safe = false;
  for (const LaunchPart& part : launch->parts) {
    reads += std::ranges::count(part.buffers, input);
    const auto read = std::ranges::find(part.buffers, input);
    const auto written = std::ranges::find(part.buffers, target);
    if (read == part.buffers.end() || written == part.buffers.end()) continue;
    safe = may_run_in_place(plan_, part, static_cast<std::size_t>(read - part.buffers.begin()),
                            static_cast<std::size_t>(written - part.buffers.begin()));
  }
  return safe && reads == 1;
}

void check(const Plan& plan) {
  PlanChecker(plan).run();
  call_test_hook(plan);
}

}  // namespace tutti::codegen
