// What becomes of collectives when the evaluation that was to start them fails: those that need
// nothing of what failed are started all the same, one by one and in their order, so that they have
// the numbers that the peers give them; of the others the peers are told that they won't come.

#include <tutti/codegen/driver/abandon.h>
#include <tutti/codegen/lower_collective.h>
#include <tutti/ir/control.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/failed_work.h>
#include <tutti/lazy/flush.h>

#include <algorithm>
#include <utility>

namespace tutti::detail {

using codegen::Executable;
using ir::NodeId;
using ir::Value;

namespace {

constexpr NodeId kNoNode = ~NodeId{0};

// What whoever wants the results of a collective gets, in place of what is thrown right now.
std::exception_ptr failure_of(const ir::Node& node) {
  try {
    throw;
  } catch (const CommError&) {
    return std::current_exception();
  } catch (const std::exception& error) {
    return std::make_exception_ptr(CommError(
        std::string(name_of(node.op)) + " was lost when its evaluation failed: " + error.what(),
        node.location));
  }
}

// What a call was started with: a message is a work for each peer, one behind the other.
std::span<const Executable::Started> started_for(std::span<const Executable::Started> started,
                                                 ir::CallId call) {
  const auto is_its = [&](const Executable::Started& one) {
    return std::ranges::find(one.calls, call) != one.calls.end();
  };
  const auto begin = std::ranges::find_if(started, is_its);
  return {begin, std::find_if_not(begin, started.end(), is_its)};
}

// The results of a collective: of the works that it has started, or failures.
std::vector<Executable::Result> results_of(const ir::Graph& graph, NodeId id,
                                           std::exception_ptr failure,
                                           std::span<const Executable::Started> started,
                                           RankContext& context) {
  const Location where = graph.node(id).location;
  std::vector<codegen::LoweredCollective> calls;
  const auto is_lost = [](const Executable::Started& one) { return one.work == nullptr; };
  if (failure == nullptr && std::ranges::any_of(started, is_lost)) {
    // What it gave went with the run; nobody may run it again, since the peers won't.
    failure = std::make_exception_ptr(CommError(
        std::string(name_of(graph.node(id).op)) +
            " communicated, and its results were lost when the evaluation around it failed",
        where));
  }
  if (failure == nullptr) {
    const ir::Algorithm algorithm = context.compile_options.algorithm;
    calls = codegen::lower_collective(graph, id, context.runtime().rank(), {.asked = algorithm});
    if (calls.size() != started.size()) {
      const std::string why = "only some of its messages were started";
      codegen::abandon_collective(graph, id, context.runtime(), algorithm, why);
      failure = std::make_exception_ptr(CommError(why, where));
    }
  }
  std::vector<Executable::Result> results;
  for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
    const Value value = graph.result(id, i);
    Executable::Result& result = results.emplace_back();
    result.type = graph.type(value);
    result.type.device = graph.device(value);
    if (failure == nullptr && !result.type.device.is_cpu()) {
      // What arrives on the host was to be brought to the GPU.
      failure = std::make_exception_ptr(CommError("its evaluation failed", where));
    }
    if (failure != nullptr) {
      result.work = std::make_shared<FailedWork>(failure);
      continue;
    }
    for (std::size_t call = 0; call < calls.size(); ++call) {
      const auto part = std::ranges::find(calls[call].results, value);
      if (part == calls[call].results.end()) continue;
      result.work = started[call].work;
      result.part = static_cast<std::size_t>(part - calls[call].results.begin());
    }
  }
  return results;
}

}  // namespace

void Flush::run(std::span<const StatePtr> targets) {
  const RankContext::Running running(context_);
  need_targets(targets);
  need_collectives();
  try {
    evaluate();
    context_.pending_collectives_ = false;
  } catch (const std::exception&) {
    const bool started = running_ != nullptr && !running_->executable->started().empty();
    if (started && !over_) settle(kNoNode, nullptr);
    throw;
  }
}

bool Flush::start_first() {
  NodeId first = 0;
  while (first < graph_.node_count() && !ir::communicates(graph_, first)) ++first;
  if (first == graph_.node_count()) {
    context_.pending_collectives_ = false;
    return false;
  }
  needed_[first] = true;
  const RankContext::Running running(context_);
  try {
    evaluate();
  } catch (const std::exception& error) {
    if (over_) return true;
    const bool started = running_ != nullptr && !running_->executable->started().empty();
    if (started) {
      settle(kNoNode, nullptr);
      return true;
    }
    codegen::abandon_collective(graph_, first, context_.runtime_,
                                context_.compile_options.algorithm, error.what());
    settle(first, failure_of(graph_.node(first)));
  }
  return true;
}

void Flush::finish(const std::vector<Executable::Result>& results) {
  try {
    std::unique_ptr<Trace> rest = new_trace();
    hand_out(results, *rest);
    over_ = true;
    take_over(std::move(rest));
  } catch (const std::exception& error) {
    abort(error);
    throw;
  }
}

// The trace doesn't say any more what was started, so nothing else may be.
void Flush::abort(const std::exception& error) {
  over_ = true;
  bool communicates = false;
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    communicates = communicates || (needed_[id] && ir::communicates(graph_, id));
  }
  if (!communicates) return;
  context_.runtime_.backend->abort("rank " + std::to_string(context_.runtime_.rank()) +
                                   " failed between two collectives: " + error.what());
}

void Flush::settle(NodeId failed, const std::exception_ptr& failure) {
  std::vector<Executable::Result> results;
  try {
    results = results_of_started(failed, failure);
  } catch (const std::exception& error) {
    abort(error);
    throw;
  }
  finish(results);
}

// Collectives that were started become data under way; so do the results of `failed`, which is a
// failure.
std::vector<Executable::Result> Flush::results_of_started(NodeId failed,
                                                          const std::exception_ptr& failure) {
  std::span<const Executable::Started> started;
  if (running_ != nullptr) started = running_->executable->started();
  std::vector<Executable::Result> results;
  std::vector<bool> done(graph_.node_count(), false);
  results_.clear();
  ir::CallId call = 0;  // of the program that was taken out
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    if (!ir::communicates(graph_, id) || !needed_[id]) continue;
    const auto own = started_for(started, call++);
    if (own.empty() && id != failed) continue;
    const std::exception_ptr lost = id == failed ? failure : nullptr;
    const std::size_t before = results.size();
    for (Executable::Result& result : results_of(graph_, id, lost, own, context_)) {
      results_.push_back(graph_.result(id, static_cast<std::uint32_t>(results.size() - before)));
      results.push_back(std::move(result));
    }
    done[id] = true;
  }
  remaining_.assign(graph_.node_count(), false);
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    remaining_[id] = ir::communicates(graph_, id) && !done[id];
  }
  for (const TensorState* state : trace_.handles()) {
    const NodeId producer = graph_.producer(state->value);
    if (!done[producer]) remaining_[producer] = true;
  }
  for (NodeId id = static_cast<NodeId>(graph_.node_count()); id-- > 0;) {
    if (!remaining_[id]) continue;
    for (const Value operand : graph_.operands(id)) {
      if (!done[graph_.producer(operand)]) remaining_[graph_.producer(operand)] = true;
    }
  }
  return results;
}

void RankContext::start_one_by_one() noexcept {
  try {
    while (pending_collectives_ && Flush(*this).start_first()) {
    }
  } catch (const std::exception&) {
    // What is recorded still has its turn with the next evaluation.
  }
}

// Records what is left of the program, and starts it like any other.
void RankContext::start_rest_of(const ir::Graph& program, std::span<const StatePtr> inputs,
                                const Executable* executable,
                                const std::exception& error) noexcept {
  std::span<const Executable::Started> started;
  if (executable != nullptr) started = executable->started();
  try {
    record_rest_of(program, inputs, started);
    start_one_by_one();
  } catch (const std::exception&) {
    for (NodeId id = 0; id < program.node_count(); ++id) {
      if (!ir::communicates(program, id)) continue;
      if (!started_for(started, program.calls(id)[0]).empty()) continue;
      codegen::abandon_collective(program, id, runtime_, compile_options.algorithm, error.what());
    }
  }
}

void RankContext::record_rest_of(const ir::Graph& program, std::span<const StatePtr> inputs,
                                 std::span<const Executable::Started> started) {
  Trace& into = *lazy_;
  std::vector<Value> moved(program.value_count());
  std::vector<bool> needed(program.node_count(), false);
  std::vector<bool> done(program.node_count(), false);
  for (NodeId id = 0; id < program.node_count(); ++id) {
    if (!ir::communicates(program, id)) continue;
    const auto own = started_for(started, program.calls(id)[0]);
    needed[id] = own.empty();
    done[id] = !own.empty();
    if (own.empty()) continue;
    const auto results = results_of(program, id, nullptr, own, *this);
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      const StatePtr state = leaf(results[i].type, nullptr, program.node(id).location);
      state->work = results[i].work;
      state->part = results[i].part;
      moved[program.result(id, i).id] = into.value_of(*state, state->where);
    }
  }
  for (NodeId id = static_cast<NodeId>(program.node_count()); id-- > 0;) {
    if (!needed[id]) continue;
    for (const Value operand : program.operands(id)) {
      if (!done[program.producer(operand)]) needed[program.producer(operand)] = true;
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value formal = program.parameters()[i].value;
    if (!needed[program.producer(formal)]) continue;
    moved[formal.id] = into.value_of(*inputs[i], inputs[i]->where);
  }
  for (NodeId id = 0; id < program.node_count(); ++id) {
    const ir::Node& node = program.node(id);
    if (!needed[id] || node.op == ir::Op::parameter) continue;
    if (node.op == ir::Op::wait && done[program.producer(program.operand(id, 0))]) {
      moved[program.result(id).id] = moved[program.operand(id, 0).id];
    } else {
      copy_node(program, id, into.graph(), moved);
    }
    pending_collectives_ = pending_collectives_ || ir::communicates(program, id);
  }
}

}  // namespace tutti::detail
