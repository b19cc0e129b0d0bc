#include <tutti/ir/observation.h>
#include <tutti/ir/ops/family.h>

// What shows what passes through.
namespace tutti::ir::family {

namespace {

void infer_observe(Inference& in) {
  const std::string& what = in.attributes.text("what");
  in.require(observation_from_name(what).has_value(), [&] {
    return "what is \"" + what + "\"; it may be \"print\", \"finite\" and \"no_nan\"";
  });
  const Device device = in.operand(0).device;
  in.require(device.is_any() || device.is_cpu(),
             [&] { return "looks at the host's memory, but x lies on " + device.text(); });
  in.result(in.operand(0));
}

void gradient_observe(Gradient& gradient) { gradient.operand_cotangent(0, gradient.cotangent()); }

void interpret_observe(Interpretation& in) {
  const Array& x = in.operand(0);
  const Observer observer{.what = *observation_from_name(in.attributes.text("what")),
                          .text = in.attributes.text("text"),
                          .dtype = x.dtype(),
                          .shape = x.shape(),
                          .location = in.graph().node(in.node()).location};
  observer.look(x.bytes().data(), "");
  in.result(x);
}

}  // namespace

void add_observe(std::vector<Definition>& out) {
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
#include <tutti/ir/table/observe.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
