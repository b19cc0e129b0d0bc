#include <tutti/codegen/control_step.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tutti::codegen {

namespace {

void collect(const Plan& plan, std::unordered_set<const Plan*>& seen, std::vector<Plan*>& out) {
  for (const std::shared_ptr<Plan>& function : plan.functions) {
    if (!seen.insert(function.get()).second) continue;
    collect(*function, seen, out);
    out.push_back(function.get());
  }
}

}  // namespace

Control control_of(const ir::Graph& graph, ir::NodeId node) {
  const ir::Attributes attributes = graph.attributes(node);
  Control out;
  out.location = graph.node(node).location;
  switch (graph.node(node).op) {
    case ir::Op::scan:
      out.kind = Control::Kind::scan;
      out.carries = attributes.integer("carries");
      out.sequences = attributes.integer("sequences");
      out.length = attributes.integer("length");
      out.reverse = attributes.flag("reverse");
      return out;
    case ir::Op::while_loop:
      out.kind = Control::Kind::while_loop;
      out.carries = attributes.integer("carries");
      return out;
    case ir::Op::conditional:
      out.kind = Control::Kind::conditional;
      return out;
    default:
      throw InternalError(std::string(name_of(graph.node(node).op)) + " runs no functions",
                          out.location);
  }
}

std::vector<Plan*> nested_plans(const Plan& plan) {
  std::unordered_set<const Plan*> seen;
  std::vector<Plan*> out;
  collect(plan, seen, out);
  return out;
}

std::int64_t arena_with_functions(const Plan& plan) {
  std::unordered_map<const Plan*, std::int64_t> known;  // of the plans that were met
  const auto with_functions = [&](const Plan& of) {
    std::int64_t most = 0;
    for (const std::shared_ptr<Plan>& function : of.functions) {
      most = std::max(most, known.at(function.get()));
    }
    return of.arena_bytes + most;
  };
  for (const Plan* const function : nested_plans(plan)) {
    known.emplace(function, with_functions(*function));
  }
  return with_functions(plan);
}

}  // namespace tutti::codegen
