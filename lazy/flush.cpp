#include <tutti/ir/control.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/flush.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <variant>

namespace tutti::detail {

using ir::NodeId;
using ir::Value;

Flush::Flush(RankContext& context)
    : context_(context),
      trace_(*context.lazy_),
      graph_(trace_.graph()),
      needed_(graph_.node_count(), false),
      remaining_(graph_.node_count(), false),
      is_result_(graph_.value_count(), false),
      moved_(graph_.value_count()),
      away_(graph_.node_count(), false) {}

ir::Graph Flush::extract(std::span<const StatePtr> targets) {
  need_targets(targets);
  close(needed_);
  return take_out();
}

// What is not computed now and needed later.
void Flush::find_remaining() {
  close(needed_);
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    remaining_[id] = !needed_[id] && ir::communicates(graph_, id);
  }
  for (const TensorState* state : trace_.handles()) {
    const NodeId producer = graph_.producer(state->value);
    if (needed_[producer]) {
      is_result_[state->value.id] = true;
    } else {
      remaining_[producer] = true;
    }
  }
  close_remaining();
}

void Flush::evaluate() {
  find_remaining();
  const ir::Graph program = take_out();
  const bool communicates = program.has_calls();
  if (!communicates) context_.pending_collectives_ = false;
  if (program.results().empty() && !communicates) return;
  finish(execute(program));
}

void Flush::drop_unused() {
  const RankContext::Running running(context_);
  find_remaining();
  finish({});
}

// What stays recorded keeps its default device.
std::unique_ptr<Trace> Flush::new_trace() const {
  return std::make_unique<Trace>(Trace::Kind::lazy, context_.id_, context_.mesh_,
                                 graph_.default_device);
}

void Flush::take_over(std::unique_ptr<Trace> rest) {
  if (rest->graph().node_count() == 0) rest->graph().default_device = context_.default_device();
  former_ = std::exchange(context_.lazy_, std::move(rest));
}

void Flush::need_targets(std::span<const StatePtr> targets) {
  for (const StatePtr& state : targets) {
    if (state->trace != &trace_) continue;
    needed_[graph_.producer(state->value)] = true;
    is_result_[state->value.id] = true;
  }
}

void Flush::need_collectives() {
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    if (ir::communicates(graph_, id)) needed_[id] = true;
  }
}

// Nodes are in order, so one walk backwards finds all that marked nodes need.
void Flush::close(std::vector<bool>& marked) const {
  for (NodeId id = static_cast<NodeId>(graph_.node_count()); id-- > 0;) {
    if (!marked[id]) continue;
    for (const Value operand : graph_.operands(id)) marked[graph_.producer(operand)] = true;
  }
}

// What live values that are not computed now need; where they need what is computed now, that
// becomes a result, so that nothing is computed (or communicated) twice. But what lies anywhere
// and is needed on another device than the default one, where it would become data, is made anew.
void Flush::close_remaining() {
  for (NodeId id = static_cast<NodeId>(graph_.node_count()); id-- > 0;) {
    if (!remaining_[id]) continue;
    const bool away = away_[id] || ir::device_of(graph_, id) != graph_.default_device;
    for (const Value operand : graph_.operands(id)) {
      const NodeId producer = graph_.producer(operand);
      if (away && is_remade(operand)) away_[producer] = true;
      if (away_[producer] || graph_.node(producer).op == ir::Op::parameter ||
          trace_.is_runtime_scalar(operand) || !needed_[producer]) {
        remaining_[producer] = true;
      } else {
        is_result_[operand.id] = true;
      }
    }
  }
}

bool Flush::is_remade(Value value) const {
  return graph_.type(value).device.is_any() && graph_.op(value) != ir::Op::wait &&
         !ir::communicates(graph_, graph_.producer(value));
}

// The needed nodes as a graph of their own; C++ numbers become its parameters.
ir::Graph Flush::take_out() {
  ir::Graph program("trace");
  program.mesh = graph_.mesh;
  program.default_device = graph_.default_device;
  std::size_t parameter = 0;
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    const bool formal = graph_.node(id).op == ir::Op::parameter;
    if (formal) ++parameter;
    if (!needed_[id] || graph_.node(id).result_count != 1) continue;
    const Value value = graph_.result(id);
    if (formal) {
      inputs_.push_back({trace_.inputs()[parameter - 1], nullptr});
    } else if (trace_.is_runtime_scalar(value)) {
      inputs_.push_back({nullptr, std::get<ir::ArrayPtr>(graph_.node(id).attributes[0])});
    } else {
      continue;
    }
    const std::string name = (formal ? "x" : "c") + std::to_string(inputs_.size() - 1);
    moved_[value.id] =
        program.add_parameter(name, graph_.type(value), false, graph_.node(id).location);
  }
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    const bool done = graph_.node(id).result_count == 1 && moved_[graph_.result(id).id].valid();
    if (needed_[id] && !done) copy_node(graph_, id, program, moved_);
  }
  std::vector<Value> results;
  for (std::uint32_t id = 0; id < graph_.value_count(); ++id) {
    if (!is_result_[id] || !needed_[graph_.producer({id})]) continue;
    results_.push_back({id});
    results.push_back(moved_[id]);
  }
  program.set_results(std::move(results));
  return program;
}

void copy_node(const ir::Graph& from, NodeId id, ir::Graph& into, std::vector<Value>& moved) {
  std::vector<Value> operands;
  for (const Value operand : from.operands(id)) operands.push_back(moved[operand.id]);
  const ir::Node& node = from.node(id);
  std::vector<ir::Type> types;
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    types.push_back(from.type(from.result(id, i)));
    // What it was made from may be data by now, which lies somewhere.
    for (std::size_t k = ir::is_branch_index(node.op, 0) ? 1 : 0; k < operands.size(); ++k) {
      if (types.back().device.is_any()) types.back().device = into.type(operands[k]).device;
    }
  }
  const NodeId copy = into.append(node.op, operands, node.attributes, types, node.location);
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    moved[from.result(id, i).id] = into.result(copy, i);
  }
}

// Turns computed values into data and moves what remains into the new trace.
void Flush::hand_out(const std::vector<codegen::Executable::Result>& results, Trace& rest) {
  std::vector<Value> moved(graph_.value_count());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Value value = results_[i];
    StatePtr state(trace_.find_handle(value));
    if (state == nullptr) {
      ir::Type type = graph_.type(value);
      type.device = results[i].type.device;
      state = context_.leaf(type, nullptr, graph_.node(graph_.producer(value)).location);
    }
    // The program may have been recorded elsewhere first.
    const Location where = graph_.node(graph_.producer(value)).location;
    runtime::Buffer* const buffer = results[i].buffer.get();
    if (buffer != nullptr && buffer->is_private() && buffer->label().where != where) {
      buffer->set_label({.what = buffer->label().what, .where = where});
    }
    computed_.push_back({value, state, results[i]});
  }
  for (const Computed& computed : computed_) {
    computed.state->buffer = computed.result.buffer;
    computed.state->work = computed.result.work;
    computed.state->part = computed.result.part;
    computed.state->origin = trace_.origin_of(computed.value);
    if (const auto uses = result_uses_.find(moved_[computed.value.id].id);
        uses != result_uses_.end()) {
      computed.state->literal_uses = uses->second;
    }
    release_handle(*computed.state);
  }
  std::unordered_map<std::uint32_t, StatePtr> data;
  for (const Computed& computed : computed_) data[computed.value.id] = computed.state;

  std::size_t parameter = 0;
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    const bool formal = graph_.node(id).op == ir::Op::parameter;
    if (formal) ++parameter;
    if (!remaining_[id]) continue;
    if (formal) {
      moved[graph_.result(id).id] =
          rest.value_of(*trace_.inputs()[parameter - 1], graph_.node(id).location);
      continue;
    }
    for (const Value operand : graph_.operands(id)) {
      if (const auto found = data.find(operand.id);
          found != data.end() && !moved[operand.id].valid()) {
        moved[operand.id] = rest.value_of(*found->second, graph_.node(id).location);
      }
    }
    if (graph_.node(id).op == ir::Op::wait && data.count(graph_.operand(id, 0).id) != 0) {
      moved[graph_.result(id).id] = moved[graph_.operand(id, 0).id];
    } else if (graph_.node(id).result_count == 1 && trace_.is_runtime_scalar(graph_.result(id))) {
      rest.builder().at(graph_.node(id).location);
      moved[graph_.result(id).id] =
          rest.runtime_scalar(*std::get<ir::ArrayPtr>(graph_.node(id).attributes[0]));
    } else {
      copy_node(graph_, id, rest.graph(), moved);
    }
  }
  for (TensorState* state : trace_.handles()) {
    const StatePtr hold(state);  // another thread may drop the last handle meanwhile
    const Value value = state->value;
    const NodeId producer = graph_.producer(value);
    release_handle(*state);
    if (graph_.node(producer).op == ir::Op::wait) {
      if (const auto found = data.find(graph_.operand(producer, 0).id); found != data.end()) {
        // The wait of a collective that was issued just now: its data, read when it is there.
        state->buffer = found->second->buffer;
        state->work = found->second->work;
        state->part = found->second->part;
        state->literal_uses = found->second->literal_uses;
        continue;
      }
    }
    rest.adopt(*state, moved[value.id]);
  }
}

void Flush::release_handle(TensorState& state) {
  if (state.trace == nullptr) return;
  trace_.forget(state);
  state.trace = nullptr;
}

void RankContext::flush(std::span<const StatePtr> targets) {
  compute(targets);
  run_callbacks();
}

void RankContext::compute(std::span<const StatePtr> targets) {
  const bool asked = std::ranges::any_of(
      targets, [&](const StatePtr& state) { return state->trace == lazy_.get(); });
  if (!asked && running_) return;
  if (!asked && !pending_collectives_) {
    if (lazy_->graph().node_count() > 0) drop_unused_nodes();
    return;
  }
  const Recorder::Claim claim(recorder_);
  const Location where = targets.empty() ? Location() : targets[0]->where;
  check_idle(where);
  if (has_dropped_.load(std::memory_order_acquire)) take_dropped();
  if (keep_lazy_trace > 0) {
    throw UsageError(
        "a tensor is read (or a compiled function called) inside a function that is being "
        "differentiated; return the value and read it outside",
        where);
  }
  const runtime::ProfileSlice slice(runtime_.profile.get(), "call", "flush", where);
  try {
    Flush(*this).run(targets);
  } catch (const std::exception&) {
    start_one_by_one();
    throw;
  }
}

void RankContext::drop_unused_nodes() {
  if (compiling() || keep_recording > 0 || running_) return;
  const Recorder::Claim claim(recorder_);
  if (has_dropped_.load(std::memory_order_acquire)) take_dropped();
  if (lazy_->has_handles() && lazy_->inputs().size() <= most_inputs_) return;
  Flush(*this).drop_unused();
  most_inputs_ = 2 * lazy_->inputs().size() + kFewInputs;
}

ir::Graph RankContext::extract(std::span<const StatePtr> targets) {
  return Flush(*this).extract(targets);
}

}  // namespace tutti::detail
