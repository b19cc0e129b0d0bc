#include <tutti/ir/ops/family.h>

namespace tutti::ir::family {

namespace {

void infer_matmul(Inference& in) {
  const Type& a = in.operand(0);
  const Type& b = in.operand(1);
  in.require(a.dtype == b.dtype, "mixed dtypes; cast one of them");
  in.require(a.dtype != DType::boolean, "takes numbers; cast bool first");
  in.require(a.shape.rank() >= 2 && b.shape.rank() >= 2,
             "both operands need two dimensions or more");
  const std::int64_t inner = a.shape[a.shape.rank() - 1];
  in.require(inner == b.shape[b.shape.rank() - 2], [&] {
    return "the inner sizes differ: " + std::to_string(inner) + " columns and " +
           std::to_string(b.shape[b.shape.rank() - 2]) + " rows";
  });
  const Shape batch = broadcast_shapes(in, batch_shape(a.shape), batch_shape(b.shape));
  std::vector<std::int64_t> sizes(batch.begin(), batch.end());
  sizes.push_back(a.shape[a.shape.rank() - 2]);
  sizes.push_back(b.shape[b.shape.rank() - 1]);
  in.result(a.dtype, Shape(sizes));
}

void gradient_matmul(Gradient& gradient) {
  const Term g = gradient.cotangent();
  const Term a = gradient.operand(0);
  const Term b = gradient.operand(1);
  if (gradient.wants(0)) {
    gradient.operand_cotangent(0, sum_to(matmul(g, transpose_last(b)), a.shape()));
  }
  if (!gradient.wants(1)) return;
  if (b.shape().rank() == 2 && a.shape().rank() > 2) {
    // A matrix shared by the whole batch: one long product instead of a sum of short ones.
    std::int64_t rows = 1;
    for (int d = 0; d < a.shape().rank() - 1; ++d) rows *= a.shape()[d];
    const Term flat_a = reshape(a, {rows, b.shape()[0]});
    const Term flat_g = reshape(g, {rows, b.shape()[1]});
    gradient.operand_cotangent(1, matmul(transpose_last(flat_a), flat_g));
    return;
  }
  gradient.operand_cotangent(1, sum_to(matmul(transpose_last(a), g), b.shape()));
}

void interpret_matmul(Interpretation& in) {
  const Array& a = in.operand(0);
  const Array& b = in.operand(1);
  const Type& type = in.result_type();
  const DType dtype = type.dtype;
  const DType wide = is_floating(dtype) ? DType::f64 : dtype;
  const int rank = type.shape.rank();
  const std::int64_t n = type.shape[rank - 1];
  const std::int64_t inner = a.shape()[a.shape().rank() - 1];
  const auto batch_offset = [&](const Array& x, std::span<const std::int64_t> batch) {
    const auto strides = x.shape().strides();
    std::int64_t offset = 0;
    const int skip = rank - x.shape().rank();
    for (int d = 0; d < x.shape().rank() - 2; ++d) {
      if (x.shape()[d] != 1) {
        offset += batch[static_cast<std::size_t>(d + skip)] * strides[static_cast<std::size_t>(d)];
      }
    }
    return offset;
  };
  const auto load = [&](const Array& x, std::int64_t at) {
    const Cell cell = load_cell(dtype, x.bytes().data() + at * size_of(dtype));
    return wide == dtype ? cell : evaluate(ScalarOp::cast, compute_dtype(dtype), {cell}, wide);
  };
  Array out(dtype, type.shape);
  std::int64_t to = 0;
  for_each_index(type.shape, [&](std::span<const std::int64_t> index) {
    const std::int64_t row = batch_offset(a, index) + index[index.size() - 2] * inner;
    const std::int64_t column = batch_offset(b, index) + index[index.size() - 1];
    Cell total = cell_of(wide, 0);
    for (std::int64_t k = 0; k < inner; ++k) {
      const Cell product =
          evaluate(ScalarOp::mul, wide, {load(a, row + k), load(b, column + k * n)});
      total = evaluate(ScalarOp::add, wide, {total, product});
    }
    if (wide != dtype) total = evaluate(ScalarOp::cast, wide, {total}, compute_dtype(dtype));
    store_cell(dtype, total, out.bytes().data() + to++ * size_of(dtype));
  });
  in.result(std::move(out));
}

}  // namespace

void add_linear_algebra(std::vector<Definition>& out) {
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
#include <tutti/ir/table/linear_algebra.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
