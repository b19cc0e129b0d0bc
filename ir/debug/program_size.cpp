#include <tutti/ir/debug/program_size.h>
#include <tutti/ir/function.h>

#include <unordered_set>

namespace tutti::ir {

namespace {

void add(ProgramSize& out, const Graph& function) {
  for (NodeId id = 0; id < function.node_count(); ++id) {
    for (const Attribute& attribute : function.node(id).attributes) {
      const auto* const group = std::get_if<GroupPtr>(&attribute);
      if (group != nullptr) out.ranks += (*group)->ranks.size();
    }
    const Op op = function.node(id).op;
    if (op == Op::parameter) {
      ++out.signature;
    } else {
      ++(is_constant(function, id) ? out.constants : out.nodes);
    }
    if (op == Op::scan) {
      out.elements += static_cast<double>(function.attributes(id).integer("length"));
    }
  }
  out.signature += function.results().size();
  for (std::uint32_t id = 0; id < function.value_count(); ++id) {
    out.elements += static_cast<double>(function.type(Value{id}).shape.elements());
  }
}

}  // namespace

std::size_t count_nodes(const Graph& graph) {
  std::size_t out = graph.node_count();
  for (const FunctionPtr& function : all_functions(graph)) out += function->graph().node_count();
  return out;
}

bool is_constant(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (definition(node.op).kind == OpClass::make) return true;
  return node.op == Op::broadcast_to &&
         definition(graph.op(graph.operand(id, 0))).kind == OpClass::make;
}

ProgramSize size_of(const Programs& programs) {
  ProgramSize out;
  for (const Module& program : programs) {
    ++out.ranks;
    out.functions += program.functions.size();
    std::unordered_set<const Function*> seen;
    for (const Graph& function : program.functions) {
      add(out, function);
      if (function.mesh != nullptr) out.ranks += static_cast<std::size_t>(function.mesh->ranks());
      for (const FunctionPtr& inner : all_functions(function)) {
        if (!seen.insert(inner.get()).second) continue;
        ++out.inner;
        add(out, inner->graph());
      }
    }
  }
  return out;
}

}  // namespace tutti::ir
