#include <tutti/ir/builder.h>
#include <tutti/ir/interpret.h>
#include <tutti/ir/interpretation.h>
#include <tutti/ir/print.h>
#include <tutti/ir/term.h>

#include <algorithm>

namespace tutti::ir {

namespace {

Array evaluate_elementwise(const Definition& entry, Interpretation& in) {
  const ScalarExpression& meaning = *entry.meaning;
  const Type& type = in.result_type();
  Array out(type.dtype, type.shape);
  // The compute dtype: that of the last operand (select's first is bool).
  const DType dtype = compute_dtype(in.operand(in.count() - 1).dtype());
  std::vector<DType> dtypes;  // of each scalar node
  for (const ScalarNode& node : meaning.nodes) {
    const bool truth =
        is_comparison(node.op) ||
        (node.op == ScalarOp::argument && in.operand(node.operands[0]).dtype() == DType::boolean) ||
        ((node.op == ScalarOp::bit_and || node.op == ScalarOp::bit_or ||
          node.op == ScalarOp::bit_not) &&
         dtypes[static_cast<std::size_t>(node.operands[0])] == DType::boolean);
    dtypes.push_back(truth ? DType::boolean : dtype);
  }
  std::vector<Cell> cells(meaning.nodes.size());
  const auto argument = [&](int i, std::span<const std::int64_t> index) {
    const Array& x = in.operand(i);
    const auto strides = x.shape().strides();
    const int skip = type.shape.rank() - x.shape().rank();
    std::int64_t at = 0;
    for (int d = 0; d < x.shape().rank(); ++d) {
      if (x.shape()[d] != 1) {
        at += index[static_cast<std::size_t>(d + skip)] * strides[static_cast<std::size_t>(d)];
      }
    }
    return load_cell(x.dtype(), x.bytes().data() + at * size_of(x.dtype()));
  };
  std::int64_t to = 0;
  for_each_index(type.shape, [&](std::span<const std::int64_t> index) {
    for (std::size_t n = 0; n < meaning.nodes.size(); ++n) {
      const ScalarNode& node = meaning.nodes[n];
      if (node.op == ScalarOp::argument) {
        cells[n] = argument(node.operands[0], index);
      } else if (node.op == ScalarOp::constant) {
        cells[n] = cell_of(dtype, node.constant);
      } else {
        const auto at = [&](std::size_t i) {
          return cells[static_cast<std::size_t>(node.operands[i])];
        };
        const std::size_t typed = node.op == ScalarOp::select ? 1 : 0;
        DType from = dtypes[static_cast<std::size_t>(node.operands[typed])];
        // bitcast looks at the stored bits, so at the stored dtype.
        if (node.op == ScalarOp::bitcast) from = in.operand(0).dtype();
        cells[n] = evaluate(node.op, from, {at(0), at(1), at(2)}, type.dtype);
      }
    }
    store_cell(type.dtype, cells.back(), out.bytes().data() + to++ * size_of(type.dtype));
  });
  return out;
}

// One function's run over all ranks in lockstep.
class Run {
 public:
  Run(const Graph& graph, std::size_t ranks)
      : graph_(graph), values_(ranks, std::vector<ArrayPtr>(graph.value_count())) {}

  void set_parameters(std::span<const std::vector<Array>> inputs) {
    for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
      if (inputs[rank].size() != graph_.parameters().size()) {
        throw TypeError("@" + graph_.name + " takes " + std::to_string(graph_.parameters().size()) +
                        " arguments, not " + std::to_string(inputs[rank].size()));
      }
      for (std::size_t i = 0; i < inputs[rank].size(); ++i) {
        const Parameter& parameter = graph_.parameters()[i];
        const Array& input = inputs[rank][i];
        const Type given{.dtype = input.dtype(), .shape = input.shape()};
        const Type& wanted = graph_.type(parameter.value);
        if (given.dtype != wanted.dtype || given.shape != wanted.shape) {
          throw TypeError("argument %" + parameter.name + " of @" + graph_.name + " is " +
                          given.text() + ", not " + wanted.text());
        }
        values_[rank][parameter.value.id] = std::make_shared<const Array>(input);
      }
    }
  }

  void run() {
    std::vector<std::uint32_t> uses = count_uses(graph_);
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (graph_.node(id).op == Op::parameter) continue;
      if (definition(graph_.node(id).op).kind == OpClass::collective) {
        collective(id);
      } else {
        for (std::size_t rank = 0; rank < values_.size(); ++rank) local(id, rank);
      }
      for (const Value operand : graph_.operands(id)) {
        if (--uses[operand.id] > 0) continue;
        for (auto& values : values_) values[operand.id] = nullptr;
      }
    }
  }

  std::vector<std::vector<Array>> results() const {
    std::vector<std::vector<Array>> out(values_.size());
    for (std::size_t rank = 0; rank < values_.size(); ++rank) {
      for (const Value value : graph_.results()) out[rank].push_back(array(value, rank));
    }
    return out;
  }

 private:
  std::vector<const Array*> operands(NodeId id, std::size_t rank) const {
    std::vector<const Array*> out;
    for (const Value operand : graph_.operands(id)) out.push_back(&array(operand, rank));
    return out;
  }

  const Array& array(Value value, std::size_t rank) const {
    if (values_[rank][value.id] != nullptr) return *values_[rank][value.id];
    throw TypeError("rank " + std::to_string(rank) + " is in no group of the collective behind " +
                        print(graph_, value) + ", so it has no result to use",
                    graph_.node(graph_.producer(value)).location);
  }

  void set_results(NodeId id, std::size_t rank, std::vector<Array>& results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      values_[rank][graph_.result(id, i).id] = std::make_shared<const Array>(std::move(results[i]));
    }
  }

  void local(NodeId id, std::size_t rank) {
    const Definition& entry = definition(graph_.node(id).op);
    const std::vector<const Array*> arguments = operands(id, rank);
    Interpretation in(graph_, id, arguments, static_cast<std::int64_t>(rank));
    if (entry.decompose != nullptr) {
      std::vector<Array> results = interpret_composite(id, arguments);
      set_results(id, rank, results);
      return;
    }
    if (entry.meaning) {
      in.result(evaluate_elementwise(entry, in));
    } else {
      entry.interpret(in);
    }
    set_results(id, rank, in.results());
  }

  std::vector<Array> interpret_composite(NodeId id, std::span<const Array* const> arguments) {
    Graph parts(std::string(definition(graph_.node(id).op).name));
    Builder builder(parts);
    std::vector<Value> operands;
    std::vector<Array> inputs;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      operands.push_back(
          parts.add_parameter("x" + std::to_string(i),
                              {.dtype = arguments[i]->dtype(), .shape = arguments[i]->shape()}));
      inputs.push_back(*arguments[i]);
    }
    Decomposition decomposition(&builder, graph_.node(id).op, operands, graph_.node(id).attributes);
    definition(graph_.node(id).op).decompose(decomposition);
    parts.set_results(decomposition.results());
    return interpret(parts, inputs);
  }

  void collective(NodeId id) {
    const Group& group = *graph_.attributes(id).group("group");
    for (const std::int64_t rank : group.ranks) {
      if (rank >= static_cast<std::int64_t>(values_.size())) {
        throw TypeError("group \"" + group.tag + "\" names rank " + std::to_string(rank) + " of " +
                            std::to_string(values_.size()) + " ranks",
                        graph_.node(id).location);
      }
    }
    for (std::size_t first = 0; first < group.ranks.size();
         first += static_cast<std::size_t>(group.stride)) {
      std::vector<std::vector<const Array*>> members;
      for (std::int64_t i = 0; i < group.stride; ++i) {
        members.push_back(operands(
            id, static_cast<std::size_t>(group.ranks[first + static_cast<std::size_t>(i)])));
      }
      CollectiveInterpretation in(graph_, id, members);
      definition(graph_.node(id).op).interpret_collective(in);
      for (std::size_t i = 0; i < in.results.size(); ++i) {
        set_results(id, static_cast<std::size_t>(group.ranks[first + i]), in.results[i]);
      }
    }
  }

  const Graph& graph_;
  std::vector<std::vector<ArrayPtr>> values_;  // [rank][value]
};

}  // namespace

std::vector<std::vector<Array>> interpret(const Graph& graph,
                                          std::span<const std::vector<Array>> inputs) {
  if (graph.mesh != nullptr && std::ssize(inputs) != graph.mesh->ranks()) {
    throw TypeError("@" + graph.name + " runs on the " + std::to_string(graph.mesh->ranks()) +
                    " ranks of its mesh, not on " + std::to_string(inputs.size()));
  }
  Run run(graph, inputs.size());
  run.set_parameters(inputs);
  run.run();
  return run.results();
}

std::vector<Array> interpret(const Graph& graph, const std::vector<Array>& inputs) {
  return interpret(graph, std::span(&inputs, 1))[0];
}

}  // namespace tutti::ir
