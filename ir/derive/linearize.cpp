#include <tutti/ir/collective.h>
#include <tutti/ir/control.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/derive/value_use.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/term.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tutti::ir {

namespace {

// Nodes of a graph as one of their own; what they use and was not copied is captured.
class Cut {
 public:
  // What is linear in `linear_in` and was differentiated by them needs none of them. So what is
  // made like a value counts for its type alone, barriers, which tell when to compute, for nothing,
  // and where a loop or branch takes what comes of them for other results than those that are
  // needed, it gets zeros.
  explicit Cut(const Graph& from, std::span<const Value> linear_in = {})
      : from_(from), linear_(!linear_in.empty()) {
    to_.mesh = from.mesh;
    to_.default_device = from.default_device;
    if (linear_) mark_varying(linear_in);
  }

  Graph& graph() { return to_; }
  const std::vector<Value>& captured() const { return captured_; }

  // A parameter that stands for a value.
  Value parameter(Value old, const std::string& name) {
    const Value made =
        to_.add_parameter(name + std::to_string(to_.parameters().size()), from_.type(old));
    stands_for(made, old);
    return made;
  }
  // What a value of the new graph stands for.
  Value original(Value made) const { return originals_.at(made.id); }
  // What stands for a value.
  Value value(Value old) {
    const auto found = values_.find(old.id);
    if (found != values_.end()) return found->second;
    // What is made from nowhere is made again; but a number may be one that is told at run time.
    const NodeId producer = from_.producer(old);
    const Op op = from_.node(producer).op;
    if (definition(op).kind == OpClass::make && op != Op::constant) {
      copy(producer);
      return values_.at(old.id);
    }
    captured_.push_back(old);
    return parameter(old, "captured");
  }
  // Copies a node, unless its results are parameters already.
  void copy(NodeId id) {
    const Node& node = from_.node(id);
    if (node.op == Op::parameter || values_.contains(node.first_result)) return;
    const Value first = from_.result(id, 0);
    if (node.op == Op::optimization_barrier && linear_) {
      values_[first.id] = value(from_.operand(id, 0));
      return;
    }
    if (is_of_type(node)) {
      values_[first.id] = filled(from_.type(first), node.op == Op::ones_like ? 1 : 0);
      return;
    }
    const auto taken = taken_.find(id);
    std::vector<Value> operands;
    for (std::size_t i = 0; i < node.operand_count; ++i) {
      const Value operand = from_.operand(id, i);
      const bool takes = taken == taken_.end() || taken->second[i];
      operands.push_back(takes ? value(operand) : filled(from_.type(operand), 0));
    }
    std::vector<Type> types;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      types.push_back(from_.type(from_.result(id, i)));
    }
    const NodeId copied = to_.append(node.op, operands, node.attributes, types, node.location);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      stands_for(to_.result(copied, i), from_.result(id, i));
    }
  }
  // Copies the nodes from `begin` on that the values depend on. Returns, for every node from there
  // on, where its copy begins.
  std::vector<NodeId> copy_needed(std::span<const Value> results, NodeId begin) {
    const auto end = static_cast<NodeId>(from_.node_count());
    std::vector<bool> needed(from_.value_count(), false);
    const auto need = [&](Value value) {
      if (from_.producer(value) >= begin && !values_.contains(value.id)) needed[value.id] = true;
    };
    for (const Value result : results) need(result);
    std::vector<bool> copied(end - begin, false);
    for (NodeId id = end; id-- > begin;) {
      std::vector<bool> own;
      for (std::uint32_t i = 0; i < from_.node(id).result_count; ++i) {
        own.push_back(needed[from_.result(id, i).id]);
      }
      if (std::ranges::find(own, true) == own.end()) continue;
      copied[id - begin] = true;
      const std::vector<bool> taken = operands_taken(id, own);
      for (std::size_t i = 0; i < taken.size(); ++i) {
        if (taken[i]) need(from_.operand(id, i));
      }
    }
    std::vector<NodeId> places;
    for (NodeId id = begin; id < end; ++id) {
      places.push_back(static_cast<NodeId>(to_.node_count()));
      if (copied[id - begin]) copy(id);
    }
    places.push_back(static_cast<NodeId>(to_.node_count()));
    return places;
  }
  std::vector<Value> values(std::span<const Value> old) {
    std::vector<Value> out;
    for (const Value one : old) out.push_back(value(one));
    return out;
  }

 private:
  // Whether nothing but its operand's type counts.
  bool is_of_type(const Node& node) const {
    return linear_ && (node.op == Op::zeros_like || node.op == Op::ones_like);
  }
  void mark_varying(std::span<const Value> linear_in) {
    varying_.resize(from_.value_count(), false);
    for (const Value value : linear_in) varying_[value.id] = true;
    for (NodeId id = 0; id < from_.node_count(); ++id) {
      const bool varies = std::ranges::any_of(computed_of(from_, id),
                                              [this](Value value) { return varying_[value.id]; });
      for (std::uint32_t i = 0; varies && i < from_.node(id).result_count; ++i) {
        varying_[from_.result(id, i).id] = true;
      }
    }
  }
  // By operand of a node: whether its copy takes it for these results.
  std::vector<bool> operands_taken(NodeId id, const std::vector<bool>& results) {
    const Node& node = from_.node(id);
    if (!linear_) return std::vector<bool>(node.operand_count, true);
    std::vector<bool> out = use_.operands(from_, id, results);
    if (!is_control(node.op)) return out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = out[i] || !varying_[from_.operand(id, i).id];
    }
    taken_[id] = out;
    return out;
  }
  Value filled(const Type& type, double number) {
    Builder builder(to_);
    const Value one = builder.constant(Array::scalar_of(type.dtype, number));
    const Term adapted(&builder, builder.adapt(one, type.replication));
    return broadcast_to(to_device(adapted, type.device), type.shape).value();
  }
  void stands_for(Value made, Value old) {
    values_[old.id] = made;
    originals_[made.id] = old;
  }

  const Graph& from_;
  const bool linear_;
  std::vector<bool> varying_;                            // by value: comes of what it is linear in
  std::unordered_map<NodeId, std::vector<bool>> taken_;  // by node that runs functions
  ValueUse use_;
  Graph to_{"linear"};
  std::unordered_map<std::uint32_t, Value> values_;     // by the old value's id
  std::unordered_map<std::uint32_t, Value> originals_;  // by the new value's id
  std::vector<Value> captured_;
};

// The nodes from `begin` on that `results` need, as a function of `own`; see Cut.
Linear cut_out(const Graph& graph, NodeId begin, std::span<const Value> own,
               const std::string& name, std::span<const Value> results,
               std::span<const Value> linear_in = {}) {
  Cut cut(graph, linear_in);
  for (const Value value : own) cut.parameter(value, name);
  cut.copy_needed(results, begin);
  std::vector<Value> mapped = cut.values(results);
  Linear out{.graph = std::move(cut.graph()), .captured = cut.captured()};
  out.graph.set_results(std::move(mapped));
  return out;
}

std::vector<Value> add_parameters(Graph& graph, std::span<const Value> like,
                                  const std::string& name) {
  std::vector<Value> out;
  for (const Value value : like) {
    Type type = graph.type(value);
    type.async = false;
    type.replication.literal = false;
    out.push_back(graph.add_parameter(name + std::to_string(out.size()), type));
  }
  return out;
}

// What is sent has no results that the outputs could need, and a derivative all the same, which
// nothing here gives back.
void refuse_sent(const Graph& graph, NodeId begin, std::span<const Value> wrt) {
  auto end = static_cast<NodeId>(graph.node_count());
  while (end > begin && !is_point_to_point(graph.node(end - 1).op)) --end;
  std::unordered_set<std::uint32_t> dependent;
  for (const Value value : wrt) dependent.insert(value.id);
  for (NodeId id = begin; id < end; ++id) {
    const Node& node = graph.node(id);
    const auto depends = [&](Value value) { return dependent.contains(value.id); };
    if (std::ranges::none_of(carrying_operands(graph, id), depends)) continue;
    if (is_point_to_point(node.op)) {
      throw TypeError(std::string(name_of(node.op)) +
                          " has no gradient here: what it sends depends on what a vjp or jvp is "
                          "taken of, and leaves one rank's program for another's; use grad on both "
                          "ranks, collective_permute, or take a vjp of each pipeline stage",
                      node.location);
    }
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      const Value result = graph.result(id, i);
      if (is_floating(graph.type(result).dtype)) dependent.insert(result.id);
    }
  }
}

}  // namespace

Linear pullback(const Builder& program, std::span<const Value> outputs,
                std::span<const Value> wrt) {
  const Graph& graph = program.graph();
  auto begin = static_cast<NodeId>(graph.node_count());
  for (const Value value : wrt) begin = std::min(begin, graph.producer(value));
  refuse_sent(graph, begin, wrt);
  // A copy of what lies between, which is differentiated in place of it.
  Cut forward(graph);
  for (const Value value : wrt) forward.value(value);
  const std::vector<NodeId> places = forward.copy_needed(outputs, begin);
  std::vector<Value> ends;
  for (const Value output : outputs) {
    if (is_floating(graph.type(output).dtype)) ends.push_back(forward.value(output));
  }
  const std::vector<Value> starts = forward.values(wrt);
  Graph& copy = forward.graph();
  Builder builder(copy);
  builder.at(program.location());
  for (const Builder::Checkpoint& region : program.checkpoints()) {
    if (region.begin < begin) continue;
    builder.checkpoint({places[region.begin - begin], places[region.end - begin]});
  }
  const auto backward = static_cast<NodeId>(copy.node_count());
  const std::vector<Value> cotangents = add_parameters(copy, ends, "cotangent");
  const std::vector<Value> results = vjp(builder, ends, cotangents, starts);
  Linear out = cut_out(copy, backward, cotangents, "cotangent", results);
  for (Value& captured : out.captured) captured = forward.original(captured);
  return out;
}

Linear pushforward(const Builder& program, std::span<const Value> outputs,
                   std::span<const Value> wrt) {
  Linear back = pullback(program, outputs, wrt);
  Graph& graph = back.graph;
  const std::vector<Value> results = graph.results();
  std::vector<Value> cotangents;
  for (std::size_t i = 0; i + back.captured.size() < graph.parameters().size(); ++i) {
    cotangents.push_back(graph.parameters()[i].value);
  }
  const std::vector<Value> tangents = add_parameters(graph, results, "tangent");
  Builder builder(graph);
  builder.at(program.location());
  const std::vector<Value> derivative = vjp(builder, results, tangents, cotangents);
  Linear out = cut_out(graph, 0, tangents, "tangent", derivative, cotangents);
  std::unordered_map<std::uint32_t, Value> captures;  // by the parameter that stands for them
  for (std::size_t i = 0; i < back.captured.size(); ++i) {
    captures[graph.parameters()[cotangents.size() + i].value.id] = back.captured[i];
  }
  for (Value& captured : out.captured) {
    const auto found = captures.find(captured.id);
    if (found == captures.end()) {
      throw TypeError(
          "jvp: a gradient on the way is not linear in its cotangent, as that of custom_vjp has to "
          "be for it",
          program.location());
    }
    captured = found->second;
  }
  return out;
}

std::vector<Value> inline_into(Builder& builder, const Graph& function,
                               std::span<const Value> arguments, std::vector<Value>* places) {
  std::vector<Value> values(function.value_count());
  const auto& parameters = function.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type& wanted = function.type(parameters[i].value);
    const Type given = builder.type(arguments[i]);
    const std::uint8_t lacks = given.replication.literal
                                   ? std::uint8_t{0}
                                   : static_cast<std::uint8_t>(wanted.replication.dimensions &
                                                               ~given.replication.dimensions);
    if (given.dtype != wanted.dtype || given.shape != wanted.shape || lacks != 0) {
      throw TypeError(parameters[i].name + " must be " + wanted.text() + ", not " + given.text(),
                      builder.location());
    }
    const auto extra =
        static_cast<std::uint8_t>(given.replication.dimensions & ~wanted.replication.dimensions);
    values[parameters[i].value.id] = given.replication.literal
                                         ? builder.adapt(arguments[i], wanted.replication)
                                         : builder.vary(arguments[i], extra);
  }
  const Location here = builder.location();
  for (NodeId id = 0; id < function.node_count(); ++id) {
    const Node& node = function.node(id);
    if (node.op == Op::parameter) continue;
    builder.at(node.location);
    append_node(builder, function, id, values);
  }
  builder.at(here);
  std::vector<Value> results;
  for (const Value result : function.results()) results.push_back(values[result.id]);
  if (places != nullptr) *places = std::move(values);
  return results;
}

}  // namespace tutti::ir
