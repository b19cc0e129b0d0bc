#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/passes/splat.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::ir {

std::optional<Splat> splat_of(const Graph& graph, Value value, int depth) {
  const Node& node = graph.node(graph.producer(value));
  if (node.op == Op::ones_like || node.op == Op::zeros_like) {
    const double number = node.op == Op::ones_like ? 1 : 0;
    return Splat{Array::scalar_of(graph.type(value).dtype, number), true};
  }
  if (node.op == Op::constant) {
    const Array& array = *std::get<ArrayPtr>(node.attributes[0]);
    if (array.elements() != 1) return std::nullopt;
    return Splat{array};
  }
  if (depth == 0) return std::nullopt;
  if (node.op == Op::broadcast_to || node.op == Op::reshape || node.op == Op::vary) {
    return splat_of(graph, graph.operand(graph.producer(value), 0), depth - 1);
  }
  if (definition(node.op).kind != OpClass::elementwise) return std::nullopt;
  Graph alone;
  Builder builder(alone);
  std::vector<Value> numbers;
  bool is_computed = false;
  for (const Value operand : graph.operands(graph.producer(value))) {
    const std::optional<Splat> number = splat_of(graph, operand, depth - 1);
    if (!number) return std::nullopt;
    is_computed = is_computed || number->is_computed;
    numbers.push_back(builder.constant(number->number.reshaped({})));
  }
  alone.set_results({builder.add(node.op, numbers, node.attributes)});
  return Splat{interpret(alone, std::vector<Array>())[0], is_computed};
}

bool is_splat(const Graph& graph, Value value, double number) {
  const std::optional<Splat> splat = splat_of(graph, value);
  if (!splat) return false;
  const Array& own = splat->number;
  return std::ranges::equal(own.bytes(), Array::scalar_of(own.dtype(), number).bytes());
}

Value source_like(const Graph& graph, Value value) {
  constexpr int kMostSteps = 1000;
  const Type wanted = graph.type(value);
  bool computed = false;
  for (int step = 0; step < kMostSteps; ++step) {
    const NodeId node = graph.producer(value);
    Value best;
    for (const Value operand : graph.operands(node)) {
      Type type = graph.type(operand);
      const std::int64_t elements = type.shape.elements();
      if (best.valid() && elements >= graph.type(best).shape.elements()) continue;
      type.shape = wanted.shape;
      if (elements > 0 && type == wanted) best = operand;
    }
    if (!best.valid()) break;
    computed = computed || definition(graph.node(node).op).kind != OpClass::view;
    value = best;
  }
  return computed ? value : Value{};
}

}  // namespace tutti::ir
