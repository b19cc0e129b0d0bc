#include <tutti/ir/widened_operands.h>

#include <cstdint>

namespace tutti::ir {

namespace {

// What a value's readers, all of them, are.
enum class ReadBy : std::uint8_t { nobody, products, others };

}  // namespace

std::vector<bool> find_widened_operands(const Graph& graph) {
  std::vector<bool> out(graph.node_count(), false);
  std::vector<ReadBy> readers(graph.value_count(), ReadBy::nobody);
  for (const Value value : graph.results()) readers[value.id] = ReadBy::others;
  for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
    const Node& node = graph.node(id);
    ReadBy own = ReadBy::others;
    if (node.op == Op::matmul && graph.device(graph.result(id)).is_cpu()) {
      own = ReadBy::products;
    } else if (definition(node.op).kind == OpClass::view) {
      own = readers[graph.result(id).id];
    }
    for (const Value operand : graph.operands(id)) {
      ReadBy& known = readers[operand.id];
      if (known != ReadBy::others && own != ReadBy::nobody) known = own;
    }
    if (node.op != Op::cast || readers[graph.result(id).id] != ReadBy::products) continue;
    out[id] =
        products_widen(graph.type(graph.operand(id, 0)).dtype, graph.type(graph.result(id)).dtype);
  }
  return out;
}

}  // namespace tutti::ir
