#include <tutti/ir/builder.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/control.h>
#include <tutti/ir/interpret/control_steps.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/interpret/interpret_elementwise.h>
#include <tutti/ir/interpret/rendezvous.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/term.h>
#include <tutti/ir/test_hook.h>
#include <tutti/ir/text/print.h>

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

// A rank's place in its program, or in a function that one of its nodes runs.
struct Frame {
  explicit Frame(const Graph& of)
      : graph(&of), values(of.value_count()), pending(of.value_count()), uses(count_uses(of)) {}

  const Graph* graph;
  std::vector<ArrayPtr> values;
  std::vector<bool> pending;  // results of collectives that are not complete
  std::vector<std::uint32_t> uses;
  NodeId next = 0;
  std::unique_ptr<ControlSteps> control = nullptr;  // the node `next`, where it communicates
};

// The program first; each next one runs for a node of the one before.
struct Rank {
  std::vector<std::shared_ptr<Frame>> frames;
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
      ranks_.push_back({{std::make_shared<Frame>(graph)}});
      set_parameters(*ranks_.back().frames[0], inputs[rank]);
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
      const Frame& program = *ranks_[rank].frames[0];
      for (const Value value : program.graph->results()) {
        out[rank].push_back(*array(program, value, rank));
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

  static void set_parameters(Frame& frame, const std::vector<Array>& inputs) {
    const Graph& graph = *frame.graph;
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
      frame.values[parameter.value.id] = std::make_shared<const Array>(inputs[i]);
    }
  }

  // Runs a rank as far as it goes without what is pending; says whether it did anything.
  bool advance(std::size_t number) {
    std::vector<std::shared_ptr<Frame>>& frames = ranks_[number].frames;
    bool moved = false;
    while (true) {
      const std::shared_ptr<Frame> frame = frames.back();
      moved = run_nodes(frame, number) || moved;
      if (frames.back() != frame) continue;  // it entered a function
      if (frame->next != frame->graph->node_count() || frames.size() == 1) return moved;
      std::vector<ArrayPtr> results;
      for (const Value value : frame->graph->results()) {
        results.push_back(array(*frame, value, number));
      }
      frames.pop_back();
      frames.back()->control->take(results);
      go_on(*frames.back(), number);
    }
  }

  // Until one needs what is pending, or runs a function that communicates.
  bool run_nodes(const std::shared_ptr<Frame>& frame, std::size_t number) {
    const Graph& graph = *frame->graph;
    const NodeId before = frame->next;
    while (frame->next < graph.node_count()) {
      const NodeId id = frame->next;
      const auto operands = graph.operands(id);
      if (std::ranges::any_of(operands, [&](Value v) { return frame->pending[v.id]; })) break;
      if (is_control(graph.node(id).op) && communicates(graph, id)) {
        frame->control =
            std::make_unique<ControlSteps>(graph, id, this->operands(*frame, id, number));
        go_on(*frame, number);
        if (frame->control != nullptr) return true;
        continue;
      }
      if (definition(graph.node(id).op).kind == OpClass::collective) {
        collective(frame, id, number);
      } else if (graph.node(id).op != Op::parameter) {
        local(*frame, id, number);
      }
      finish_node(*frame);
    }
    return frame->next != before;
  }

  static void finish_node(Frame& frame) {
    for (const Value operand : frame.graph->operands(frame.next)) {
      if (--frame.uses[operand.id] == 0) frame.values[operand.id] = nullptr;
    }
    ++frame.next;
  }

  // Enters the next function of the loop or branch that a frame is in, or ends it.
  void go_on(Frame& frame, std::size_t number) {
    const ControlSteps& control = *frame.control;
    if (const Function* const function = control.next()) {
      const Graph& graph = function->graph();
      auto inside = std::make_shared<Frame>(graph);
      const std::vector<ArrayPtr> inputs = control.inputs();
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        inside->values[graph.parameters()[i].value.id] = inputs[i];
      }
      ranks_[number].frames.push_back(std::move(inside));
      return;
    }
    const std::vector<ArrayPtr> results = control.results();
    for (std::size_t i = 0; i < results.size(); ++i) {
      frame.values[frame.graph->result(frame.next, i).id] = results[i];
    }
    frame.control = nullptr;
    finish_node(frame);
  }

  // Where a rank is that a collective waits for in vain.
  std::string whereabouts(std::int64_t number) const {
    const Frame& frame = *ranks_[static_cast<std::size_t>(number)].frames.back();
    if (frame.next == frame.graph->node_count()) return "never comes to it";
    const Location where = frame.graph->node(frame.next).location;
    return "stands at " + print(*frame.graph, frame.next) +
           (where.known() ? " (" + where.text() + ")" : "");
  }

  static std::vector<ArrayPtr> operands(const Frame& frame, NodeId id, std::size_t rank) {
    std::vector<ArrayPtr> out;
    for (const Value operand : frame.graph->operands(id)) {
      out.push_back(array(frame, operand, rank));
    }
    return out;
  }

  static const ArrayPtr& array(const Frame& frame, Value value, std::size_t rank) {
    const ArrayPtr& found = frame.values[value.id];
    if (found != nullptr) return found;
    const Graph& graph = *frame.graph;
    throw TypeError("rank " + std::to_string(rank) + " is in no group of the collective behind " +
                        print(graph, value) + ", so it has no result to use",
                    graph.node(graph.producer(value)).location);
  }

  static void local(Frame& frame, NodeId id, std::size_t number) {
    const Graph& graph = *frame.graph;
    const std::vector<ArrayPtr> held = operands(frame, id, number);
    std::vector<const Array*> arguments;
    for (const ArrayPtr& operand : held) arguments.push_back(operand.get());
    std::vector<Array> results =
        interpret_local(graph, id, arguments, static_cast<std::int64_t>(number));
    for (std::size_t i = 0; i < results.size(); ++i) {
      frame.values[graph.result(id, i).id] = std::make_shared<const Array>(std::move(results[i]));
    }
  }

  // A rank comes to a collective: its part is announced, and it goes on.
  void collective(const std::shared_ptr<Frame>& frame, NodeId id, std::size_t number) {
    const Graph& graph = *frame->graph;
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
    MemberCall call{.graph = &graph,
                    .node = id,
                    .rank = rank,
                    .operands = operands(*frame, id, number),
                    .frame = frame};
    for (std::size_t i = 0; i < node.result_count; ++i) call.results.push_back(graph.result(id, i));
    if (!is_point_to_point(node.op)) {
      const auto position = static_cast<std::size_t>(group.position_of(rank));
      return arrive(group.tag, members, position, std::move(call));
    }
    for (const Message& message : messages(node.op, attributes, rank)) {
      MemberCall part{.graph = &graph, .node = id, .rank = rank, .frame = frame};
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
    for (const Value result : call.results) frame_of(call).pending[result.id] = true;
    const std::vector<MemberCall> calls =
        rendezvous_.arrive(tag, members, position, std::move(call));
    if (calls.empty()) return;
    CollectiveInterpretation in(calls);
    definition(calls[0].graph->node(calls[0].node).op).interpret_collective(in);
    for (std::size_t member = 0; member < calls.size(); ++member) {
      Frame& frame = frame_of(calls[member]);
      for (std::size_t i = 0; i < calls[member].results.size(); ++i) {
        const Value result = calls[member].results[i];
        frame.values[result.id] = std::make_shared<const Array>(std::move(in.results[member][i]));
        frame.pending[result.id] = false;
      }
    }
  }

  static Frame& frame_of(const MemberCall& call) { return *static_cast<Frame*>(call.frame.get()); }

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
