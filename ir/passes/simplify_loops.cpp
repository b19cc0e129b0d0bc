#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/function.h>
#include <tutti/ir/passes/hoist_invariants.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/trim_loops.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

// What gradients leave behind: a loop that stacks what nobody reads, and a second loop that goes
// through the same carries to stack something else. And what need not be in a loop at all.
namespace tutti::ir {

namespace {

// Scans of one key go through the same carries: the same operands through the same function of
// them.
using CarryKey = std::tuple<std::vector<std::uint32_t>, std::vector<bool>, std::int64_t, bool,
                            std::uint64_t, std::uint64_t>;

CarryKey carry_key(const Graph& graph, NodeId id) {
  const Attributes attributes = graph.attributes(id);
  const Graph& body = attributes.function("body").graph();
  const auto carries = static_cast<std::size_t>(attributes.integer("carries"));
  const auto sequences = static_cast<std::size_t>(attributes.integer("sequences"));
  std::vector<bool> results(body.results().size(), false);
  std::fill_n(results.begin(), carries, true);
  std::vector<bool> parameters(body.parameters().size(), false);
  std::fill_n(parameters.begin(), carries, true);
  mark_parameters(body, results, parameters);
  std::vector<std::uint32_t> operands;
  std::vector<bool> is_sequence;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i]) continue;
    operands.push_back(graph.operand(id, i).id);
    is_sequence.push_back(i >= carries && i < carries + sequences);
  }
  const Hash128 hash = restricted(body, results, parameters)->hash();
  return {std::move(operands),
          std::move(is_sequence),
          attributes.integer("length"),
          attributes.flag("reverse"),
          hash.high,
          hash.low};
}

// One scan in place of several of one key.
class ScanMerge {
 public:
  ScanMerge(const Graph& graph, NodeId first)
      : graph_(graph),
        first_(first),
        carries_(static_cast<std::size_t>(graph.attributes(first).integer("carries"))) {
    add(first);
  }

  // Whether all that the other loop takes is there where the first one runs.
  bool takes(NodeId other) const {
    return std::ranges::all_of(graph_.operands(other), [&](Value operand) {
      return operand.id < graph_.node(first_).first_result;
    });
  }
  void add(NodeId scan) {
    scans_.push_back(scan);
    const auto sequences = static_cast<std::size_t>(graph_.attributes(scan).integer("sequences"));
    for (std::size_t i = carries_; i < graph_.node(scan).operand_count; ++i) {
      std::vector<Value>& list = i < carries_ + sequences ? sequences_ : invariants_;
      const Value operand = graph_.operand(scan, i);
      if (std::ranges::find(list, operand) == list.end()) list.push_back(operand);
    }
  }
  const std::vector<NodeId>& scans() const { return scans_; }

  // Appends it; `results` gets, for each scan, what its results are now.
  void append(Rewriter& rewriter, std::map<NodeId, std::vector<Value>>& results) const {
    Graph merged = body();
    cse(merged);
    dce(merged);
    std::vector<Value> operands;
    for (std::size_t i = 0; i < carries_; ++i) {
      operands.push_back(rewriter.map(graph_.operand(first_, i)));
    }
    for (const Value value : sequences_) operands.push_back(rewriter.map(value));
    for (const Value value : invariants_) operands.push_back(rewriter.map(value));
    const Attributes attributes = graph_.attributes(first_);
    auto function = std::make_shared<const Function>(std::move(merged));
    const NodeId made = rewriter.builder().node(
        Op::scan, operands,
        {FunctionPtr(std::move(function)), std::ssize(carry_operands()), std::ssize(sequences_),
         attributes.integer("length"), attributes.flag("reverse"), attributes.flag("recompute")});
    std::size_t stacked = carries_;
    for (const NodeId scan : scans_) {
      std::vector<Value>& own = results[scan];
      for (std::size_t i = 0; i < graph_.node(scan).result_count; ++i) {
        own.push_back(rewriter.to().result(made, i < carries_ ? i : stacked++));
      }
    }
  }

 private:
  std::span<const Value> carry_operands() const { return graph_.operands(first_).first(carries_); }

  Graph body() const {
    const Graph& like = graph_.attributes(first_).function("body").graph();
    Graph out(like.name);
    out.mesh = like.mesh;
    out.default_device = like.default_device;
    Builder builder(out);
    std::vector<Value> of_carries;
    for (std::size_t i = 0; i < carries_; ++i) {
      const Parameter& parameter = like.parameters()[i];
      of_carries.push_back(out.add_parameter(parameter.name, like.type(parameter.value)));
    }
    std::vector<Value> of_sequences;
    for (const Value value : sequences_) of_sequences.push_back(parameter_for(value, true, out));
    std::vector<Value> of_invariants;
    for (const Value value : invariants_) of_invariants.push_back(parameter_for(value, false, out));
    std::vector<Value> results;
    for (const NodeId scan : scans_) {
      const auto sequences = static_cast<std::size_t>(graph_.attributes(scan).integer("sequences"));
      std::vector<Value> arguments = of_carries;
      for (std::size_t i = carries_; i < graph_.node(scan).operand_count; ++i) {
        const bool is_sequence = i < carries_ + sequences;
        const std::vector<Value>& list = is_sequence ? sequences_ : invariants_;
        const auto at = std::ranges::find(list, graph_.operand(scan, i)) - list.begin();
        arguments.push_back(
            (is_sequence ? of_sequences : of_invariants)[static_cast<std::size_t>(at)]);
      }
      const std::vector<Value> own =
          inline_into(builder, graph_.attributes(scan).function("body").graph(), arguments);
      if (scan == first_) results.assign(own.begin(), own.begin() + std::ssize(carry_operands()));
      results.insert(results.end(), own.begin() + std::ssize(carry_operands()), own.end());
    }
    out.set_results(std::move(results));
    return out;
  }

  // A parameter like that of the first scan that takes the operand.
  Value parameter_for(Value operand, bool is_sequence, Graph& out) const {
    for (const NodeId scan : scans_) {
      const auto sequences = static_cast<std::size_t>(graph_.attributes(scan).integer("sequences"));
      const Graph& body = graph_.attributes(scan).function("body").graph();
      for (std::size_t i = carries_; i < graph_.node(scan).operand_count; ++i) {
        if (graph_.operand(scan, i) != operand || (i < carries_ + sequences) != is_sequence)
          continue;
        const Parameter& parameter = body.parameters()[i];
        return out.add_parameter(parameter.name, body.type(parameter.value));
      }
    }
    throw InternalError("no loop takes an operand of merged loops");
  }

  const Graph& graph_;
  const NodeId first_;
  const std::size_t carries_;
  std::vector<NodeId> scans_;
  std::vector<Value> sequences_;
  std::vector<Value> invariants_;
};

bool merge(Graph& graph) {
  std::map<CarryKey, ScanMerge> by_key;
  std::map<NodeId, const ScanMerge*> merges;  // by each of their scans
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).op != Op::scan || graph.attributes(id).integer("carries") == 0) continue;
    if (communicates(graph, id)) continue;
    const auto [found, inserted] = by_key.try_emplace(carry_key(graph, id), graph, id);
    ScanMerge& known = found->second;
    if (inserted || !known.takes(id)) continue;
    known.add(id);
    merges[known.scans()[0]] = merges[id] = &known;
  }
  if (merges.empty()) return false;
  std::map<NodeId, std::vector<Value>> results;
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    const auto own = merges.find(id);
    if (own == merges.end()) return false;
    if (own->second->scans()[0] == id) own->second->append(rewriter, results);
    rewriter.replace(id, results.at(id));
    return true;
  });
}

}  // namespace

// Merged first: loops that went through the same carries may need different ones of them.
bool simplify_loops(Graph& graph) {
  const bool hoisted = hoist_invariants(graph);
  if (hoisted) dce(graph);
  const bool merged = merge(graph);
  bool trimmed = false;
  // What only a loop took is of no use any more, and neither is what only that took of other loops.
  while (trim_loops(graph)) {
    dce(graph);
    trimmed = true;
  }
  return (trimmed && merge(graph)) || trimmed || merged || hoisted;
}

}  // namespace tutti::ir
