#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/passes/bound_control.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace tutti::ir {

namespace {

// What takes the arguments of a body and gives the carries as they are and nothing to stack.
FunctionPtr skipping(const Graph& body, std::size_t carries) {
  Graph out(body.name + "_skipped");
  out.mesh = body.mesh;
  out.default_device = body.default_device;
  std::vector<Value> results;
  for (const Parameter& parameter : body.parameters()) {
    results.push_back(out.add_parameter(parameter.name, body.type(parameter.value)));
  }
  results.resize(carries);
  Builder builder(out);
  for (std::size_t i = carries; i < body.results().size(); ++i) {
    const Type& type = body.type(body.results()[i]);
    const Term zero = {&builder, builder.constant(Array(type.dtype, {}))};
    const Term all = broadcast_to(zero, type.shape);
    results.push_back(builder.adapt(all.value(), type.replication));
  }
  out.set_results(std::move(results));
  return std::make_shared<const Function>(std::move(out));
}

// A body that takes the number of its step behind its sequences, and how many steps there are as
// its last argument, and does nothing in the others: what it would compute there may never end.
FunctionPtr limited(const FunctionPtr& body, std::size_t carries, std::size_t sequences) {
  const Graph& graph = body->graph();
  Graph out(graph.name);
  out.mesh = graph.mesh;
  out.default_device = graph.default_device;
  const Type number = number_inside(graph);
  std::vector<Value> arguments(1);
  Value step;
  for (std::size_t i = 0; i <= graph.parameters().size(); ++i) {
    if (i == carries + sequences) step = out.add_parameter("step", number);
    if (i == graph.parameters().size()) break;
    const Parameter& parameter = graph.parameters()[i];
    arguments.push_back(out.add_parameter(parameter.name, graph.type(parameter.value)));
  }
  const Value steps = out.add_parameter("steps", number);
  Builder builder(out);
  const Value runs = builder.add(Op::lt, {step, steps});
  arguments[0] = builder.add(Op::cast, {runs}, {DType::i32});
  const NodeId node = builder.node(Op::conditional, arguments,
                                   {std::vector<FunctionPtr>{skipping(graph, carries), body}});
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < out.node(node).result_count; ++i) {
    results.push_back(out.result(node, i));
  }
  out.set_results(std::move(results));
  return std::make_shared<const Function>(std::move(out));
}

}  // namespace

void bound_control(SizeBounds& in) {
  std::vector<Value> operands = in.operands();
  std::vector<Attribute> attributes = in.from().node(in.node()).attributes;
  std::vector<FunctionPtr> functions;
  for (const Attribute& attribute : attributes) {
    for (const FunctionPtr& function : functions_of(attribute)) functions.push_back(function);
  }
  for (const Value value : in.bound_functions(functions)) operands.push_back(value);
  auto next = functions.begin();
  for (Attribute& attribute : attributes) {
    if (auto* const one = std::get_if<FunctionPtr>(&attribute)) *one = *next++;
    if (auto* const list = std::get_if<std::vector<FunctionPtr>>(&attribute)) {
      for (FunctionPtr& function : *list) function = *next++;
    }
  }
  if (in.op() != Op::scan || in.attribute("length").is_constant()) {
    return in.copy(operands, std::move(attributes));
  }
  const auto carries = static_cast<std::size_t>(in.attributes().integer("carries"));
  const auto sequences = static_cast<std::size_t>(in.attributes().integer("sequences"));
  const std::int64_t length = in.attributes().integer("length");
  const Value step = in.builder().add(Op::iota, std::span<const Value>(),
                                      {DType::i64, std::vector{length}, std::int64_t{0}});
  operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(carries + sequences), step);
  operands.push_back(in.size(in.attribute("length")).value());
  in.copy(operands, {limited(functions[0], carries, sequences), static_cast<std::int64_t>(carries),
                     static_cast<std::int64_t>(sequences + 1), length,
                     in.attributes().flag("reverse"), in.attributes().flag("recompute")});
}

}  // namespace tutti::ir
