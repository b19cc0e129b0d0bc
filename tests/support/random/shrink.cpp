#include "tests/support/random/shrink.h"

#include <tutti/ir/builder.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tests/support/random/facts.h"

namespace tutti::test {

namespace {

using ir::NodeId;
using ir::Op;
using ir::OpClass;
using ir::Value;

// What to change about a program.
struct Change {
  std::vector<Value> results;            // that stay
  std::set<Value> cut;                   // values that become parameters
  std::map<Value, Value> replaced = {};  // by earlier values of the same type
};

// The nodes that the results need. Collectives, too, are dropped if nobody needs them: on all
// ranks.
std::vector<bool> needed_nodes(const ir::Graph& graph, const Change& change) {
  std::vector<bool> needed(graph.node_count(), false);
  const auto need = [&](Value value) {
    const auto other = change.replaced.find(value);
    const Value wanted = other == change.replaced.end() ? value : other->second;
    if (!change.cut.contains(wanted)) needed[graph.producer(wanted)] = true;
  };
  for (const Value result : change.results) need(result);
  for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
    if (!needed[id]) continue;
    for (const Value operand : graph.operands(id)) need(operand);
  }
  return needed;
}

// The changed program; none if it breaks a rule of the IR.
std::optional<RandomProgram> changed(const RandomProgram& program, const Change& change,
                                     std::span<const Facts> facts) {
  const ir::Graph& graph = program.graph;
  const std::vector<bool> needed = needed_nodes(graph, change);
  RandomProgram out{.graph = ir::Graph(graph.name), .inputs = RankArrays(program.inputs.size())};
  out.graph.mesh = graph.mesh;
  out.graph.default_device = graph.default_device;
  std::vector<Value> values(graph.value_count());
  const auto map = [&](Value value) {
    const auto other = change.replaced.find(value);
    return values[(other == change.replaced.end() ? value : other->second).id];
  };
  for (std::size_t i = 0; i < graph.parameters().size(); ++i) {
    const ir::Parameter& parameter = graph.parameters()[i];
    if (!needed[graph.producer(parameter.value)]) continue;
    values[parameter.value.id] =
        out.graph.add_parameter(parameter.name, graph.type(parameter.value), parameter.donate);
    for (std::size_t rank = 0; rank < out.inputs.size(); ++rank) {
      out.inputs[rank].push_back(program.inputs[rank][i]);
    }
  }
  for (const Value value : change.cut) {
    ir::Type type = graph.type(value);
    if (type.async) return std::nullopt;
    if (type.device.is_any()) type.device = graph.default_device;
    if (type.replication.literal) type.replication = {};
    values[value.id] = out.graph.add_parameter("v" + std::to_string(value.id), type);
    for (std::size_t rank = 0; rank < out.inputs.size(); ++rank) {
      out.inputs[rank].push_back(facts[value.id].values[rank]);
    }
  }
  try {
    ir::Builder builder(out.graph);
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      const ir::Node& node = graph.node(id);
      if (!needed[id] || node.op == Op::parameter) continue;
      std::vector<Value> operands;
      for (const Value operand : graph.operands(id)) operands.push_back(map(operand));
      // The builder inserts it where it is needed.
      if (node.op == Op::vary) {
        values[graph.result(id).id] = operands[0];
        continue;
      }
      builder.at(node.location);
      const NodeId copy = builder.node(node.op, operands, node.attributes);
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        const Value old = graph.result(id, i);
        if (!change.cut.contains(old)) values[old.id] = out.graph.result(copy, i);
      }
    }
    std::vector<Value> results;
    for (const Value result : change.results) results.push_back(map(result));
    out.graph.set_results(std::move(results));
    ir::verify(out.graph);
  } catch (const Error&) {
    return std::nullopt;
  }
  return out;
}

class Shrinker {
 public:
  Shrinker(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails)
      : program_(std::move(program)), fails_(fails) {
    look();
  }

  RandomProgram run() {
    for (bool smaller = true; smaller && tries_ < kMostTries;) {
      smaller = drop_results();
      smaller = cut_halves() || smaller;
      smaller = drop_nodes() || smaller;
    }
    simplify_arguments();
    return std::move(program_);
  }

 private:
  static constexpr int kMostTries = 600;

  void look() { facts_ = facts_of(program_.graph, program_.inputs); }

  bool accept(std::optional<RandomProgram> smaller) {
    if (!smaller || ++tries_ > kMostTries || !fails_(*smaller)) return false;
    program_ = std::move(*smaller);
    look();
    return true;
  }
  bool attempt(Change change) { return accept(changed(program_, change, facts_)); }

  bool drop_results() {
    const std::vector<Value> results = program_.graph.results();
    if (results.size() <= 1) return attempt_less(results);
    for (const Value result : results) {
      if (attempt({.results = {result}, .cut = {}})) return true;
    }
    bool any = false;
    for (std::size_t i = results.size(); i-- > 0;) {
      std::vector<Value> fewer = program_.graph.results();
      if (i >= fewer.size() || fewer.size() == 1) continue;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      any = attempt({.results = fewer, .cut = {}}) || any;
    }
    return any;
  }
  // What no result needs.
  bool attempt_less(const std::vector<Value>& results) {
    const auto needed = needed_nodes(program_.graph, {.results = results, .cut = {}});
    if (std::ranges::find(needed, false) == needed.end()) return false;
    return attempt({.results = results, .cut = {}});
  }

  // Everything in front of a node becomes parameters, at best much at once.
  bool cut_halves() {
    bool any = false;
    for (std::size_t part = 2; part <= 8; part *= 2) {
      const ir::Graph& graph = program_.graph;
      const auto count = static_cast<NodeId>(graph.node_count());
      const auto at = static_cast<NodeId>(count - count / part);
      Change change{.results = graph.results(), .cut = {}};
      const auto cut = [&](Value value) {
        if (graph.producer(value) < at && graph.op(value) != Op::parameter) {
          change.cut.insert(value);
        }
      };
      for (NodeId id = at; id < count; ++id) {
        for (const Value operand : graph.operands(id)) cut(operand);
      }
      for (const Value result : graph.results()) cut(result);
      if (!change.cut.empty()) any = attempt(change) || any;
    }
    return any;
  }

  bool drop_nodes() {
    bool any = false;
    for (auto id = static_cast<NodeId>(program_.graph.node_count()); id-- > 0;) {
      if (id >= program_.graph.node_count()) continue;
      const ir::Graph& graph = program_.graph;
      const ir::Node& node = graph.node(id);
      if (node.op == Op::parameter || node.op == Op::vary) continue;
      any = bypass(id) || any;
      if (id >= program_.graph.node_count()) continue;
      any = cut(id) || any;
    }
    return any;
  }
  // An operand stands for the node.
  bool bypass(NodeId id) {
    const ir::Graph& graph = program_.graph;
    if (graph.node(id).result_count != 1) return false;
    const Value result = graph.result(id);
    const ir::Type& type = graph.type(result);
    for (const Value operand : graph.operands(id)) {
      const ir::Type& other = graph.type(operand);
      if (other.dtype != type.dtype || other.shape != type.shape || other.async != type.async) {
        continue;
      }
      if (attempt({.results = graph.results(), .cut = {}, .replaced = {{result, operand}}})) {
        return true;
      }
    }
    return false;
  }
  bool cut(NodeId id) {
    const ir::Graph& graph = program_.graph;
    if (graph.node(id).op == Op::parameter || graph.op(graph.result(id)) == Op::constant) {
      return false;
    }
    Change change{.results = graph.results(), .cut = {}};
    for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
      change.cut.insert(graph.result(id, i));
    }
    return !change.cut.empty() && attempt(change);
  }

  void simplify_arguments() {
    const std::size_t count = program_.graph.parameters().size();
    for (std::size_t i = 0; i < count; ++i) {
      for (const double number : {0.0, 1.0}) {
        RandomProgram simple = program_;
        for (std::vector<Array>& of_rank : simple.inputs) {
          Array& array = of_rank[i];
          const Array one = Array::scalar_of(array.dtype(), number);
          for (std::int64_t n = 0; n < array.elements(); ++n) {
            std::ranges::copy(one.bytes(), array.bytes().begin() + n * size_of(array.dtype()));
          }
        }
        if (simple.inputs != program_.inputs && accept(std::move(simple))) break;
      }
    }
  }

  RandomProgram program_;
  const std::function<bool(const RandomProgram&)>& fails_;
  std::vector<Facts> facts_;
  int tries_ = 0;
};

}  // namespace

RandomProgram shrink(RandomProgram program,
                     const std::function<bool(const RandomProgram&)>& fails) {
  return Shrinker(std::move(program), fails).run();
}

}  // namespace tutti::test
