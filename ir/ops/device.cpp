#include <tutti/ir/ops/family.h>

namespace tutti::ir::family {

namespace {

void infer_to_device(Inference& in) {
  Type type = in.operand(0);
  type.device = device_attribute(in, "device");
  in.result(type);
}

// What lies anywhere takes its cotangent from anywhere.
void gradient_to_device(Gradient& gradient) {
  const Device device = gradient.operand(0).type().device;
  const Term g = gradient.cotangent();
  gradient.operand_cotangent(0, device.is_any() ? g : to_device(g, device));
}

void interpret_to_device(Interpretation& in) { in.result(in.operand(0)); }

}  // namespace

void add_device(std::vector<Definition>& out) {
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
#include <tutti/ir/table/device.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
