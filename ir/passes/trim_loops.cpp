#include <tutti/ir/function.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/trim_loops.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>

namespace tutti::ir {

bool mark_parameters(const Graph& graph, const std::vector<bool>& results,
                     std::vector<bool>& parameters) {
  std::vector<bool> needed(graph.node_count(), false);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) needed[graph.producer(graph.results()[i])] = true;
  }
  bool grew = false;
  for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
    if (!needed[id] && !communicates(graph, id)) continue;
    for (const Value operand : graph.operands(id)) needed[graph.producer(operand)] = true;
    if (graph.node(id).op != Op::parameter) continue;
    grew = grew || !parameters[id];
    parameters[id] = true;
  }
  return grew;
}

FunctionPtr restricted(const Graph& function, const std::vector<bool>& results,
                       const std::vector<bool>& parameters) {
  Graph graph = function;
  std::vector<Value> kept;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) kept.push_back(function.results()[i]);
  }
  graph.set_results(std::move(kept));
  dce(graph);
  return std::make_shared<const Function>(with_parameters(graph, parameters));
}

namespace {

using Flags = std::vector<bool>;

// The functions of a node, in order.
std::vector<FunctionPtr> functions_of(const Node& node) {
  std::vector<FunctionPtr> out;
  for (const Attribute& attribute : node.attributes) {
    for (const FunctionPtr& function : functions_of(attribute)) out.push_back(function);
  }
  return out;
}

// What is needed of a node that runs functions.
struct Needs {
  Flags results;     // of the node
  Flags parameters;  // of its functions
};

// Where a function's parameters lie its results lie, so one of them stays: one that is no carry, if
// there is one. Says whether it has to be marked.
bool keep_one(Flags& parameters) {
  if (parameters.empty() || std::ranges::find(parameters, true) != parameters.end()) return false;
  parameters.back() = true;
  return true;
}

Needs needs_of(const Graph& graph, NodeId id, const std::vector<std::uint32_t>& uses,
               const StaysParameter& stays) {
  const Node& node = graph.node(id);
  const std::vector<FunctionPtr> functions = functions_of(node);
  Needs needs;
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    needs.results.push_back(uses[graph.result(id, i).id] != 0);
  }
  needs.parameters.resize(functions[0]->graph().parameters().size(), false);
  const Function& main = node.op == Op::conditional ? *functions[0] : *functions.back();
  for (std::size_t i = 0; stays && i < needs.parameters.size(); ++i) {
    needs.parameters[i] = stays(main, i);
  }
  if (node.op == Op::conditional) {
    for (const FunctionPtr& branch : functions) {
      mark_parameters(branch->graph(), needs.results, needs.parameters);
    }
    keep_one(needs.parameters);
    return needs;
  }
  // A carry is needed if its last value is, or if one that is needed comes of it.
  const auto carries = static_cast<std::size_t>(graph.attributes(id).integer("carries"));
  if (node.op == Op::while_loop) {
    mark_parameters(functions[0]->graph(), {true}, needs.parameters);
  }
  for (std::size_t i = 0; i < carries; ++i) {
    if (needs.results[i]) needs.parameters[i] = true;
  }
  do {
    for (bool grew = true; grew;) {
      for (std::size_t i = 0; i < carries; ++i) needs.results[i] = needs.parameters[i];
      grew = mark_parameters(functions.back()->graph(), needs.results, needs.parameters);
    }
  } while (keep_one(needs.parameters));
  return needs;
}

bool all_of(const Flags& flags) { return std::ranges::find(flags, false) == flags.end(); }

std::int64_t count(const Flags& flags, std::size_t begin, std::size_t end) {
  return std::count(flags.begin() + static_cast<std::ptrdiff_t>(begin),
                    flags.begin() + static_cast<std::ptrdiff_t>(end), true);
}

// A node's attributes once only what is needed is left of it.
std::vector<Attribute> restricted_attributes(const Graph& graph, NodeId id, const Needs& needs) {
  std::vector<Attribute> out = graph.node(id).attributes;
  const Attributes attributes = graph.attributes(id);
  const auto function = [&](const Function& from, const Flags& results) {
    return restricted(from.graph(), results, needs.parameters);
  };
  switch (graph.node(id).op) {
    case Op::conditional: {
      std::vector<FunctionPtr> branches;
      for (const FunctionPtr& branch : attributes.functions("branches")) {
        branches.push_back(function(*branch, needs.results));
      }
      return {std::move(branches)};
    }
    case Op::while_loop:
      return {function(attributes.function("condition"), {true}),
              function(attributes.function("body"), needs.results),
              count(needs.results, 0, needs.results.size())};
    default: {
      const auto carries = static_cast<std::size_t>(attributes.integer("carries"));
      const auto sequences = static_cast<std::size_t>(attributes.integer("sequences"));
      return {function(attributes.function("body"), needs.results),
              count(needs.results, 0, carries),
              count(needs.parameters, carries, carries + sequences),
              attributes.integer("length"),
              attributes.flag("reverse"),
              attributes.flag("recompute")};
    }
  }
}

}  // namespace

bool trim_loops(Graph& graph, const StaysParameter& stays) {
  const std::vector<std::uint32_t> uses = count_uses(graph);
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    const Node& node = graph.node(id);
    if (definition(node.op).kind != OpClass::control) return false;
    const Needs needs = needs_of(graph, id, uses, stays);
    const bool unused = std::ranges::find(needs.results, true) == needs.results.end();
    if (unused || (all_of(needs.results) && all_of(needs.parameters))) return false;
    std::vector<Value> operands;
    const std::size_t first = node.op == Op::conditional ? 1 : 0;
    for (std::size_t i = 0; i < node.operand_count; ++i) {
      if (i < first || needs.parameters[i - first]) {
        operands.push_back(rewriter.map(graph.operand(id, i)));
      }
    }
    const NodeId made =
        rewriter.builder().node(node.op, operands, restricted_attributes(graph, id, needs));
    std::vector<Value> results(node.result_count);
    std::size_t next = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!needs.results[i]) continue;
      // Without a parameter that varied, a number may count as the same on more ranks.
      const Value value = rewriter.to().result(made, next++);
      const Replication before = graph.type(graph.result(id, i)).replication;
      const Replication now = rewriter.to().type(value).replication;
      results[i] = rewriter.builder().vary(
          value, static_cast<std::uint8_t>(now.dimensions & ~before.dimensions));
    }
    rewriter.replace(id, results);
    return true;
  });
}

}  // namespace tutti::ir
