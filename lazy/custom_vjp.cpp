#include <tutti/ir/function.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/custom_vjp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

namespace tutti::detail {

namespace {

ir::Type type_inside(const ir::Type& outside, std::uint8_t numbers) {
  ir::Type type = outside;
  type.async = false;
  type.replication = ir::known_replication(outside.replication, numbers);
  return type;
}

struct TracedBackward {
  ir::Graph graph;
  std::vector<StatePtr> captured;
};

// The cotangents of the arguments, as a function of the residuals, the cotangents and what else it
// uses.
TracedBackward trace_backward(const std::vector<Tensor>& residuals,
                              const std::vector<Tensor>& results, CustomScope::Backward backward,
                              Location where) {
  RankContext& context = RankContext::current();
  std::uint8_t numbers = 0;  // the dimensions over which anything is replicated
  for (const std::vector<Tensor>* const list : {&residuals, &results}) {
    for (const Tensor& tensor : *list) {
      const ir::Replication& own = tensor.state()->type.replication;
      if (!own.literal) numbers = static_cast<std::uint8_t>(numbers | own.dimensions);
    }
  }
  Trace trace(context.trace(), {.all = std::nullopt,
                                .numbers = numbers,
                                .lost = {},
                                .device = results[0].state()->type.device});
  trace.graph().name = "backward";
  const auto formals = [&](const std::vector<Tensor>& like, const std::string& name) {
    std::vector<Tensor> out;
    for (const Tensor& tensor : like) {
      const ir::Type type = type_inside(tensor.state()->type, numbers);
      out.emplace_back(
          trace.handle(trace.add_formal(name + std::to_string(out.size()), type, where), where));
    }
    return out;
  };
  const std::vector<Tensor> inner = formals(residuals, "r");
  std::vector<Tensor> floating;
  for (const Tensor& result : results) {
    if (is_floating(result.dtype())) floating.push_back(result);
  }
  const std::vector<Tensor> cotangents = formals(floating, "g");
  {
    const Tracing tracing(context, trace);
    std::vector<ir::Value> values;
    for (const Tensor& given : backward(inner, cotangents)) {
      values.push_back(trace.value_of(*given.state(where), where));
    }
    trace.graph().set_results(std::move(values));
  }
  return {.graph = trace.program(), .captured = trace.captured()};
}

// The backward function gives what the arguments need.
void check_cotangents(const ir::Graph& backward,
                      const std::vector<std::pair<std::string, Tensor>>& arguments,
                      Location where) {
  std::vector<const std::pair<std::string, Tensor>*> wanted;
  for (const auto& argument : arguments) {
    if (is_floating(argument.second.dtype())) wanted.push_back(&argument);
  }
  if (wanted.size() != backward.results().size()) {
    throw TypeError("custom_vjp: backward gives " + std::to_string(backward.results().size()) +
                        " cotangents for arguments with " + std::to_string(wanted.size()) +
                        " floating-point tensors",
                    where);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [name, tensor] = *wanted[i];
    const ir::Type& type = tensor.state()->type;
    const ir::Type& given = backward.type(backward.results()[i]);
    const std::string of = "custom_vjp: backward gives " + given.text() +
                           " as the cotangent of argument " + name + ", which is " + type.text();
    if (given.dtype != type.dtype || given.shape != type.shape) throw TypeError(of, where);
    if (type.replication.literal || given.replication.literal) continue;
    const auto missing =
        static_cast<std::uint8_t>(type.replication.dimensions & ~given.replication.dimensions);
    if (missing == 0) continue;
    const ir::Mesh& mesh = *RankContext::current().trace().graph().mesh;
    throw TypeError(of + "; the argument is the same on the ranks of " +
                        ir::dimension_names(mesh, missing, " and ") +
                        ", and the cotangent may differ there: sum it over them, as "
                        "all_reduce(cotangent, ...) does",
                    where);
  }
}

}  // namespace

bool is_being_differentiated() { return RankContext::current().keep_recording > 0; }

CustomScope::CustomScope()
    : begin_(static_cast<std::uint32_t>(RankContext::current().trace().graph().node_count())) {}

std::vector<Tensor> CustomScope::finish(
    const std::vector<Tensor>& results,
    const std::vector<std::pair<std::string, Tensor>>& arguments,
    const std::vector<Tensor>& residuals, Backward backward, Location where) const {
  if (results.empty()) throw UsageError("custom_vjp: the function gives no tensor", where);
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, where);
  Trace& trace = context.trace();

  // What was there before and is no argument. A result may be such a tensor itself.
  std::unordered_set<std::uint32_t> known;
  for (const auto& [name, tensor] : arguments) {
    known.insert(trace.value_of(*tensor.state(), where).id);
  }
  std::vector<StatePtr> captured;
  const auto note_before = [&](ir::Value value) {
    if (!is_floating(trace.graph().type(value).dtype)) return;
    if (known.insert(value.id).second) captured.push_back(trace.handle(value, where));
  };
  const auto note = [&](ir::Value value) {
    const ir::Graph& graph = trace.graph();
    // What a loop's body captures becomes a parameter of it when it is used first.
    const ir::NodeId producer = graph.producer(value);
    const bool is_own = producer >= begin_ && graph.node(producer).op != ir::Op::parameter;
    if (!is_own) note_before(value);
  };
  const auto end = static_cast<ir::NodeId>(trace.graph().node_count());
  for (ir::NodeId id = begin_; id < end; ++id) {
    // Of what was started before it is what its wait gives.
    const bool waits = trace.graph().node(id).op == ir::Op::wait;
    if (waits && trace.graph().producer(trace.graph().operand(id, 0)) < begin_) {
      note_before(trace.graph().result(id));
      continue;
    }
    const auto span = trace.graph().operands(id);
    for (const ir::Value operand : std::vector<ir::Value>(span.begin(), span.end())) note(operand);
  }
  for (const Tensor& result : results) note(trace.value_of(*result.state(), where));

  TracedBackward traced = trace_backward(residuals, results, backward, where);
  check_cotangents(traced.graph, arguments, where);
  std::vector<StatePtr> operands;
  for (const Tensor& result : results) operands.push_back(result.state());
  for (const auto& [name, tensor] : arguments) operands.push_back(tensor.state());
  for (const Tensor& residual : residuals) operands.push_back(residual.state());
  operands.insert(operands.end(), traced.captured.begin(), traced.captured.end());
  operands.insert(operands.end(), captured.begin(), captured.end());
  std::vector<Tensor> out;
  for (StatePtr& state : context.record(
           ir::Op::custom_gradient, operands,
           {std::make_shared<const ir::Function>(std::move(traced.graph)), std::ssize(results),
            std::ssize(arguments), std::ssize(residuals), std::ssize(captured)},
           where)) {
    out.emplace_back(std::move(state));
  }
  return out;
}

}  // namespace tutti::detail
