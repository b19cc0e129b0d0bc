#include <tutti/ir/builder.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/interpret.h>
#include <tutti/ir/interpret_elementwise.h>
#include <tutti/ir/print.h>
#include <tutti/ir/rendezvous.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/term.h>
#include <tutti/ir/test_hook.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace tutti::ir {

namespace {

std::vector<Array> interpret_composite(const Graph& graph, NodeId id,
                                       std::span<const Array* const> arguments) {
  Graph parts(std::string(definition(graph.node(id).op).name));
  Builder builder(parts);
  std::vector<Value> operands;
  std::vector<Array> inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    operands.push_back(parts.add_parameter(
        "x" + std::to_string(i), {.dtype = arguments[i]->dtype(), .shape = arguments[i]->shape()}));
    inputs.push_back(*arguments[i]);
  }
  Decomposition decomposition(&builder, graph.node(id).op, operands, graph.node(id).attributes);
  definition(graph.node(id).op).decompose(decomposition);
  parts.set_results(decomposition.results());
  return interpret(parts, inputs);
}

// A local node's results on one rank.
std::vector<Array> interpret_local(const Graph& graph, NodeId id,
                                   std::span<const Array* const> operands, std::int64_t rank) {
  const Definition& entry = definition(graph.node(id).op);
  if (entry.decompose != nullptr) return interpret_composite(graph, id, operands);
  Interpretation in(graph, id, operands, rank);
  if (entry.meaning) {
    in.result(interpret_elementwise(entry, in));
  } else {
    entry.interpret(in);
  }
  return std::move(in.results());
}

// One rank's place in its program.
struct Rank {
  const Graph* graph;
  std::vector<ArrayPtr> values;
  std::vector<bool> pending;  // results of collectives that are not complete
  std::vector<std::uint32_t> uses;
  NodeId next = 0;
};

// Runs every rank's program as far as it goes without data that a peer has not given, over and
// over.
class Run {
 public:
  Run(std::span<const Graph* const> programs, std::span<const std::vector<Array>> inputs) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      const Graph& graph = *programs[rank];
      if (rank == 0 || programs[rank - 1] != &graph) call_test_hook(graph);
      check_mesh(graph, programs.size());
      ranks_.push_back({.graph = &graph,
                        .values = std::vector<ArrayPtr>(graph.value_count()),
                        .pending = std::vector<bool>(graph.value_count()),
                        .uses = count_uses(graph)});
      set_parameters(ranks_.back(), inputs[rank]);
    }
  }

  std::vector<std::vector<Array>> run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) moved = advance(rank) || moved;
    }
    rendezvous_.check_done([this](std::int64_t rank) { return whereabouts(rank); });
    std::vector<std::vector<Array>> out(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const Value value : ranks_[rank].graph->results()) {
        out[rank].push_back(*array(value, rank));
      }
    }
    return out;
  }

 private:
  static void check_mesh(const Graph& graph, std::size_t ranks) {
    if (graph.mesh == nullptr || std::cmp_equal(ranks, graph.mesh->ranks())) return;
    throw TypeError("@" + graph.name + " runs on the " + std::to_string(graph.mesh->ranks()) +
                    " ranks of its mesh, not on " + std::to_string(ranks));
  }

  static void set_parameters(Rank& rank, const std::vector<Array>& inputs) {
    const Graph& graph = *rank.graph;
    if (inputs.size() != graph.parameters().size()) {
      throw TypeError("@" + graph.name + " takes " + std::to_string(graph.parameters().size()) +
                      " arguments, not " + std::to_string(inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Parameter& parameter = graph.parameters()[i];
      const Type given{.dtype = inputs[i].dtype(), .shape = inputs[i].shape()};
      const Type& wanted = graph.type(parameter.value);
      if (given.dtype != wanted.dtype || given.shape != wanted.shape) {
        throw TypeError("argument %" + parameter.name + " of @" + graph.name + " is " +
                        given.text() + ", not " + wanted.text());
      }
      rank.values[parameter.value.id] = std::make_shared<const Array>(inputs[i]);
    }
  }

  // Runs a rank's nodes until one needs what is pending; says whether it ran any.
  bool advance(std::size_t number) {
    Rank& rank = ranks_[number];
    const Graph& graph = *rank.graph;
    const NodeId before = rank.next;
    for (; rank.next < graph.node_count(); ++rank.next) {
      const NodeId id = rank.next;
      if (graph.node(id).op == Op::parameter) continue;
      const auto operands = graph.operands(id);
      if (std::ranges::any_of(operands, [&](Value v) { return rank.pending[v.id]; })) break;
      if (definition(graph.node(id).op).kind == OpClass::collective) {
        collective(id, number);
      } else {
        local(id, number);
      }
      for (const Value operand : operands) {
        if (--rank.uses[operand.id] == 0) rank.values[operand.id] = nullptr;
      }
    }
    return rank.next != before;
  }

  // Where a rank is that a collective waits for in vain.
  std::string whereabouts(std::int64_t number) const {
    const Rank& rank = ranks_[static_cast<std::size_t>(number)];
    if (rank.next == rank.graph->node_count()) return "never comes to it";
    const Location where = rank.graph->node(rank.next).location;
    return "stands at " + print(*rank.graph, rank.next) +
           (where.known() ? " (" + where.text() + ")" : "");
  }

  std::vector<ArrayPtr> operands(NodeId id, std::size_t rank) const {
    std::vector<ArrayPtr> out;
    for (const Value operand : ranks_[rank].graph->operands(id)) {
      out.push_back(array(operand, rank));
    }
    return out;
  }

  const ArrayPtr& array(Value value, std::size_t rank) const {
    const ArrayPtr& found = ranks_[rank].values[value.id];
    if (found != nullptr) return found;
    const Graph& graph = *ranks_[rank].graph;
    throw TypeError("rank " + std::to_string(rank) + " is in no group of the collective behind " +
                        print(graph, value) + ", so it has no result to use",
                    graph.node(graph.producer(value)).location);
  }

  void local(NodeId id, std::size_t number) {
    const Graph& graph = *ranks_[number].graph;
    const std::vector<ArrayPtr> held = operands(id, number);
    std::vector<const Array*> arguments;
    for (const ArrayPtr& operand : held) arguments.push_back(operand.get());
    std::vector<Array> results =
        interpret_local(graph, id, arguments, static_cast<std::int64_t>(number));
    for (std::size_t i = 0; i < results.size(); ++i) {
      ranks_[number].values[graph.result(id, i).id] =
          std::make_shared<const Array>(std::move(results[i]));
    }
  }

  // A rank comes to a collective: its part is announced, and it goes on.
  void collective(NodeId id, std::size_t number) {
    const Graph& graph = *ranks_[number].graph;
    const Node& node = graph.node(id);
    const auto rank = static_cast<std::int64_t>(number);
    const Attributes attributes = graph.attributes(id);
    const Group& group = *attributes.group("group");
    check_ranks(group, node.location);
    const std::vector<std::int64_t> members = group.members_with(rank);
    if (members.empty()) return;
    std::vector<Type> types;
    for (const Value operand : graph.operands(id)) types.push_back(graph.type(operand));
    check_on_rank(node.op, types, attributes, rank, node.location);
    MemberCall call{.graph = &graph, .node = id, .rank = rank, .operands = operands(id, number)};
    for (std::size_t i = 0; i < node.result_count; ++i) call.results.push_back(graph.result(id, i));
    if (!is_point_to_point(node.op)) {
      const auto position = static_cast<std::size_t>(group.position_of(rank));
      return arrive(group.tag, members, position, std::move(call));
    }
    for (const Message& message : messages(node.op, attributes, rank)) {
      MemberCall part{.graph = &graph, .node = id, .rank = rank, .operands = {}, .results = {}};
      if (message.sent) part.operands = {call.operands[message.index]};
      if (!message.sent) part.results = {call.results[message.index]};
      arrive(message.pair->tag, message.pair->ranks, message.sent ? 0 : 1, std::move(part));
    }
  }

  void check_ranks(const Group& group, Location where) const {
    for (const std::int64_t rank : group.ranks) {
      if (std::cmp_less(rank, ranks_.size())) continue;
      throw TypeError("group \"" + group.tag + "\" names rank " + std::to_string(rank) + " of " +
                          std::to_string(ranks_.size()) + " ranks",
                      where);
    }
  }

  // Announces one member's call, and carries the collective out if it was the last.
  void arrive(const std::string& tag, const std::vector<std::int64_t>& members,
              std::size_t position, MemberCall call) {
    for (const Value result : call.results) {
      ranks_[static_cast<std::size_t>(call.rank)].pending[result.id] = true;
    }
    const std::vector<MemberCall> calls =
        rendezvous_.arrive(tag, members, position, std::move(call));
    if (calls.empty()) return;
    CollectiveInterpretation in(calls);
    definition(calls[0].graph->node(calls[0].node).op).interpret_collective(in);
    for (std::size_t member = 0; member < calls.size(); ++member) {
      Rank& rank = ranks_[static_cast<std::size_t>(calls[member].rank)];
      for (std::size_t i = 0; i < calls[member].results.size(); ++i) {
        const Value result = calls[member].results[i];
        rank.values[result.id] = std::make_shared<const Array>(std::move(in.results[member][i]));
        rank.pending[result.id] = false;
      }
    }
  }

  std::vector<Rank> ranks_;
  Rendezvous rendezvous_;
};

}  // namespace

std::vector<std::vector<Array>> interpret(std::span<const Graph* const> programs,
                                          std::span<const std::vector<Array>> inputs) {
  if (programs.size() != inputs.size()) {
    throw TypeError(std::to_string(programs.size()) + " programs, but inputs for " +
                    std::to_string(inputs.size()) + " ranks");
  }
  // Where sizes vary, the arguments say which instance it is.
  std::deque<Graph> instances;
  std::vector<const Graph*> fixed;
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    fixed.push_back(programs[rank]);
    if (programs[rank]->sizes == nullptr) continue;
    std::vector<Shape> shapes;
    for (const Array& input : inputs[rank]) shapes.push_back(input.shape());
    instances.push_back(instance(*programs[rank], solve_sizes(*programs[rank], shapes)));
    fixed.back() = &instances.back();
  }
  return Run(fixed, inputs).run();
}

std::vector<std::vector<Array>> interpret(const Graph& graph,
                                          std::span<const std::vector<Array>> inputs) {
  return interpret(std::vector<const Graph*>(inputs.size(), &graph), inputs);
}

std::vector<ArrayPtr> interpret_function(const Graph& function, std::span<const ArrayPtr> inputs,
                                         std::int64_t rank) {
  std::vector<ArrayPtr> values(function.value_count());
  std::vector<std::uint32_t> uses = count_uses(function);
  std::vector<const Array*> operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[function.parameters()[i].value.id] = inputs[i];
  }
  for (NodeId id = 0; id < function.node_count(); ++id) {
    if (function.node(id).op == Op::parameter) continue;
    operands.clear();
    for (const Value operand : function.operands(id)) operands.push_back(values[operand.id].get());
    std::vector<Array> results = interpret_local(function, id, operands, rank);
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[function.result(id, i).id] = std::make_shared<const Array>(std::move(results[i]));
    }
    for (const Value operand : function.operands(id)) {
      if (--uses[operand.id] == 0) values[operand.id] = nullptr;
    }
  }
  std::vector<ArrayPtr> out;
  for (const Value result : function.results()) out.push_back(values[result.id]);
  return out;
}

std::vector<Array> interpret(const Graph& graph, const std::vector<Array>& inputs) {
  return interpret(graph, std::span(&inputs, 1))[0];
}

}  // namespace tutti::ir
