#include <tutti/ir/widened_operands.h>

#include <cstdint>

namespace tutti::ir {

namespace {

// Of fewer rows or columns a product is no faster with narrow operands.
constexpr std::int64_t kLeastRows = 8;

class WidenedOperands {
 public:
  explicit WidenedOperands(const Graph& graph)
      : graph_(graph), origins_(graph.value_count()), kinds_(graph.value_count(), Kind::other) {}

  std::vector<bool> find() {
    std::vector<bool> out(graph_.node_count(), false);
    if (!find_casts()) return out;
    for (NodeId id = 0; id < graph_.node_count(); ++id) look_at_readers(id);
    for (const Value result : graph_.results()) refuse(result);
    // A product whose one operand is stored wide reads both so.
    for (bool changed = true; changed;) {
      changed = false;
      for (const NodeId id : products_) {
        const Value a = graph_.operand(id, 0);
        const Value b = graph_.operand(id, 1);
        if (is_widened(a) != is_widened(b)) changed = refuse(is_widened(a) ? a : b);
      }
    }
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      out[id] = graph_.node(id).op == Op::cast &&
                kinds_[graph_.result(id).id] == Kind::operand_of_products;
    }
    return out;
  }

 private:
  enum class Kind : std::uint8_t { other, unread, operand_of_products };

  bool find_casts() {
    bool any = false;
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const Node& node = graph_.node(id);
      const bool view = definition(node.op).kind == OpClass::view;
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        const Value result = graph_.result(id, i);
        origins_[result.id] = view ? origins_[graph_.operand(id, 0).id] : result;
      }
      if (node.op != Op::cast || !products_widen(graph_.type(graph_.operand(id, 0)).dtype,
                                                 graph_.type(graph_.result(id)).dtype)) {
        continue;
      }
      kinds_[graph_.result(id).id] = Kind::unread;
      any = true;
    }
    return any;
  }

  void look_at_readers(NodeId id) {
    const Op op = graph_.node(id).op;
    if (definition(op).kind == OpClass::view) return;
    const bool takes = op == Op::matmul && graph_.device(graph_.result(id)).is_cpu() &&
                       has_rows(graph_.type(graph_.result(id)).shape);
    if (takes) products_.push_back(id);
    for (const Value operand : graph_.operands(id)) {
      Kind& kind = kinds_[origins_[operand.id].id];
      if (!takes) {
        kind = Kind::other;
      } else if (kind == Kind::unread) {
        kind = Kind::operand_of_products;
      }
    }
  }

  static bool has_rows(const Shape& shape) {
    return shape.rank() >= 2 && shape[shape.rank() - 2] >= kLeastRows &&
           shape[shape.rank() - 1] >= kLeastRows;
  }

  bool is_widened(Value value) const {
    return kinds_[origins_[value.id].id] == Kind::operand_of_products;
  }
  bool refuse(Value value) {
    kinds_[origins_[value.id].id] = Kind::other;
    return true;
  }

  const Graph& graph_;
  std::vector<Value> origins_;  // what a value is a view of
  std::vector<Kind> kinds_;     // of the origins
  std::vector<NodeId> products_;
};

}  // namespace

std::vector<bool> find_widened_operands(const Graph& graph) {
  return WidenedOperands(graph).find();
}

}  // namespace tutti::ir
