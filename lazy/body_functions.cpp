#include <tutti/ir/support/error.h>
#include <tutti/lazy/body_functions.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace tutti::detail {

std::vector<ir::FunctionPtr> BodyFunctions::record(const std::vector<Body>& bodies) {
  std::vector<std::optional<ir::Graph>> graphs(bodies.size());
  // At most once for each dimension of the mesh (and of each carry, where they communicate) and
  // once for each body's captures.
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (graphs[i]) continue;
      const std::size_t captured = captured_.size();
      changed_ = false;
      try {
        graphs[i] = trace(bodies[i]);
      } catch (const ir::UndecidedError&) {
        if (!trust_more()) throw;
      }
      if (changed_) std::ranges::fill(graphs, std::nullopt);
      if (captured_.size() != captured) {
        // Those before lack its captures.
        std::fill_n(graphs.begin(), i, std::nullopt);
      }
      again = again || !std::ranges::all_of(graphs, &std::optional<ir::Graph>::has_value);
    }
  }
  std::vector<ir::FunctionPtr> out;
  for (std::optional<ir::Graph>& graph : graphs) {
    out.push_back(std::make_shared<const ir::Function>(std::move(*graph)));
  }
  // Without a call the gradients inside sum nothing over ranks; and one around wants all alike.
  if (asked_ && context_.keep_recording > 0 && !ir::communicates(out)) {
    asked_ = false;
    stays_alike_ = true;
    apart_ = false;
    return record(bodies);
  }
  return out;
}

bool BodyFunctions::trust_more() {
  if (apart_ && trusts_counters_) return false;
  if (apart_) set(trusts_counters_, true);
  set(apart_, true);
  return true;
}

void BodyFunctions::meet(const ir::Type& type) {
  const ir::Replication& own = type.replication;
  if (!apart_) set(common_, ir::intersect(common_, own));
  if (own.literal) return;
  const auto numbers = static_cast<std::uint8_t>(numbers_ | own.dimensions);
  changed_ = changed_ || (apart_ && numbers != numbers_);
  numbers_ = numbers;
}

ir::Replication BodyFunctions::replication(std::size_t parameter) const {
  if (!apart_) return ir::known_replication(common_, 0);
  const ir::Type& operand = parameters_[parameter];
  const bool counts = operand.replication.literal && operand.shape.rank() == 0 &&
                      !is_floating(operand.dtype) && lost_[parameter] == 0;
  if (parameter == counter_ || (counts && trusts_counters_)) return {everywhere(), false};
  ir::Replication out = ir::known_replication(parameters_[parameter].replication, numbers_);
  out.dimensions = static_cast<std::uint8_t>(out.dimensions & ~lost_[parameter]);
  return out;
}

void BodyFunctions::give(std::size_t carry, const ir::Type& type) {
  if (!apart_) return meet(type);
  if (type.replication.literal) return;
  lose(carry, replication(carry).dimensions & ~type.replication.dimensions);
}

void BodyFunctions::vary_outside(const ir::Graph& graph) {
  lost_.resize(graph.parameters().size(), 0);
  std::vector<int> varied(graph.value_count(), ~0);  // by all uses so far; ~0: there is none
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    for (const ir::Value operand : graph.operands(id)) {
      const bool varies = graph.node(id).op == ir::Op::vary;
      varied[operand.id] &= varies ? graph.type(operand).replication.dimensions &
                                         ~graph.type(graph.result(id)).replication.dimensions
                                   : 0;
    }
  }
  for (const ir::Value result : graph.results()) varied[result.id] = 0;
  for (std::size_t i = carries_; i < graph.parameters().size(); ++i) {
    const int dimensions = varied[graph.parameters()[i].value.id];
    if (dimensions != ~0 && i != counter_) lose(i, dimensions);
  }
}

ir::Graph BodyFunctions::trace(const Body& body) {
  Trace::Captures captures{
      .all = ir::known_replication(common_, 0),
      .numbers = numbers_,
      .lost = {},
      .device = parameters_.empty() ? context_.default_device() : parameters_[0].device};
  if (apart_) {
    captures.all = std::nullopt;
    captures.lost.assign(lost_.begin() + std::ssize(parameters_), lost_.end());
  }
  Trace trace(context_.trace(), std::move(captures));
  trace.graph().name = body.name;
  std::vector<Tensor> arguments;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    ir::Type type = parameters_[i];
    type.replication = replication(i);
    const std::string name = (i < carries_ ? "c" : "x") + std::to_string(i);
    arguments.emplace_back(trace.handle(trace.add_formal(name, type, where_), where_));
  }
  for (const StatePtr& state : captured_) trace.capture(*state);
  std::vector<Tensor> results;
  {
    const Tracing tracing(context_, trace);
    results = body.call(arguments);
    std::vector<ir::Value> values;
    for (const Tensor& result : results) {
      values.push_back(trace.value_of(*result.state(where_), where_));
    }
    trace.graph().set_results(std::move(values));
  }
  have_checkpoints_ = have_checkpoints_ || !trace.builder().checkpoints().empty();
  captured_ = trace.captured();
  for (const StatePtr& state : captured_) meet(state->type);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (body.is_condition) {
      if (!apart_) meet(results[i].state()->type);
    } else if (i < carries_) {
      give(i, results[i].state()->type);
    } else if (context_.keep_recording > 0 && !apart_) {
      meet(results[i].state()->type);  // its cotangent meets the parameters
    }
  }
  ir::Graph graph = trace.program();
  const bool hides = (numbers_ & ~ir::known_replication(common_, 0).dimensions) != 0;
  const bool asks = trace.is_told_apart() || (trace.is_differentiated() && hides);
  if (!apart_ && !stays_alike_ && asks) {
    asked_ = true;
    set(apart_, true);
    return graph;
  }
  if (apart_ && differentiable_) vary_outside(graph);
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    // The gradient of the loop or branch would have calls where it has none itself.
    if (graph.node(id).op == ir::Op::custom_gradient &&
        ir::communicates(graph.node(id).attributes)) {
      throw UsageError(
          "custom_vjp: a backward function that communicates is not possible in a loop or branch "
          "yet; write the steps out in a C++ for loop",
          graph.node(id).location);
    }
    if (!apart_ && ir::communicates(graph, id)) set(apart_, true);
  }
  return graph;
}

}  // namespace tutti::detail
