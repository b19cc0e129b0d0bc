#include <tutti/ir/interpret.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>

namespace tutti::ir {

namespace {

// Larger arrays would make the program big and the compiler slow, to save little.
constexpr std::int64_t kMostElements = 64;

bool is_random(Op op) {
  switch (op) {
#define TUTTI_STRUCTURED(name, ...) case Op::name:
#include <tutti/ir/ops/random.def>
#undef TUTTI_STRUCTURED
    return true;
    default:
      return false;
  }
}

bool is_small_constant(const Graph& graph, Value value) {
  return graph.op(value) == Op::constant && graph.type(value).shape.elements() <= kMostElements;
}

// Local ops whose result, too, is what a constant is: small, and a literal. Random ops stay, so
// that a key that becomes known doesn't change when numbers are drawn; and so does a broadcast,
// since one number that is read many times is better than an array.
bool may_fold(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const OpClass kind = definition(node.op).kind;
  if (kind == OpClass::collective || kind == OpClass::wait || is_random(node.op)) return false;
  if (node.operand_count == 0 || node.result_count != 1) return false;
  const Type& type = graph.type(graph.result(id));
  if (type != Type{.dtype = type.dtype, .shape = type.shape, .replication = {.literal = true}}) {
    return false;
  }
  if (node.op == Op::broadcast_to &&
      type.shape.elements() > graph.type(graph.operand(id, 0)).shape.elements()) {
    return false;
  }
  return type.shape.elements() <= kMostElements;
}

// The node's result, by interpreting a program of it alone.
Array value_of(const Graph& graph, NodeId id, std::span<const Value> operands,
               const Graph& constants) {
  Graph alone;
  std::vector<Value> copies;
  for (const Value operand : operands) {
    const Type& type = constants.type(operand);
    const NodeId copy =
        alone.append(Op::constant, {}, constants.node(constants.producer(operand)).attributes,
                     std::span(&type, 1), {});
    copies.push_back(alone.result(copy));
  }
  const Node& node = graph.node(id);
  const Type& type = graph.type(graph.result(id));
  const NodeId copy =
      alone.append(node.op, copies, node.attributes, std::span(&type, 1), node.location);
  alone.set_results({alone.result(copy)});
  return interpret(alone, std::vector<Array>())[0];
}

}  // namespace

bool fold_constants(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    if (!may_fold(graph, id)) return false;
    const std::vector<Value> operands = rewriter.map_operands(id);
    if (!std::ranges::all_of(
            operands, [&](Value value) { return is_small_constant(rewriter.to(), value); })) {
      return false;
    }
    rewriter.replace(id, rewriter.builder().constant(value_of(graph, id, operands, rewriter.to())));
    return true;
  });
}

}  // namespace tutti::ir
