#include <tutti/codegen/lower_collective.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/program_calls.h>
#include <tutti/ir/control.h>
#include <tutti/ir/function.h>
#include <tutti/ir/support/hash.h>

#include <algorithm>
#include <span>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Value;

// An argument is known by its place. What was let in while the function was traced is numbered as
// it was first used, maybe by a part that one rank alone runs: it is known by its type and line.
std::vector<std::uint64_t> hashes_of_parameters(const ir::Graph& graph, std::size_t arguments) {
  std::vector<std::uint64_t> out;
  for (const ir::Parameter& parameter : graph.parameters()) {
    Hasher hasher;
    if (out.size() < arguments) {
      hasher.add(out.size());
    } else {
      const Location where = graph.node(graph.producer(parameter.value)).location;
      ir::hash_type(hasher, graph.type(parameter.value));
      hasher.add(where.file()).add(where.line()).add(where.column());
    }
    out.push_back(hasher.finish().low);
  }
  return out;
}

// How many of a loop's operands, the first ones, have their places by what the user said. What its
// functions capture comes behind, in the order in which they use it first.
std::size_t ordered_operands(const ir::Graph& graph, NodeId id) {
  const ir::Attributes attributes = graph.attributes(id);
  switch (graph.node(id).op) {
    case ir::Op::scan:
      return static_cast<std::size_t>(attributes.integer("carries") +
                                      attributes.integer("sequences"));
    case ir::Op::while_loop:
      return static_cast<std::size_t>(attributes.integer("carries"));
    default:
      return 0;
  }
}

// The calls of one group as they are met.
struct GroupCalls {
  std::size_t count = 0;
  std::uint64_t set = 0;
  std::uint64_t order = 0;

  void add(std::uint64_t call) {
    ++count;
    set += call;
    order = Hasher().add(order).add(call).finish().low;
  }
  // Those of a function, where a node runs it: what it calls in another order is the same set.
  void add(const GroupCalls& function, std::uint64_t node) {
    count += function.count;
    set += Hasher().add(function.set).add(node).finish().low;
    order = Hasher().add(order).add(function.order).add(node).finish().low;
  }
  runtime::ProgramCalls hashes() const {
    if (count < 2) return {};
    return {.set = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(set)),
            .order = static_cast<std::uint32_t>(order)};
  }
};

CallGroup group_of(const ir::Group& group, const std::string& engine, std::int64_t rank) {
  return {group.tag, engine, group.members_with(rank)};
}

bool is_hashed(const runtime::CollectiveCall& call, const ir::GroupPtr& parent) {
  return parent == nullptr && !call.programs_differ;
}

// Of a program or function: what its values are made of, back to the parameters, and what it calls.
class CallHashes {
 public:
  using Groups = std::map<CallGroup, GroupCalls>;
  struct Hashes {
    Groups calls;
    std::vector<std::uint64_t> results;
  };

  CallHashes(std::int64_t rank, const runtime::Algorithms& algorithms)
      : rank_(rank), algorithms_(algorithms) {}

  // False where so many functions are entered from so many places that nothing is known.
  bool complete() const { return known_.size() < kMostFunctions; }

  Hashes of(const ir::Graph& graph, std::span<const std::uint64_t> parameters) {
    Hashes out;
    std::vector<std::uint64_t> made_of(graph.value_count());
    std::size_t parameter = 0;  // the next
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      const ir::Node& node = graph.node(id);
      if (node.op == ir::Op::parameter) {
        made_of[graph.result(id).id] = parameters[parameter++];
        continue;
      }
      Hasher hasher;
      hasher.add(static_cast<std::uint64_t>(node.op));
      if (ir::is_control(node.op) && ir::communicates(graph, id)) {
        add_control(graph, id, made_of, hasher, out.calls);
      } else {
        for (const ir::Attribute& each : node.attributes) ir::hash_attribute(hasher, each);
        for (const Value operand : graph.operands(id)) hasher.add(made_of[operand.id]);
      }
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        made_of[graph.result(id, i).id] = Hasher(hasher).add(i).finish().low;
      }
      if (ir::definition(node.op).kind == ir::OpClass::collective) {
        add_calls(graph, id, made_of, out.calls);
      }
    }
    for (const Value result : graph.results()) out.results.push_back(made_of[result.id]);
    return out;
  }

 private:
  static constexpr std::size_t kMostFunctions = 4096;

  // A node that runs functions which communicate. What these capture has no order of its own.
  void add_control(const ir::Graph& graph, NodeId id, const std::vector<std::uint64_t>& made_of,
                   Hasher& hasher, Groups& out) {
    const std::size_t ordered = ordered_operands(graph, id);
    std::vector<std::uint64_t> operands;
    std::uint64_t captured = 0;
    for (const Value operand : graph.operands(id)) {
      const std::size_t place = operands.size();
      const std::uint64_t own = made_of[operand.id];
      operands.push_back(place < ordered ? Hasher().add(own).add(place).finish().low : own);
      if (place < ordered) {
        hasher.add(own);
      } else {
        captured += own;
      }
    }
    hasher.add(captured);
    if (graph.node(id).op == ir::Op::conditional) operands.erase(operands.begin());
    std::vector<const Hashes*> functions;
    std::uint64_t given = 0;
    for (const ir::Attribute& attribute : graph.node(id).attributes) {
      const auto run = ir::functions_of(attribute);
      if (run.empty()) ir::hash_attribute(hasher, attribute);
      for (const ir::FunctionPtr& each : run) {
        functions.push_back(&function(*each, operands));
        for (const std::uint64_t result : functions.back()->results) given += result;
      }
    }
    hasher.add(given);
    const std::uint64_t node = Hasher(hasher).finish().low;
    for (const Hashes* const each : functions) {
      for (const auto& [group, calls] : each->calls) out[group].add(calls, node);
    }
  }

  const Hashes& function(const ir::Function& function,
                         const std::vector<std::uint64_t>& parameters) {
    static const Hashes nothing;
    if (!complete()) return nothing;
    const auto known = known_.find({&function, parameters});
    if (known != known_.end()) return known->second;
    Hashes out = of(function.graph(), parameters);
    return known_.emplace(std::pair(&function, parameters), std::move(out)).first->second;
  }

  void add_calls(const ir::Graph& graph, NodeId id, const std::vector<std::uint64_t>& made_of,
                 Groups& out) const {
    for (const LoweredCollective& lowered : lower_collective(graph, id, rank_, algorithms_)) {
      if (!is_hashed(lowered.call, lowered.parent)) continue;
      Hasher hasher;
      hasher.add(runtime::fingerprint(lowered.call)).add(lowered.call.site);
      for (const Value operand : lowered.operands) hasher.add(made_of[operand.id]);
      out[group_of(*lowered.group, lowered.engine, rank_)].add(hasher.finish().low);
    }
  }

  const std::int64_t rank_;
  const runtime::Algorithms& algorithms_;
  std::map<std::pair<const ir::Function*, std::vector<std::uint64_t>>, Hashes> known_;
};

}  // namespace

std::map<CallGroup, runtime::ProgramCalls> program_calls(const ir::Graph& traced,
                                                         std::size_t arguments, std::int64_t rank,
                                                         const runtime::Algorithms& algorithms) {
  std::map<CallGroup, runtime::ProgramCalls> out;
  if (!traced.has_calls()) return out;
  CallHashes hashes(rank, algorithms);
  const auto all = hashes.of(traced, hashes_of_parameters(traced, arguments));
  if (!hashes.complete()) return out;
  for (const auto& [group, calls] : all.calls) out.emplace(group, calls.hashes());
  return out;
}

void add_program_calls(Plan& plan, const std::map<CallGroup, runtime::ProgramCalls>& calls) {
  for (Step& step : plan.steps) {
    CollectiveStart* const start = start_of(step);
    if (start == nullptr || !is_hashed(start->call, start->parent)) continue;
    const auto found = calls.find(group_of(*start->group, start->engine, plan.rank));
    if (found != calls.end()) start->call.program = found->second;
  }
}

}  // namespace tutti::codegen
