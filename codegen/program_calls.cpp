#include <tutti/codegen/lower_collective.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/program_calls.h>
#include <tutti/ir/control.h>
#include <tutti/ir/support/hash.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Value;

// An argument is known by its place. What was let in while the function was traced is numbered as
// it was first used, maybe by a part that one rank alone runs: it is known by its type and line.
void add_parameter(Hasher& hasher, const ir::Graph& graph, NodeId id, std::size_t place,
                   std::size_t arguments) {
  if (place < arguments) {
    hasher.add(place);
    return;
  }
  const Location where = graph.node(id).location;
  ir::hash_type(hasher, graph.type(graph.result(id)));
  hasher.add(where.file()).add(where.line()).add(where.column());
}

// What each value is made of, back to the parameters.
std::vector<std::uint64_t> structures(const ir::Graph& graph, std::size_t arguments) {
  std::vector<std::uint64_t> out(graph.value_count());
  std::size_t parameters = 0;  // met so far
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::Node& node = graph.node(id);
    Hasher hasher;
    hasher.add(static_cast<std::uint64_t>(node.op));
    if (node.op == ir::Op::parameter) add_parameter(hasher, graph, id, parameters++, arguments);
    for (const ir::Attribute& attribute : node.attributes) ir::hash_attribute(hasher, attribute);
    for (const Value operand : graph.operands(id)) hasher.add(out[operand.id]);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      out[graph.result(id, i).id] = hasher.add(i).finish().low;
    }
  }
  return out;
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
  runtime::ProgramCalls hashes() const {
    if (count < 2) return {};
    return {.set = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(set)),
            .order = static_cast<std::uint32_t>(order)};
  }
};

// Tag, engine, members: what has numbers of its own.
using GroupKey = std::tuple<std::string, std::string, std::vector<std::int64_t>>;

}  // namespace

std::vector<runtime::ProgramCalls> program_calls(const ir::Graph& traced, std::size_t arguments,
                                                 std::int64_t rank) {
  std::vector<runtime::ProgramCalls> out(traced.call_count());
  if (out.size() < 2) return out;
  const std::vector<std::uint64_t> made_of = structures(traced, arguments);
  std::map<GroupKey, GroupCalls> groups;
  std::vector<const GroupCalls*> group_of(out.size());
  for (NodeId id = 0; id < traced.node_count(); ++id) {
    // How often a loop calls is not known.
    if (traced.calls(id).empty() || ir::is_control(traced.node(id).op)) continue;
    for (const LoweredCollective& lowered : lower_collective(traced, id, rank)) {
      if (lowered.parent != nullptr || lowered.call.programs_differ) continue;
      Hasher hasher;
      hasher.add(runtime::fingerprint(lowered.call)).add(lowered.call.site);
      for (const Value operand : lowered.operands) hasher.add(made_of[operand.id]);
      GroupCalls& group =
          groups[{lowered.group->tag, lowered.engine, lowered.group->members_with(rank)}];
      group.add(hasher.finish().low);
      for (const ir::CallId call : traced.calls(id)) group_of[call] = &group;
    }
  }
  for (std::size_t call = 0; call < out.size(); ++call) {
    if (group_of[call] != nullptr) out[call] = group_of[call]->hashes();
  }
  return out;
}

void add_program_calls(Plan& plan, const std::vector<runtime::ProgramCalls>& calls) {
  for (Step& step : plan.steps) {
    CollectiveStart* const start = start_of(step);
    if (start == nullptr || start->calls.empty()) continue;
    if (start->calls[0] < calls.size()) start->call.program = calls[start->calls[0]];
  }
}

}  // namespace tutti::codegen
