#include <tutti/ir/ops/family.h>

namespace tutti::ir::family {

namespace {

void infer_parameter(Inference& in) { in.fail("a parameter's type is given, not inferred"); }
void interpret_parameter(Interpretation&) { throw InternalError("a parameter is not computed"); }

void infer_constant(Inference& in) {
  const Array& value = in.attributes.array("value");
  in.result(value.dtype(), value.shape());
}
void interpret_constant(Interpretation& in) { in.result(in.attributes.array("value")); }

void infer_iota(Inference& in) {
  const Shape shape(in.attributes.integers("shape"));
  const DType dtype = in.attributes.dtype("dtype");
  in.require(dtype != DType::boolean, "counts in numbers, not bool");
  check_axis(in, in.attributes.integer("axis"), shape.rank());
  in.result(dtype, shape);
}
void interpret_iota(Interpretation& in) {
  Array out(in.result_type().dtype, in.result_type().shape);
  const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
  std::int64_t to = 0;
  for_each_index(out.shape(), [&](std::span<const std::int64_t> index) {
    const Cell from{.integer = index[axis]};
    const Cell cell = evaluate(ScalarOp::cast, DType::i64, {from}, out.dtype());
    store_cell(out.dtype(), cell, out.bytes().data() + to++ * size_of(out.dtype()));
  });
  in.result(std::move(out));
}

}  // namespace

void add_make(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = nullptr,                       \
                 .interpret = interpret_##id,               \
                 .documentation = docs});
#include <tutti/ir/table/make.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
