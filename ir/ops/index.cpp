#include <tutti/ir/ops/family.h>

#include <algorithm>

namespace tutti::ir::family {

namespace {

// Index `at` of an integer array, as i64 (u64 beyond the range of i64 counts as too large).
std::int64_t index_at(const Array& indices, std::int64_t at) {
  const Cell cell =
      load_cell(indices.dtype(), indices.bytes().data() + at * size_of(indices.dtype()));
  if (is_unsigned(indices.dtype()) && cell.natural > static_cast<std::uint64_t>(INT64_MAX)) {
    return INT64_MAX;
  }
  return cell.integer;
}

void check_indices(const Inference& in) {
  in.require(is_integer(in.operand(1).dtype), "indices must be integers");
}

// The indices in a dtype that holds every position of a dimension, and clamped to its positions.
Term wide_indices(Term indices) {
  return size_of(indices.dtype()) < 4 ? cast(indices, DType::i32) : indices;
}
Term clamped(Term indices, std::int64_t size) {
  const auto last = static_cast<double>(std::max<std::int64_t>(size - 1, 0));
  return minimum(maximum(wide_indices(indices), 0), last);
}

// The shape of take(x, indices).
Shape taken_shape(const Shape& x, const Shape& indices, std::int64_t axis) {
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < x.rank(); ++d) {
    if (d != axis) {
      sizes.push_back(x[d]);
    } else {
      sizes.insert(sizes.end(), indices.begin(), indices.end());
    }
  }
  return Shape(sizes);
}

void infer_take(Inference& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  check_axis(in, axis, in.operand(0).shape.rank());
  check_indices(in);
  const Shape shape = taken_shape(in.operand(0).shape, in.operand(1).shape, axis);
  in.require(in.operand(0).shape[static_cast<int>(axis)] > 0 || shape.elements() == 0,
             "nothing can be taken from an empty axis");
  in.result(in.operand(0).dtype, shape);
}
void gradient_take(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const Term x = gradient.operand(0);
  // In f32 and rounded once: 256 equal indices would be the end of what bf16 can count.
  const Term zeros = broadcast_to(widened(x.constant(0)), x.shape());
  const Term indices = clamped(gradient.operand(1), x.shape()[static_cast<int>(axis)]);
  const Term sums = apply(Op::scatter_add, zeros, indices, widened(gradient.cotangent()), {axis});
  gradient.operand_cotangent(0, cast(sums, x.dtype()));
}
void interpret_take(Interpretation& in) {
  const Array& x = in.operand(0);
  const Array& indices = in.operand(1);
  const std::int64_t axis = in.attributes.integer("axis");
  const std::int64_t inner = x.shape().strides()[static_cast<std::size_t>(axis)];
  const std::int64_t size = x.shape()[static_cast<int>(axis)];
  Array out(x.dtype(), in.result_type().shape);
  for (std::int64_t to = 0; to < out.elements(); ++to) {
    const std::int64_t at = to / inner % indices.elements();
    const std::int64_t outer = to / inner / indices.elements();
    const std::int64_t row = std::clamp<std::int64_t>(index_at(indices, at), 0, size - 1);
    copy_element(x, (outer * size + row) * inner + to % inner, out, to);
  }
  in.result(std::move(out));
}

void infer_take_along_axis(Inference& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  const Shape& x = in.operand(0).shape;
  const Shape& indices = in.operand(1).shape;
  check_axis(in, axis, x.rank());
  check_indices(in);
  in.require(x.rank() == indices.rank(), "indices must have the operand's rank");
  for (int d = 0; d < x.rank(); ++d) {
    in.require(d == axis || x[d] == indices[d],
               [&] { return "indices differ from the operand in dimension " + std::to_string(d); });
  }
  in.require(x[static_cast<int>(axis)] > 0 || indices.elements() == 0,
             "nothing can be taken from an empty axis");
  in.result(in.operand(0).dtype, indices);
}
void gradient_take_along_axis(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const Term x = gradient.operand(0);
  const Term indices = gradient.operand(1);
  const Term g = gradient.cotangent();
  const Term bounded = clamped(indices, x.shape()[static_cast<int>(axis)]);
  if (indices.shape()[static_cast<int>(axis)] == 1) {
    const bool narrow = x.shape()[static_cast<int>(axis)] <= INT32_MAX;
    const DType dtype = narrow ? bounded.dtype() : DType::i64;
    const Term position = iota_like(x, x.shape(), axis, dtype);
    gradient.operand_cotangent(0, select(cast(bounded, dtype) == position, g, 0));
    return;
  }
  gradient.operand_cotangent(0, put_along_axis(x, bounded, g, axis));
}
void interpret_take_along_axis(Interpretation& in) {
  const Array& x = in.operand(0);
  const Array& indices = in.operand(1);
  const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
  const std::int64_t inner = x.shape().strides()[axis];
  const std::int64_t size = x.shape().sizes()[axis];
  const std::int64_t count = indices.shape().sizes()[axis];
  Array out(x.dtype(), in.result_type().shape);
  for (std::int64_t to = 0; to < out.elements(); ++to) {
    const std::int64_t row = std::clamp<std::int64_t>(index_at(indices, to), 0, size - 1);
    copy_element(x, (to / inner / count * size + row) * inner + to % inner, out, to);
  }
  in.result(std::move(out));
}

void infer_scatter_add(Inference& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  check_axis(in, axis, in.operand(0).shape.rank());
  check_indices(in);
  const Shape shape = taken_shape(in.operand(0).shape, in.operand(1).shape, axis);
  in.require(in.operand(2).dtype == in.operand(0).dtype, "mixed dtypes; cast the updates");
  in.require(in.operand(0).dtype != DType::boolean, "takes numbers; cast bool first");
  in.require(in.operand(2).shape == shape,
             [&] { return "the updates must have shape " + shape.text(); });
  in.result(in.operand(0).dtype, in.operand(0).shape);
}
void gradient_scatter_add(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  gradient.operand_cotangent(0, gradient.cotangent());
  if (!gradient.wants(2)) return;
  const Term indices = gradient.operand(1);
  const Term g = gradient.cotangent();
  const std::int64_t size = gradient.operand(0).shape()[static_cast<int>(axis)];
  if (size == 0) return;  // all were dropped
  // Updates that were dropped get nothing. (Behind an axis that is longer than the indices' dtype
  // can say, none were: the last position becomes the dtype's largest number.)
  const Term positions = wide_indices(indices);
  Term inside = apply(Op::logical_and, positions >= 0, positions <= static_cast<double>(size - 1));
  std::vector<std::int64_t> sizes(indices.shape().begin(), indices.shape().end());
  for (int d = static_cast<int>(axis) + 1; d < g.shape().rank(); ++d) sizes.push_back(1);
  inside = reshape(inside, Shape(sizes));
  gradient.operand_cotangent(2, select(inside, apply(Op::take, g, indices, {axis}), 0));
}
void interpret_scatter_add(Interpretation& in) {
  Array out = in.operand(0);
  const Array& indices = in.operand(1);
  const Array& updates = in.operand(2);
  const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
  const std::int64_t inner = out.shape().strides()[axis];
  const std::int64_t size = out.shape().sizes()[axis];
  const DType dtype = out.dtype();
  const std::int64_t bytes = size_of(dtype);
  for (std::int64_t from = 0; from < updates.elements(); ++from) {
    const std::int64_t row = index_at(indices, from / inner % indices.elements());
    if (row < 0 || row >= size) continue;
    const std::int64_t outer = from / inner / indices.elements();
    std::byte* to = out.bytes().data() + ((outer * size + row) * inner + from % inner) * bytes;
    const Cell update = load_cell(dtype, updates.bytes().data() + from * bytes);
    store_cell(dtype, evaluate(ScalarOp::add, compute_dtype(dtype), {load_cell(dtype, to), update}),
               to);
  }
  in.result(std::move(out));
}

void check_starts(const Inference& in, const Type& starts) {
  in.require(is_integer(starts.dtype), "the starts must be integers");
  const Shape wanted = {in.operand(0).shape.rank()};
  in.require(starts.shape == wanted, [&] {
    return "the starts must have shape " + wanted.text() + ", one for each dimension";
  });
}
// A part of x, of that size in a dimension, has to fit.
void check_part(const Inference& in, int dimension, std::int64_t size) {
  const std::int64_t all = in.operand(0).shape[dimension];
  in.require(size >= 0 && size <= all, [&] {
    return "a part of size " + std::to_string(size) + " of the " + std::to_string(all) +
           " elements of dimension " + std::to_string(dimension);
  });
}

// Calls f(place in x, place in the part) for each element of the part of x that begins at `starts`.
template <class F>
void for_each_of_part(const Shape& x, const Shape& part, const Array& starts, F&& f) {
  const auto strides = x.strides();
  std::int64_t base = 0;
  for (int d = 0; d < x.rank(); ++d) {
    const std::int64_t last = x[d] - part[d];
    base += std::clamp<std::int64_t>(index_at(starts, d), 0, last) *
            strides[static_cast<std::size_t>(d)];
  }
  std::int64_t place = 0;
  for_each_index(part, [&](std::span<const std::int64_t> index) {
    std::int64_t at = base;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
    f(at, place++);
  });
}

void infer_dynamic_slice(Inference& in) {
  const auto& sizes = in.attributes.integers("sizes");
  const Shape& x = in.operand(0).shape;
  check_starts(in, in.operand(1));
  in.require(std::ssize(sizes) == x.rank(), [&] {
    return std::to_string(sizes.size()) + " sizes for a tensor of rank " + std::to_string(x.rank());
  });
  for (int d = 0; d < x.rank(); ++d) check_part(in, d, sizes[static_cast<std::size_t>(d)]);
  in.result(in.operand(0).dtype, Shape(sizes));
}
void gradient_dynamic_slice(Gradient& gradient) {
  const Term x = gradient.operand(0);
  const Term zeros = broadcast_to(x.constant(0), x.shape());
  gradient.operand_cotangent(
      0, apply(Op::dynamic_update_slice, zeros, gradient.cotangent(), gradient.operand(1)));
}
void interpret_dynamic_slice(Interpretation& in) {
  const Array& x = in.operand(0);
  Array out(x.dtype(), in.result_type().shape);
  for_each_of_part(x.shape(), out.shape(), in.operand(1),
                   [&](std::int64_t at, std::int64_t place) { copy_element(x, at, out, place); });
  in.result(std::move(out));
}

void infer_dynamic_update_slice(Inference& in) {
  const Shape& x = in.operand(0).shape;
  const Type& update = in.operand(1);
  check_starts(in, in.operand(2));
  in.require(update.dtype == in.operand(0).dtype, "mixed dtypes; cast the update");
  in.require(update.shape.rank() == x.rank(), "the update must have the operand's rank");
  for (int d = 0; d < x.rank(); ++d) check_part(in, d, update.shape[d]);
  in.result(in.operand(0).dtype, x);
}
void gradient_dynamic_update_slice(Gradient& gradient) {
  const Term g = gradient.cotangent();
  const Term update = gradient.operand(1);
  const Term starts = gradient.operand(2);
  if (gradient.wants(0)) {
    const Term zeros = broadcast_to(update.constant(0), update.shape());
    gradient.operand_cotangent(0, apply(Op::dynamic_update_slice, g, zeros, starts));
  }
  const std::vector<std::int64_t> sizes(update.shape().begin(), update.shape().end());
  gradient.operand_cotangent(1, apply(Op::dynamic_slice, g, starts, {sizes}));
}
void interpret_dynamic_update_slice(Interpretation& in) {
  Array out = in.operand(0);
  const Array& update = in.operand(1);
  for_each_of_part(
      out.shape(), update.shape(), in.operand(2),
      [&](std::int64_t at, std::int64_t place) { copy_element(update, place, out, at); });
  in.result(std::move(out));
}

}  // namespace

Term put_along_axis(Term x, Term indices, Term updates, std::int64_t axis) {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (int d = 0; d < x.shape().rank(); ++d) {
    if (d != axis) (d < axis ? outer : inner) *= x.shape()[d];
  }
  const std::int64_t size = x.shape()[static_cast<int>(axis)];
  const std::int64_t count = indices.shape()[static_cast<int>(axis)];
  // Places in x's elements, as it lies row-major: [outer, size, inner].
  const DType dtype = x.shape().elements() <= INT32_MAX ? DType::i32 : DType::i64;
  const Shape rows = {outer, 1, inner};
  const Term begin = iota_like(x, rows, 0, dtype) * static_cast<double>(size * inner);
  const Term row = begin + iota_like(x, rows, 2, dtype);
  const Term places =
      cast(reshape(indices, {outer, count, inner}), dtype) * static_cast<double>(inner) + row;
  const Term terms = cast(updates, compute_dtype(x.dtype()));
  const Term zeros = broadcast_to(terms.constant(0), {x.shape().elements()});
  const Shape flat = {indices.shape().elements()};
  const Term flat_places = reshape(places, flat);
  const Term sums =
      apply(Op::scatter_add, zeros, flat_places, reshape(terms, flat), {std::int64_t{0}});
  return cast(reshape(sums, x.shape()), x.dtype());
}

void add_index(std::vector<Definition>& out) {
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
#include <tutti/ir/table/index.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
