#include <tutti/ir/gradient.h>
#include <tutti/ir/linearize.h>
#include <tutti/ir/ops/control.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>

// Gradients of loops and branches. They are loops and branches themselves: nothing is unrolled, so
// that neither the program nor the time to compile it grows with the number of steps.
namespace tutti::ir::family::control {

namespace {

using Values = std::vector<Value>;

// A function under construction whose parameters lie where those of another do.
class Draft {
 public:
  Draft(const Graph& like, const std::string& name) : graph_(name), builder_(graph_) {
    graph_.mesh = like.mesh;
    graph_.default_device = like.default_device;
    if (!like.parameters().empty()) place_ = like.type(like.parameters()[0].value);
  }

  Builder& builder() { return builder_; }
  Value parameter(const std::string& name, const Type& like) {
    return graph_.add_parameter(name, {.dtype = like.dtype,
                                       .shape = like.shape,
                                       .replication = place_.replication,
                                       .device = place_.device});
  }
  Graph finish(Values results) {
    graph_.set_results(std::move(results));
    dce(graph_);
    return std::move(graph_);
  }

 private:
  Graph graph_;
  Builder builder_;
  Type place_;
};

bool floats(const Graph& graph, Value value) { return is_floating(graph.type(value).dtype); }

// The cotangents of `wrt` from those of a function's results, appended to the function's copy; an
// invalid one stands for zeros.
Values pull_back(Draft& draft, const Values& results, const Values& cotangents, const Values& wrt) {
  if (wrt.empty()) return {};
  return vjp(draft.builder(), results, cotangents, wrt);
}

// Appends the scan, without the sequences and invariants that its body never looks at.
NodeId append_scan(Builder& builder, const Graph& body, const Values& operands,
                   std::int64_t carries, std::int64_t sequences, std::int64_t length,
                   bool reverse) {
  const std::vector<std::uint32_t> uses = count_uses(body);
  std::vector<bool> keep;
  Values kept;
  std::int64_t kept_sequences = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_carry = std::cmp_less(i, carries);
    const bool is_sequence = !is_carry && std::cmp_less(i, carries + sequences);
    keep.push_back(is_carry || uses[body.parameters()[i].value.id] != 0);
    if (!keep.back()) continue;
    kept.push_back(operands[i]);
    kept_sequences += is_sequence ? 1 : 0;
  }
  auto function = std::make_shared<const Function>(with_parameters(body, keep));
  return builder.node(Op::scan, kept,
                      {FunctionPtr(std::move(function)), carries, kept_sequences, length, reverse});
}

}  // namespace

// The carries of every step are computed again and stacked; then a loop in the opposite direction
// takes each step's vector-Jacobian product there. What the invariants get adds up over the steps.
void gradient_scan(Gradient& gradient) {
  Builder& builder = *gradient.builder();
  const FunctionPtr function = std::get<FunctionPtr>(gradient.attributes.values()[0]);
  const Graph& body = function->graph();
  const std::int64_t length = gradient.attributes.integer("length");
  const bool reverse = gradient.attributes.flag("reverse");
  const auto carries = static_cast<std::size_t>(gradient.attributes.integer("carries"));
  const auto sequences = static_cast<std::size_t>(gradient.attributes.integer("sequences"));
  Values operands;
  for (int i = 0; i < gradient.count(); ++i) operands.push_back(gradient.value(i));
  const auto type_of = [&](std::size_t parameter) -> const Type& {
    return body.type(body.parameters()[parameter].value);
  };
  const auto name_of_parameter = [&](std::size_t i) { return body.parameters()[i].name; };
  const auto wanted = [&](std::size_t i) {
    return gradient.wants(static_cast<int>(i)) && is_floating(type_of(i).dtype);
  };

  // 1. The carries as they were before each step.
  Draft again(body, body.name + "_carries");
  Values arguments;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    arguments.push_back(again.parameter(name_of_parameter(i), type_of(i)));
  }
  Values next = inline_into(again.builder(), body, arguments);
  next.resize(carries);
  next.insert(next.end(), arguments.begin(),
              arguments.begin() + static_cast<std::ptrdiff_t>(carries));
  const NodeId stacked =
      append_scan(builder, again.finish(next), operands, gradient.attributes.integer("carries"),
                  gradient.attributes.integer("sequences"), length, reverse);

  // 2. Backwards. Carries: cotangents of the carries, sums for the invariants. Sequences: the
  //    carries, what was taken, cotangents of what was stacked. Invariants as before.
  Draft backward(body, body.name + "_gradient");
  Values inputs;
  Values cotangents(body.results().size());
  Values sums;
  for (std::size_t i = 0; i < carries; ++i) {
    if (!is_floating(type_of(i).dtype)) continue;
    cotangents[i] = backward.parameter("d_" + name_of_parameter(i), type_of(i));
    const Term given = gradient.cotangent(static_cast<int>(i));
    const Term zeros = gradient.result(static_cast<int>(i)).apply(Op::zeros_like);
    inputs.push_back((given.valid() ? given : zeros).value());
  }
  for (std::size_t i = carries + sequences; i < operands.size(); ++i) {
    if (!wanted(i)) continue;
    sums.push_back(backward.parameter("d_" + name_of_parameter(i), type_of(i)));
    inputs.push_back(builder.add(Op::zeros_like, {operands[i]}));
  }
  const auto backward_carries = static_cast<std::int64_t>(inputs.size());
  arguments.clear();
  for (std::size_t i = 0; i < carries + sequences; ++i) {
    arguments.push_back(backward.parameter(name_of_parameter(i), type_of(i)));
    inputs.push_back(i < carries ? builder.graph().result(stacked, carries + i) : operands[i]);
  }
  for (std::size_t i = carries; i < cotangents.size(); ++i) {
    const Term given = gradient.cotangent(static_cast<int>(i));
    if (!given.valid() || !floats(body, body.results()[i])) continue;
    cotangents[i] = backward.parameter("d_" + std::to_string(i), body.type(body.results()[i]));
    inputs.push_back(given.value());
  }
  const auto backward_sequences = static_cast<std::int64_t>(inputs.size()) - backward_carries;
  for (std::size_t i = carries + sequences; i < operands.size(); ++i) {
    arguments.push_back(backward.parameter(name_of_parameter(i), type_of(i)));
    inputs.push_back(operands[i]);
  }
  const Values results = inline_into(backward.builder(), body, arguments);
  Values wrt;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i < carries ? is_floating(type_of(i).dtype) : wanted(i)) wrt.push_back(arguments[i]);
  }
  const Values pulled = pull_back(backward, results, cotangents, wrt);
  Values carried;
  Values of_sequences;
  std::size_t at = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i < carries ? !is_floating(type_of(i).dtype) : !wanted(i)) continue;
    const Value own = pulled[at++];
    if (i < carries) {
      carried.push_back(own);
    } else if (i < carries + sequences) {
      of_sequences.push_back(own);
    } else {
      const Value sum =
          sums[carried.size() - (static_cast<std::size_t>(backward_carries) - sums.size())];
      carried.push_back(backward.builder().add(Op::add, {sum, own}));
    }
  }
  Values outputs = carried;
  outputs.insert(outputs.end(), of_sequences.begin(), of_sequences.end());
  const NodeId loop = append_scan(builder, backward.finish(outputs), inputs, backward_carries,
                                  backward_sequences, length, !reverse);

  // 3. Each operand's own.
  std::size_t of_carries = 0;
  std::size_t of_stacked = carried.size();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i < carries ? !is_floating(type_of(i).dtype) : !wanted(i)) continue;
    const bool is_sequence = i >= carries && i < carries + sequences;
    const std::size_t result = is_sequence ? of_stacked++ : of_carries++;
    gradient.operand_cotangent(static_cast<int>(i),
                               Term(&builder, builder.graph().result(loop, result)));
  }
}

// A branch of each branch's vector-Jacobian product.
void gradient_conditional(Gradient& gradient) {
  Builder& builder = *gradient.builder();
  const auto branches = std::get<std::vector<FunctionPtr>>(gradient.attributes.values()[0]);
  const Graph& first = branches[0]->graph();
  Values operands;
  for (int i = 0; i < gradient.count(); ++i) operands.push_back(gradient.value(i));
  std::vector<std::size_t> given;  // results with cotangents
  for (std::size_t i = 0; i < first.results().size(); ++i) {
    if (!gradient.cotangent(static_cast<int>(i)).valid()) continue;
    given.push_back(i);
    operands.push_back(gradient.cotangent(static_cast<int>(i)).value());
  }
  std::vector<FunctionPtr> functions;
  for (const FunctionPtr& branch : branches) {
    const Graph& graph = branch->graph();
    Draft draft(graph, graph.name + "_gradient");
    Values arguments;
    Values wrt;
    for (const Parameter& parameter : graph.parameters()) {
      arguments.push_back(draft.parameter(parameter.name, graph.type(parameter.value)));
      if (gradient.wants(static_cast<int>(arguments.size()))) wrt.push_back(arguments.back());
    }
    Values cotangents(graph.results().size());
    for (const std::size_t i : given) {
      cotangents[i] = draft.parameter("d_" + std::to_string(i), graph.type(graph.results()[i]));
    }
    const Values results = inline_into(draft.builder(), graph, arguments);
    functions.push_back(
        std::make_shared<const Function>(draft.finish(pull_back(draft, results, cotangents, wrt))));
  }
  const NodeId node = builder.node(Op::conditional, operands, {std::move(functions)});
  std::size_t result = 0;
  for (int i = 1; i < gradient.count(); ++i) {
    if (!gradient.wants(i)) continue;
    gradient.operand_cotangent(i, Term(&builder, builder.graph().result(node, result++)));
  }
}

}  // namespace tutti::ir::family::control
