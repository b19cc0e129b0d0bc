#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/linear_map.h>

namespace tutti::detail {

namespace {

std::vector<ir::Value> values_of(Trace& trace, const std::vector<Tensor>& tensors, Location where) {
  std::vector<ir::Value> out;
  for (const Tensor& tensor : tensors) out.push_back(trace.value_of(*tensor.state(where), where));
  return out;
}

}  // namespace

struct LinearMap::Function {
  // What the function captured: a tensor, or a number, which adapts where it is used.
  struct Capture {
    StatePtr state;
    ir::ArrayPtr number;
    bool at_run_time = false;
  };

  ir::Graph graph;
  std::size_t own = 0;  // parameters before the captured ones
  std::vector<Capture> captures;

  Function(Trace& trace, ir::Linear linear, Location where) : graph(std::move(linear.graph)) {
    own = graph.parameters().size() - linear.captured.size();
    for (const ir::Value value : linear.captured) {
      const ir::Graph& program = trace.graph();
      Capture& capture = captures.emplace_back();
      const ir::NodeId producer = program.producer(value);
      if (program.op(value) == ir::Op::constant && program.type(value).shape.rank() == 0) {
        capture.number = std::get<ir::ArrayPtr>(program.node(producer).attributes[0]);
        capture.at_run_time = trace.is_runtime_scalar(value);
      } else {
        capture.state = trace.input_of(value);
        if (!capture.state) capture.state = trace.handle(value, where);
      }
    }
  }

  using Derive = ir::Linear (*)(const ir::Builder&, std::span<const ir::Value>,
                                std::span<const ir::Value>);
  static std::shared_ptr<const Function> derive(Derive derive, const std::vector<Tensor>& outputs,
                                                const std::vector<Tensor>& wrt, Location where);

  ir::Value value_of(const Capture& capture, Trace& trace, Location where) const {
    if (capture.state) return trace.value_of(*capture.state, where);
    return capture.at_run_time ? trace.runtime_scalar(*capture.number)
                               : trace.builder().constant(*capture.number);
  }
};

std::shared_ptr<const LinearMap::Function> LinearMap::Function::derive(
    Derive derive, const std::vector<Tensor>& outputs, const std::vector<Tensor>& wrt,
    Location where) {
  for (const Tensor& tensor : wrt) {
    if (is_floating(tensor.dtype())) continue;
    throw TypeError("no derivative with respect to " + tensor.state()->type.text() +
                        ": it is not floating-point",
                    where);
  }
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, where);
  Trace& trace = context.trace();
  trace.differentiate();
  const std::vector<ir::Value> starts = values_of(trace, wrt, where);
  const std::vector<ir::Value> ends = values_of(trace, outputs, where);
  trace.builder().at(where);
  return std::make_shared<const Function>(trace, derive(trace.builder(), ends, starts), where);
}

LinearMap LinearMap::pullback(const std::vector<Tensor>& outputs, const std::vector<Tensor>& wrt,
                              Location where) {
  return LinearMap(Function::derive(ir::pullback, outputs, wrt, where));
}

LinearMap LinearMap::pushforward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& wrt,
                                 Location where) {
  return LinearMap(Function::derive(ir::pushforward, outputs, wrt, where));
}

std::vector<Tensor> LinearMap::operator()(const std::vector<Tensor>& operands,
                                          Location where) const {
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, where);
  Trace& trace = context.trace();
  if (operands.size() != function_->own) {
    throw TypeError("a derivative of " + ir::counted(function_->own, "floating-point tensor") +
                        " is given " + std::to_string(operands.size()) +
                        "; cotangents have the dtypes of the value's tensors, tangents those of "
                        "the argument's",
                    where);
  }
  trace.builder().at(where);
  std::vector<ir::Value> arguments = values_of(trace, operands, where);
  for (const Function::Capture& capture : function_->captures) {
    arguments.push_back(function_->value_of(capture, trace, where));
  }
  std::vector<Tensor> out;
  for (const ir::Value value : ir::inline_into(trace.builder(), function_->graph, arguments)) {
    out.emplace_back(trace.handle(value, where));
  }
  context.notice_collectives();
  return out;
}

}  // namespace tutti::detail
