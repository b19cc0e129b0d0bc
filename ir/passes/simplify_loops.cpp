#include <tutti/ir/control.h>
#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/passes/hoist_invariants.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/trim_loops.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What gradients leave behind: a loop that stacks what nobody reads, and a second loop that goes
// through the same carries to stack something else. And what need not be in a loop at all.
namespace tutti::ir {

namespace {

// Scans of one key go through the same carries, the same operands through the same function of
// them, and numbers that they give count as the same on the same ranks.
using CarryKey = std::tuple<std::vector<std::uint32_t>, std::vector<bool>, std::int64_t, bool,
                            std::uint8_t, std::uint64_t, std::uint64_t>;

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
          place_of_functions(attributes).replication.dimensions,
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
      std::vector<Input>& list = i < carries_ + sequences ? sequences_ : invariants_;
      if (place_in(list, scan, i) == list.size()) {
        list.push_back({graph_.operand(scan, i), parameter(scan, i).name, type(scan, i)});
      }
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
    for (const Input& input : sequences_) operands.push_back(rewriter.map(input.operand));
    for (const Input& input : invariants_) operands.push_back(rewriter.map(input.operand));
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
  // What the loops take beside the carries. Two may take one operand, a number, with different
  // types: as the same on different ranks.
  struct Input {
    Value operand;
    std::string name;  // of the parameter for it
    Type type;
  };

  std::span<const Value> carry_operands() const { return graph_.operands(first_).first(carries_); }

  const Graph& body_of(NodeId scan) const {
    return graph_.attributes(scan).function("body").graph();
  }
  const Parameter& parameter(NodeId scan, std::size_t i) const {
    return body_of(scan).parameters()[i];
  }
  const Type& type(NodeId scan, std::size_t i) const {
    return body_of(scan).type(parameter(scan, i).value);
  }

  // Where a loop's operand stands in the list; behind its end if it does not.
  std::size_t place_in(const std::vector<Input>& list, NodeId scan, std::size_t i) const {
    const auto found = std::ranges::find_if(list, [&](const Input& input) {
      return input.operand == graph_.operand(scan, i) && input.type == type(scan, i);
    });
    return static_cast<std::size_t>(found - list.begin());
  }

  Graph body() const {
    const Graph& like = body_of(first_);
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
    for (const Input& input : sequences_) {
      of_sequences.push_back(out.add_parameter(input.name, input.type));
    }
    std::vector<Value> of_invariants;
    for (const Input& input : invariants_) {
      of_invariants.push_back(out.add_parameter(input.name, input.type));
    }
    std::vector<Value> results;
    for (const NodeId scan : scans_) {
      const auto sequences = static_cast<std::size_t>(graph_.attributes(scan).integer("sequences"));
      std::vector<Value> arguments = of_carries;
      for (std::size_t i = carries_; i < graph_.node(scan).operand_count; ++i) {
        const bool is_sequence = i < carries_ + sequences;
        const std::size_t at = place_in(is_sequence ? sequences_ : invariants_, scan, i);
        arguments.push_back((is_sequence ? of_sequences : of_invariants)[at]);
      }
      const std::vector<Value> own = inline_into(builder, body_of(scan), arguments);
      if (scan == first_) results.assign(own.begin(), own.begin() + std::ssize(carry_operands()));
      results.insert(results.end(), own.begin() + std::ssize(carry_operands()), own.end());
    }
    out.set_results(std::move(results));
    return out;
  }

  const Graph& graph_;
  const NodeId first_;
  const std::size_t carries_;
  std::vector<NodeId> scans_;
  std::vector<Input> sequences_;
  std::vector<Input> invariants_;
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
