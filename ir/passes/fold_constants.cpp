#include <tutti/ir/interpret/interpret.h>
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
#include <tutti/ir/table/random.def>
#undef TUTTI_STRUCTURED
    return true;
    default:
      return false;
  }
}

// The constant that a value is, perhaps made to vary; null if it is none or a large one.
const Node* small_constant(const Graph& graph, Value value) {
  if (graph.op(value) == Op::vary) value = graph.operand(graph.producer(value), 0);
  if (graph.op(value) != Op::constant) return nullptr;
  if (graph.type(value).shape.elements() > kMostElements) return nullptr;
  return &graph.node(graph.producer(value));
}

// Whether the program combines several floats in f32, and may leave its range on the way, where
// the interpreter does so in f64.
bool has_wider_reference(const Graph& graph, NodeId id) {
  switch (graph.node(id).op) {
    case Op::sum:
    case Op::prod:
    case Op::cumsum:
    case Op::matmul:
    case Op::conv: {
      const Type& type = graph.type(graph.operand(id, 0));
      return is_floating(type.dtype) && type.dtype != DType::f64 && type.shape.elements() > 1;
    }
    default:
      return false;
  }
}

// Local ops with one small result, not placed yet. Loops stay, since they may take long. Random ops
// stay, so that a key that becomes known doesn't change when numbers are drawn; what looks at
// values does so in each run; and a broadcast stays, since one number that is read many times is
// better than an array.
bool may_fold(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const OpClass kind = definition(node.op).kind;
  if (kind == OpClass::collective || kind == OpClass::wait || kind == OpClass::control)
    return false;
  if (is_random(node.op) || node.op == Op::observe || has_wider_reference(graph, id)) return false;
  if (node.op == Op::vary || node.operand_count == 0 || node.result_count != 1) return false;
  const Type& type = graph.type(graph.result(id));
  if (type.async || !type.device.is_any()) return false;
  if (node.op == Op::broadcast_to &&
      type.shape.elements() > graph.type(graph.operand(id, 0)).shape.elements()) {
    return false;
  }
  return type.shape.elements() <= kMostElements;
}

// The node's result, by interpreting a program of it alone.
Array value_of(const Graph& graph, NodeId id, std::span<const Node* const> operands) {
  Graph alone;
  Builder builder(alone);
  std::vector<Value> copies;
  for (const Node* operand : operands) {
    copies.push_back(builder.add(Op::constant, {}, operand->attributes));
  }
  const Node& node = graph.node(id);
  alone.set_results({builder.add(node.op, copies, node.attributes)});
  return interpret(alone, std::vector<Array>())[0];
}

}  // namespace

bool fold_constants(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    if (!may_fold(graph, id)) return false;
    std::vector<const Node*> operands;
    for (const Value operand : graph.operands(id)) {
      operands.push_back(small_constant(rewriter.to(), rewriter.map(operand)));
      if (operands.back() == nullptr) return false;
    }
    Builder& builder = rewriter.builder();
    Value value = builder.constant(value_of(graph, id, operands));
    // What is computed from literals alone is none itself.
    if (!graph.type(graph.result(id)).replication.literal) {
      value = builder.adapt(value, graph.type(graph.result(id)).replication);
    }
    rewriter.replace(id, value);
    return true;
  });
}

}  // namespace tutti::ir
