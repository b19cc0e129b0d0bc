#include <tutti/codegen/driver/planned_collectives.h>
#include <tutti/codegen/lower_collective.h>
#include <tutti/ir/op.h>
#include <tutti/runtime/comm/transports.h>

#include <utility>

namespace tutti::codegen {

using ir::NodeId;
using ir::Op;
using ir::Value;

void PlannedCollectives::start(NodeId id, std::span<const ir::CallId> calls) {
  for (LoweredCollective& lowered : lower_collective(graph_, id, plan_.rank, algorithms_)) {
    CollectiveStart start{.call = std::move(lowered.call),
                          .group = std::move(lowered.group),
                          .parent = std::move(lowered.parent),
                          .engine = std::move(lowered.engine),
                          .work = plan_.works++,
                          .calls = {calls.begin(), calls.end()}};
    const Location location = graph_.node(id).location;
    const bool on_device = runtime::moves_on_devices(start.engine);
    for (std::size_t i = 0; i < lowered.operands.size(); ++i) {
      const bool turns = lowered.stand_in && lowered.stand_in->turns(i);
      start.operands.push_back(turns ? turned(id, lowered.operands[i])
                                     : reachable(lowered.operands[i], location, on_device));
    }
    for (std::size_t i = 0; i < lowered.results.size(); ++i) {
      const Value result = lowered.results[i];
      works_[result] = start.work;
      if (const auto peers = peers_.find(result); peers != peers_.end()) {
        for (int member = 0; member < peers->second.members; ++member) {
          start.results.push_back(
              writer_.add_buffer(PlanBuffer::Kind::peer, graph_.type(result).bytes(), {}, member));
        }
        starts_.emplace(result, start);
        continue;
      }
      BufferId target = values_.storage(result);
      if (!writer_.device_of(target).is_cpu() && !on_device) {
        const BufferId arrived =
            writer_.add_buffer(PlanBuffer::Kind::comm, writer_.bytes_of(target), {});
        arrivals_[start.work].emplace_back(
            [this, arrived, target, location] { writer_.add_copy(arrived, target, location); });
        target = arrived;
      } else if (lowered.stand_in && lowered.stand_in->completes(i)) {
        target = completed(id, start, *lowered.stand_in, i, target);
      }
      start.results.push_back(target);
    }
    for (const BufferId buffer : start.operands) make_comm(buffer);
    for (const BufferId buffer : start.results) make_comm(buffer);
    waits_.push_back(CollectiveWait::of(start));
    plan_.steps.emplace_back(std::move(start));
  }
  if (graph_.node(id).op == Op::barrier) wait(plan_.works - 1);
}

void PlannedCollectives::wait_for(Value async) {
  if (is_there(async) || peers_.contains(views_[async].base)) return;
  const int work = work_of(async);
  if (!waited_.insert(work).second) return;  // for another of its results
  wait(work);
  const auto arrived = arrivals_.find(work);
  if (arrived == arrivals_.end()) return;
  for (const auto& bring : arrived->second) bring();
  arrivals_.erase(arrived);
}

void PlannedCollectives::begin_reading(Value result) {
  waited_.insert(works_.at(result));
  wait(works_.at(result));
}

void PlannedCollectives::end_reading(Value result) {
  plan_.steps.emplace_back(Finish::of(starts_.at(result)));
}

void PlannedCollectives::wait_for_all() {
  for (int work = 0; work < plan_.works; ++work) {
    if (!waits_[at(work)].results.empty() && waited_.insert(work).second) wait(work);
  }
}

void PlannedCollectives::read_others() {
  for (const auto& [value, peers] : peers_) {
    if (waited_.contains(works_.at(value))) continue;
    begin_reading(value);
    end_reading(value);
  }
}

// Where peers can reach it: a dense buffer of the value's, or a copy where that lies on a GPU and
// the engine reads the host's memory, or where only the caller of a function knows.
BufferId PlannedCollectives::reachable(Value value, Location location, bool on_device) {
  const BufferId id = values_.dense(value);
  const Device device = writer_.device_of(id);
  const bool is_there = device.is_cpu() || on_device;
  if (is_there && plan_.buffers[at(id)].kind != PlanBuffer::Kind::parameter) return id;
  // Of a buffer that begins with the value no more than that.
  const std::int64_t bytes = is_there ? graph_.type(value).bytes() : writer_.bytes_of(id);
  const auto [found, inserted] = reachable_.try_emplace({id, bytes, on_device}, -1);
  if (!inserted) return found->second;
  found->second =
      writer_.add_buffer(PlanBuffer::Kind::comm, bytes, on_device ? device : Device::cpu());
  is_there ? values_.copy_dense(id, found->second, value)
           : writer_.add_copy(id, found->second, location);
  return found->second;
}

// An operand with the axis before its other dimensions.
BufferId PlannedCollectives::turned(NodeId id, Value operand) {
  const BufferId out = writer_.add_buffer(PlanBuffer::Kind::comm, graph_.type(operand).bytes(),
                                          values_.device(operand));
  values_.write_out(with_axis_first(views_[operand], axis_of(id)), out, graph_.node(id).location);
  return out;
}

// Where what the engine gives for a part arrives, of which the result is made once it is there.
BufferId PlannedCollectives::completed(NodeId id, const CollectiveStart& start,
                                       const StandIn& stand_in, std::size_t part, BufferId target) {
  const runtime::CollectiveCall& call = start.call;
  const auto members = static_cast<int>(start.group->members_with(plan_.rank).size());
  const auto position = static_cast<int>(start.group->position_of(plan_.rank));
  const std::int64_t elements = runtime::result_elements(call, call.parts[part], members, position);
  const BufferId arrived = writer_.add_buffer(
      PlanBuffer::Kind::comm, elements * size_of(call.dtype), writer_.device_of(target));
  const Location location = graph_.node(id).location;
  const Value result = graph_.result(id, part);
  if (stand_in.combination) {
    arrivals_[start.work].emplace_back(
        [this, arrived, target, location,
         kernel = combining_kernel(*stand_in.combination, stand_in.results[part], call.dtype)] {
          writer_.add_kernel(kernel, {arrived, target}, location);
        });
  } else {
    arrivals_[start.work].emplace_back([this, id, arrived, target, location, result] {
      values_.copy(with_axis_back(result, graph_.type(result), axis_of(id)), arrived, target,
                   location);
    });
  }
  return arrived;
}

int PlannedCollectives::axis_of(NodeId id) const {
  return static_cast<int>(graph_.attributes(id).integer("axis"));
}

void PlannedCollectives::forget_copies(BufferId buffer) {
  std::erase_if(reachable_, [&](const auto& each) { return each.first.buffer == buffer; });
}

// Memory of this run's own that peers touch outlives the run, so it can't lie in the arena.
void PlannedCollectives::make_comm(BufferId id) {
  PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
  if (buffer.kind == PlanBuffer::Kind::local) buffer.kind = PlanBuffer::Kind::comm;
}

}  // namespace tutti::codegen
