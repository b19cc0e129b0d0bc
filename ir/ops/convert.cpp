#include <tutti/ir/ops/family.h>

namespace tutti::ir::family {

namespace {

void infer_cast(Inference& in) { in.result(in.attributes.dtype("dtype"), in.operand(0).shape); }

void gradient_cast(Gradient& gradient) {
  const DType from = gradient.operand(0).dtype();
  if (!is_floating(from)) return;
  gradient.operand_cotangent(0, cast(gradient.cotangent(), from));
}

void infer_bitcast(Inference& in) {
  const DType to = in.attributes.dtype("dtype");
  const DType from = in.operand(0).dtype;
  in.require(
      size_of(to) == size_of(from) && (to == DType::boolean) == (from == DType::boolean), [&] {
        return "cannot reinterpret " + std::string(name_of(from)) + " as " +
               std::string(name_of(to)) + ": they must have the same size, and bool only itself";
      });
  in.result(to, in.operand(0).shape);
}

constexpr void (*gradient_bitcast)(Gradient&) = nullptr;

ScalarExpression conversion(ScalarOp op) {
  return {.nodes = {{.op = ScalarOp::argument}, {.op = op, .operands = {0, 0, 0}}}, .arguments = 1};
}

}  // namespace

void add_convert(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .meaning = conversion(ScalarOp::id),       \
                 .documentation = docs});
#include <tutti/ir/table/convert.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
