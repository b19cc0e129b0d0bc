// What PlanChecker makes sure of about collectives and what they work on.

#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>

namespace tutti::codegen {

// Whether all members have its result in common, which lies once; on GPUs each has its own.
bool PlanChecker::has_common_result(const CollectiveStart& start) const {
  if (start.engine != "shm") return false;
  const std::size_t members = start.group->members_with(plan_.rank).size();
  return runtime::common_result(start.call, static_cast<int>(members));
}

void PlanChecker::lend(BufferId id, const CollectiveStart& start) {
  require(buffer(id).device.is_cpu() != runtime::moves_on_devices(start.engine),
          " lies where peers can't reach it", id);
  const PlanBuffer::Kind kind = buffer(id).kind;
  require(kind != PlanBuffer::Kind::local && kind != PlanBuffer::Kind::parameter &&
              kind != PlanBuffer::Kind::result,
          " goes to peers, but has no memory of its own", id);
  if (kind == PlanBuffer::Kind::symmetric) {
    require_area(id, start);
    require(!is_common(plan_, id), " goes to peers, but lies with a result in common", id);
    states_[at(id)].lent_to.push_back(start.work);
  }
  read(id);
  states_[at(id)].lent = true;
}

void PlanChecker::start(const CollectiveStart& start) {
  if (reading_ >= 0)
    fail("a collective is started while w" + std::to_string(reading_) + " is read");
  check_engine(start);
  if (start.leader) lead(start);
  for (const BufferId id : start.operands) lend(id, start);
  for (const BufferId id : start.results) {
    State& state = states_[at(id)];
    const bool placed = buffer(id).kind == PlanBuffer::Kind::symmetric;
    if (buffer(id).kind == PlanBuffer::Kind::peer) {
      require(start.reads(plan_), " is a peer's, but comes with a result", id);
      require(!state.written && !state.arriving, " is a result, but written before", id);
      state.arriving = true;
      continue;
    }
    require(!state.written && !state.arriving, " is a result, but written before", id);
    if (placed) {
      require_area(id, start);
      require(is_common(plan_, id) == has_common_result(start),
              " lies where the results of such a call do not", id);
      begin_placed(id);
      state.lent_to.push_back(start.work);
    } else {
      require(buffer(id).is_allocated(), " comes with a collective, but has a place already", id);
      require(buffer(id).device.is_cpu() != runtime::moves_on_devices(start.engine),
              " is not where its collective leaves it", id);
      require(!state.allocated, " is a result, but written before", id);
    }
    state.arriving = true;
  }
  if (start.reads(plan_)) check_reading(start);
  if (start.follower) follow(start);
  Work& work = works_[at(start.work)];
  if (work.state != Work::State::none) fail("starts w" + std::to_string(start.work) + " twice");
  work = {.state = Work::State::started, .start = &start, .part = part_};
  started_.push_back(start.work);
}

// Whether a kernel may go with a collective on a GPU, with which it has one buffer in common, that
// it writes or reads.
void PlanChecker::check_companion(const CollectiveStart& start, const LaunchPart& part,
                                  const std::vector<BufferId>& shared, bool written) {
  const std::string what = "w" + std::to_string(start.work);
  const bool fits = part.kernel >= 0 && start.call.parts.size() == 1 && start.parent == nullptr &&
                    shared.size() == 1 && runtime::moves_on_devices(start.engine) &&
                    std::ranges::count(part.buffers, shared[0]) == 1;
  if (!fits) fail(what + " is none that a kernel can " + (written ? "lead" : "follow"));
  const auto place =
      static_cast<std::size_t>(std::ranges::find(part.buffers, shared[0]) - part.buffers.begin());
  const std::vector<KernelBuffer>& taken = plan_.kernels[at(part.kernel)].buffers;
  if (place >= taken.size() || writes(plan_, part, place) != written ||
      taken[place].dtype != start.call.dtype) {
    fail(what + (written ? " takes what " : " gives what ") + part.name + " does not " +
         (written ? "write" : "read"));
  }
  for (const BufferId id : part.buffers) {
    require(buffer(id).device == buffer(shared[0]).device, " lies on another device", id);
  }
}

// What a kernel reads that makes the operand of a collective, from the start to the wait.
void PlanChecker::lead(const CollectiveStart& start) {
  const LaunchPart& part = *start.leader;
  check_companion(start, part, start.operands, true);
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    require(part.buffers[i] == start.operands[0] || !writes(plan_, part, i),
            " is written by what makes the operand of a collective", part.buffers[i]);
  }
  for (const BufferId id : start.leader_reads(plan_)) {
    read(id);
    ++states_[at(id)].read_beside;
  }
  const BufferId operand = start.operands[0];
  State& state = states_[at(operand)];
  require(!state.allocated && !state.arriving, " is made for a collective, but is there", operand);
  if (buffer(operand).is_allocated()) state.allocated = true;
  write(operand);
}

// What a kernel works on that follows a collective on a GPU, from the start to the wait: nobody
// else reads the result.
void PlanChecker::follow(const CollectiveStart& start) {
  check_companion(start, *start.follower, start.results, false);
  for (const BufferId id : start.follower_buffers(plan_, false)) {
    read(id);
    ++states_[at(id)].read_beside;
  }
  for (const BufferId id : start.follower_buffers(plan_, true)) {
    State& state = states_[at(id)];
    require(!state.allocated && !state.arriving, " comes with a collective, but is there", id);
    if (buffer(id).is_allocated()) state.allocated = true;
    write(id);
    state.allocated = state.written = false;
    state.arriving = true;
  }
}

// What works on GPUs has the call, and all of it on one GPU.
void PlanChecker::check_engine(const CollectiveStart& start) {
  const auto* const own = runtime::find_transport(start.engine);
  if (own == nullptr || !own->on_devices) return;
  const auto members = static_cast<int>(start.group->members_with(plan_.rank).size());
  const bool serves = !start.call.parts.empty() && start.parent == nullptr &&
                      (own->serves == nullptr || own->serves(start.call, members));
  if (!serves || start.operands.empty()) {
    fail("w" + std::to_string(start.work) + " is no call that " + start.engine + " has");
  }
  const Device device = buffer(start.operands[0]).device;
  for (const BufferId id : start.operands) require(buffer(id).device == device, " lies apart", id);
  for (const BufferId id : start.results) require(buffer(id).device == device, " lies apart", id);
}

void PlanChecker::wait(const CollectiveWait& wait) {
  Work& work = works_[at(wait.work)];
  const std::string what = "waits for w" + std::to_string(wait.work);
  if (work.state == Work::State::none) fail(what + " before its start");
  if (work.state != Work::State::started) fail(what + " twice");
  if (work.part != part_) fail(what + ", which another region starts");
  if (work.start->results != wait.results || work.start->operands != wait.operands ||
      work.start->leader_reads(plan_) != wait.leader_reads ||
      work.start->follower_buffers(plan_, false) != wait.follower_reads ||
      work.start->follower_buffers(plan_, true) != wait.follower_writes) {
    fail(what + ", but for other operands or results than it has");
  }
  if (reading_ >= 0) fail(what + " while w" + std::to_string(reading_) + " is read");
  work.state = Work::State::waited;
  if (work.start->reads(plan_)) reading_ = wait.work;
  for (const BufferId id : wait.operands) {
    require(!states_[at(id)].freed, " is freed before the collective that reads it is over", id);
  }
  for (const std::vector<BufferId>* const reads : {&wait.leader_reads, &wait.follower_reads}) {
    for (const BufferId id : *reads) {
      require(!states_[at(id)].freed, " is freed before what reads it with a collective", id);
      --states_[at(id)].read_beside;
    }
  }
  for (const std::vector<BufferId>& come : {wait.results, wait.follower_writes}) {
    for (const BufferId id : come) states_[at(id)].allocated = states_[at(id)].written = true;
  }
  if (work.start->follower) states_[at(wait.results[0])].used_up = true;
}

// Nothing is waited for while peers' operands are read: it would have to wait for the reading.
void PlanChecker::check_reading(const CollectiveStart& start) {
  const std::size_t members = start.group->members_with(plan_.rank).size();
  const bool fits = start.call.kind == runtime::CollectiveKind::all_reduce &&
                    start.call.parts.size() == 1 && start.parent == nullptr &&
                    start.engine == "shm" && members > 1 && start.results.size() == members &&
                    start.operands.size() == 1;
  if (!fits) fail("w" + std::to_string(start.work) + " is not one that a plan can read");
  for (std::size_t member = 0; member < members; ++member) {
    const BufferId id = start.results[member];
    require(buffer(id).kind == PlanBuffer::Kind::peer && at(buffer(id).index) == member &&
                buffer(id).device.is_cpu() &&
                buffer(id).bytes / size_of(start.call.dtype) <= start.call.parts[0].elements,
            " is not where the member of that place has its operand", id);
  }
}

void PlanChecker::finish(const Finish& finish) {
  Work& work = works_[at(finish.work)];
  const std::string what = "finishes w" + std::to_string(finish.work);
  if (work.state == Work::State::none || work.part != part_ || !work.start->reads(plan_)) {
    fail(what + ", which is not read here");
  }
  if (work.state != Work::State::waited) fail(what + " twice, or before it is waited for");
  if (work.start->results != finish.peers || work.start->operands != finish.operands) {
    fail(what + ", but for other operands than it has");
  }
  work.state = Work::State::read;
  reading_ = -1;
  for (const BufferId id : finish.peers) states_[at(id)].freed = true;
}

}  // namespace tutti::codegen
