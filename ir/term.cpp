#include <tutti/ir/term.h>

#include <utility>

namespace tutti::ir {

namespace {

std::vector<std::int64_t> list(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

Term cast(Term a, DType dtype) { return a.dtype() == dtype ? a : a.apply(Op::cast, {dtype}); }

Term reshape(Term a, const Shape& shape) {
  return a.shape() == shape ? a : a.apply(Op::reshape, {list(shape)});
}

Term transpose(Term a, std::vector<std::int64_t> permutation) {
  return a.apply(Op::transpose, {std::move(permutation)});
}

std::vector<std::int64_t> inverse_permutation(const std::vector<std::int64_t>& permutation) {
  std::vector<std::int64_t> out(permutation.size());
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    out[static_cast<std::size_t>(permutation[d])] = static_cast<std::int64_t>(d);
  }
  return out;
}

Term broadcast_to(Term a, const Shape& shape) {
  return a.shape() == shape ? a : a.apply(Op::broadcast_to, {list(shape)});
}

Term to_device(Term a, Device device) {
  return a.type().device == device ? a : a.apply(Op::to_device, {device.text()});
}

Term sum(Term a, std::vector<std::int64_t> axes, bool keepdims) {
  return axes.empty() ? a : a.apply(Op::sum, {std::move(axes), keepdims});
}

Term max(Term a, std::vector<std::int64_t> axes, bool keepdims) {
  return axes.empty() ? a : a.apply(Op::max, {std::move(axes), keepdims});
}

Term matmul(Term a, Term b) { return apply(Op::matmul, a, b); }

Term transpose_last(Term a) {
  std::vector<std::int64_t> permutation;
  for (int d = 0; d < a.shape().rank(); ++d) permutation.push_back(d);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return transpose(a, std::move(permutation));
}

Term sum_to(Term a, const Shape& shape) {
  if (a.shape() == shape) return a;
  const int extra = a.shape().rank() - shape.rank();
  std::vector<std::int64_t> axes;
  for (int d = 0; d < a.shape().rank(); ++d) {
    if (d < extra || (shape[d - extra] == 1 && a.shape()[d] != 1)) axes.push_back(d);
  }
  return reshape(sum(a, std::move(axes)), shape);
}

Term iota_like(Term a, const Shape& shape, std::int64_t axis, DType dtype) {
  Builder* builder = a.builder();
  const Value places = builder->add(Op::iota, std::span<const Value>(), {dtype, list(shape), axis});
  return {builder, builder->adapt(places, a.type().replication)};
}

}  // namespace tutti::ir
