#include <tutti/ir/control.h>
#include <tutti/ir/ops/control.h>

namespace tutti::ir {

bool is_control(Op op) { return definition(op).kind == OpClass::control; }

FunctionPlace place_of_functions(const Attributes& attributes) {
  std::optional<FunctionPlace> out;
  for (const Attribute& attribute : attributes.values()) {
    for (const FunctionPtr& function : functions_of(attribute)) {
      const Graph& graph = function->graph();
      for (const Parameter& parameter : graph.parameters()) {
        const Type& type = graph.type(parameter.value);
        if (!out) out = {.replication = type.replication, .device = type.device};
        out->replication = intersect(out->replication, type.replication);
      }
    }
  }
  return out.value_or(FunctionPlace{});
}

std::optional<Replication> replication_of_argument(Op op, const Attributes& attributes,
                                                   std::size_t operand) {
  if (is_branch_index(op, operand)) return std::nullopt;
  const std::size_t parameter = op == Op::conditional ? operand - 1 : operand;
  std::optional<Replication> out;
  for (const Attribute& attribute : attributes.values()) {
    for (const FunctionPtr& function : functions_of(attribute)) {
      const Graph& graph = function->graph();
      if (parameter >= graph.parameters().size()) continue;
      const Replication& own = graph.type(graph.parameters()[parameter].value).replication;
      out = out ? intersect(*out, own) : own;
    }
  }
  return out;
}

}  // namespace tutti::ir

namespace tutti::ir::family {

namespace control {

Shape with_first_axis(std::int64_t size, const Shape& shape) {
  std::vector<std::int64_t> sizes = {size};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return Shape(sizes);
}

Shape without_first_axis(const Shape& shape) { return Shape(shape.sizes().subspan(1)); }

}  // namespace control

void add_control(std::vector<Definition>& out) {
  using namespace control;
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .interpret = interpret_##id,               \
                 .documentation = docs});
#include <tutti/ir/table/control.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
