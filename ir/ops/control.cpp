#include <tutti/ir/control.h>
#include <tutti/ir/ops/control.h>

namespace tutti::ir {

bool is_control(Op op) { return definition(op).kind == OpClass::control; }

FunctionPlace place_of_functions(const Attributes& attributes) {
  for (const Attribute& attribute : attributes.values()) {
    for (const FunctionPtr& function : functions_of(attribute)) {
      const Graph& graph = function->graph();
      if (graph.parameters().empty()) continue;
      const Type& type = graph.type(graph.parameters()[0].value);
      return {.replication = type.replication, .device = type.device};
    }
  }
  return {};
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
#include <tutti/ir/ops/control.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
