#include <tutti/ir/ops/family.h>

#include <algorithm>
#include <set>

namespace tutti::ir::family {

namespace {

using Index = std::span<const std::int64_t>;

// Fills the result by asking, for every index of it, which element of operand 0 it shows.
template <class F>
void gather(Interpretation& in, F&& source_index) {
  Array out(in.result_type().dtype, in.result_type().shape);
  const auto strides = in.operand(0).shape().strides();
  std::array<std::int64_t, Shape::kMaxRank> source{};
  std::int64_t to = 0;
  for_each_index(out.shape(), [&](Index index) {
    source_index(index, source);
    std::int64_t from = 0;
    for (int d = 0; d < in.operand(0).shape().rank(); ++d) {
      from += source[static_cast<std::size_t>(d)] * strides[static_cast<std::size_t>(d)];
    }
    copy_element(in.operand(0), from, out, to++);
  });
  in.result(std::move(out));
}

void infer_reshape(Inference& in) {
  const Shape shape(in.attributes.integers("shape"));
  in.require(shape.elements() == in.operand(0).shape.elements(), [&] {
    return "shape " + shape.text() + " has " + std::to_string(shape.elements()) +
           " elements, the operand " + std::to_string(in.operand(0).shape.elements());
  });
  in.result(in.operand(0).dtype, shape);
}
void gradient_reshape(Gradient& gradient) {
  gradient.operand_cotangent(0, reshape(gradient.cotangent(), gradient.operand(0).shape()));
}
void interpret_reshape(Interpretation& in) {
  in.result(in.operand(0).reshaped(in.result_type().shape));
}

void infer_transpose(Inference& in) {
  const auto& permutation = in.attributes.integers("permutation");
  const Shape& shape = in.operand(0).shape;
  std::set<std::int64_t> seen(permutation.begin(), permutation.end());
  in.require(static_cast<int>(permutation.size()) == shape.rank() &&
                 static_cast<int>(seen.size()) == shape.rank() &&
                 (seen.empty() || (*seen.begin() == 0 && *seen.rbegin() == shape.rank() - 1)),
             [&] {
               return "permutation " + list_text(permutation) + " is not one of the operand's " +
                      std::to_string(shape.rank()) + " dimensions";
             });
  std::vector<std::int64_t> sizes;
  for (const std::int64_t from : permutation) sizes.push_back(shape[static_cast<int>(from)]);
  in.result(in.operand(0).dtype, Shape(sizes));
}
void gradient_transpose(Gradient& gradient) {
  const auto& permutation = gradient.attributes.integers("permutation");
  gradient.operand_cotangent(0, transpose(gradient.cotangent(), inverse_permutation(permutation)));
}
void interpret_transpose(Interpretation& in) {
  const auto& permutation = in.attributes.integers("permutation");
  gather(in, [&](Index index, auto& source) {
    for (std::size_t d = 0; d < index.size(); ++d) {
      source[static_cast<std::size_t>(permutation[d])] = index[d];
    }
  });
}

void infer_broadcast_to(Inference& in) {
  const Shape shape(in.attributes.integers("shape"));
  in.require(broadcast_shapes(in, in.operand(0).shape, shape) == shape,
             [&] { return "the operand does not broadcast to " + shape.text(); });
  in.result(in.operand(0).dtype, shape);
}
void gradient_broadcast_to(Gradient& gradient) {
  gradient.operand_cotangent(0, sum_to(gradient.cotangent(), gradient.operand(0).shape()));
}
void interpret_broadcast_to(Interpretation& in) {
  const Shape& shape = in.operand(0).shape();
  gather(in, [&](Index index, auto& source) {
    const int skip = static_cast<int>(index.size()) - shape.rank();
    for (int d = 0; d < shape.rank(); ++d) {
      source[static_cast<std::size_t>(d)] =
          shape[d] == 1 ? 0 : index[static_cast<std::size_t>(d + skip)];
    }
  });
}

// `axes` count dimensions of the result.
void infer_expand_dims(Inference& in) {
  const auto& axes = in.attributes.integers("axes");
  const Shape& shape = in.operand(0).shape;
  in.require(axes.size() <= static_cast<std::size_t>(Shape::kMaxRank - shape.rank()), [&] {
    return "a shape has at most " + std::to_string(Shape::kMaxRank) + " dimensions";
  });
  const int rank = shape.rank() + static_cast<int>(axes.size());
  check_axes(in, axes, rank);
  std::vector<std::int64_t> sizes;
  int from = 0;
  for (int d = 0; d < rank; ++d) {
    const bool added = std::find(axes.begin(), axes.end(), d) != axes.end();
    sizes.push_back(added ? 1 : shape[from++]);
  }
  in.result(in.operand(0).dtype, Shape(sizes));
}
constexpr auto gradient_expand_dims = gradient_reshape;
constexpr auto interpret_expand_dims = interpret_reshape;

void infer_squeeze(Inference& in) {
  const auto& axes = in.attributes.integers("axes");
  const Shape& shape = in.operand(0).shape;
  check_axes(in, axes, shape.rank());
  for (const std::int64_t axis : axes) {
    in.require(shape[static_cast<int>(axis)] == 1, [&] {
      return "axis " + std::to_string(axis) + " has size " +
             std::to_string(shape[static_cast<int>(axis)]) + ", not 1";
    });
  }
  in.result(in.operand(0).dtype, reduced_shape(shape, axes, false));
}
constexpr auto gradient_squeeze = gradient_reshape;
constexpr auto interpret_squeeze = interpret_reshape;

void infer_slice(Inference& in) {
  const auto& start = in.attributes.integers("start");
  const auto& stop = in.attributes.integers("stop");
  const auto& step = in.attributes.integers("step");
  const Shape& shape = in.operand(0).shape;
  const auto rank = static_cast<std::size_t>(shape.rank());
  in.require(start.size() == rank && stop.size() == rank && step.size() == rank,
             "start, stop and step need one number per dimension");
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < rank; ++d) {
    in.require(0 <= start[d] && start[d] <= stop[d] && stop[d] <= shape[static_cast<int>(d)] &&
                   step[d] >= 1,
               [&] {
                 return "needs 0 <= start <= stop <= size and step >= 1, but dimension " +
                        std::to_string(d) + " has " + std::to_string(start[d]) + ":" +
                        std::to_string(stop[d]) + ":" + std::to_string(step[d]);
               });
    const std::int64_t covered = stop[d] - start[d];
    sizes.push_back(covered / step[d] + (covered % step[d] != 0 ? 1 : 0));
  }
  in.result(in.operand(0).dtype, Shape(sizes));
}
void gradient_slice(Gradient& gradient) {
  const auto start = gradient.attributes.integers("start");
  const auto step = gradient.attributes.integers("step");
  const Term g = gradient.cotangent();
  const Shape shape = gradient.operand(0).shape();
  std::vector<std::int64_t> high;
  std::vector<std::int64_t> interior;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    const std::int64_t covered = g.shape()[d] == 0 ? 0 : (g.shape()[d] - 1) * step[at] + 1;
    high.push_back(shape[d] - start[at] - covered);
    // (Of a step beyond all sizes one element came, with nothing between.)
    interior.push_back(step[at] > Shape::kMostElements ? 0 : step[at] - 1);
  }
  gradient.operand_cotangent(0, apply(Op::pad, g, g.constant(0), {start, high, interior}));
}
void interpret_slice(Interpretation& in) {
  const auto& start = in.attributes.integers("start");
  const auto& step = in.attributes.integers("step");
  gather(in, [&](Index index, auto& source) {
    for (std::size_t d = 0; d < index.size(); ++d) source[d] = start[d] + index[d] * step[d];
  });
}

void infer_reverse(Inference& in) {
  check_axes(in, in.attributes.integers("axes"), in.operand(0).shape.rank());
  in.result(in.operand(0).dtype, in.operand(0).shape);
}
void gradient_reverse(Gradient& gradient) {
  gradient.operand_cotangent(
      0, gradient.cotangent().apply(Op::reverse, {gradient.attributes.integers("axes")}));
}
void interpret_reverse(Interpretation& in) {
  const auto& axes = in.attributes.integers("axes");
  const Shape& shape = in.operand(0).shape();
  gather(in, [&](Index index, auto& source) {
    std::copy(index.begin(), index.end(), source.begin());
    for (const std::int64_t axis : axes) {
      auto& at = source[static_cast<std::size_t>(axis)];
      at = shape[static_cast<int>(axis)] - 1 - at;
    }
  });
}

void infer_identity(Inference& in) { in.result(in.operand(0).dtype, in.operand(0).shape); }
void gradient_identity(Gradient& gradient) { gradient.operand_cotangent(0, gradient.cotangent()); }
void interpret_identity(Interpretation& in) { in.result(in.operand(0)); }

constexpr auto infer_stop_gradient = infer_identity;
void gradient_stop_gradient(Gradient&) {}
constexpr auto interpret_stop_gradient = interpret_identity;

void infer_optimization_barrier(Inference& in) { in.result(in.operand(0)); }
constexpr auto gradient_optimization_barrier = gradient_identity;
constexpr auto interpret_optimization_barrier = interpret_identity;

void infer_pad(Inference& in) {
  const auto& low = in.attributes.integers("low");
  const auto& high = in.attributes.integers("high");
  const auto& interior = in.attributes.integers("interior");
  const Shape& shape = in.operand(0).shape;
  const auto rank = static_cast<std::size_t>(shape.rank());
  in.require(in.operand(1).shape.rank() == 0 && in.operand(1).dtype == in.operand(0).dtype,
             "the fill value must be a scalar of the operand's dtype");
  in.require(low.size() == rank && high.size() == rank && interior.size() == rank,
             "low, high and interior need one number per dimension");
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < rank; ++d) {
    in.require(low[d] >= 0 && high[d] >= 0 && interior[d] >= 0, "paddings must not be negative");
    const std::int64_t size = shape[static_cast<int>(d)];
    std::int64_t between = 0;
    const bool overflows =
        __builtin_mul_overflow(std::max<std::int64_t>(size - 1, 0), interior[d], &between);
    in.require(
        !overflows && std::max({low[d], high[d], interior[d], between}) <= Shape::kMostElements,
        "the paddings are too large");
    sizes.push_back(low[d] + high[d] + size + between);
  }
  in.result(in.operand(0).dtype, Shape(sizes));
}
void gradient_pad(Gradient& gradient) {
  const auto low = gradient.attributes.integers("low");
  const auto high = gradient.attributes.integers("high");
  const auto interior = gradient.attributes.integers("interior");
  const Term g = gradient.cotangent();
  std::vector<std::int64_t> stop;
  std::vector<std::int64_t> step;
  for (std::size_t d = 0; d < low.size(); ++d) {
    stop.push_back(g.shape()[static_cast<int>(d)] - high[d]);
    step.push_back(interior[d] + 1);
  }
  const Term inner = g.apply(Op::slice, {low, stop, step});
  gradient.operand_cotangent(0, inner);
  if (gradient.wants(1)) {
    // Not the difference of two sums, in which what is inside would drown the rest.
    std::vector<std::int64_t> axes;
    for (int d = 0; d < g.shape().rank(); ++d) axes.push_back(d);
    Builder& builder = *gradient.builder();
    const Value no = builder.constant(Array::scalar(false));
    const Term around(&builder, builder.constant(Array::scalar(true)));
    const Term inside(&builder, builder.adapt(no, g.type().replication));
    const Term padding = apply(Op::pad, broadcast_to(inside, inner.shape()), around,
                               {gradient.attributes.integers("low"), high, interior});
    gradient.operand_cotangent(1, sum(select(padding, g, 0), axes));
  }
}
void interpret_pad(Interpretation& in) {
  const auto& low = in.attributes.integers("low");
  const auto& interior = in.attributes.integers("interior");
  Array out(in.result_type().dtype, in.result_type().shape);
  for (std::int64_t i = 0; i < out.elements(); ++i) copy_element(in.operand(1), 0, out, i);
  const auto strides = out.shape().strides();
  std::int64_t from = 0;
  for_each_index(in.operand(0).shape(), [&](Index index) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      to += (low[d] + index[d] * (interior[d] + 1)) * strides[d];
    }
    copy_element(in.operand(0), from++, out, to);
  });
  in.result(std::move(out));
}

void infer_concat(Inference& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  const Type& first = in.operand(0);
  check_axis(in, axis, first.shape.rank());
  std::vector<std::int64_t> sizes(first.shape.begin(), first.shape.end());
  for (int i = 1; i < in.count(); ++i) {
    const Type& other = in.operand(i);
    in.require(other.dtype == first.dtype, "mixed dtypes; cast the operands to one");
    in.require(other.shape.rank() == first.shape.rank(), "the operands differ in rank");
    for (int d = 0; d < first.shape.rank(); ++d) {
      if (d == axis) continue;
      in.require(other.shape[d] == first.shape[d],
                 [&] { return "the operands differ in dimension " + std::to_string(d); });
    }
    std::int64_t& size = sizes[static_cast<std::size_t>(axis)];
    size += other.shape[static_cast<int>(axis)];
    in.require(size <= Shape::kMostElements, "the result is too large");
  }
  in.result(first.dtype, Shape(sizes));
}
void gradient_concat(Gradient& gradient) {
  const auto axis = static_cast<std::size_t>(gradient.attributes.integer("axis"));
  const Term g = gradient.cotangent();
  std::vector<std::int64_t> start(static_cast<std::size_t>(g.shape().rank()), 0);
  std::vector<std::int64_t> stop(g.shape().begin(), g.shape().end());
  const std::vector<std::int64_t> step(start.size(), 1);
  for (int i = 0; i < gradient.count(); ++i) {
    stop[axis] = start[axis] + gradient.operand(i).shape()[static_cast<int>(axis)];
    gradient.operand_cotangent(i, g.apply(Op::slice, {start, stop, step}));
    start[axis] = stop[axis];
  }
}
void interpret_concat(Interpretation& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  Array out(in.result_type().dtype, in.result_type().shape);
  const auto strides = out.shape().strides();
  std::int64_t offset = 0;
  for (int i = 0; i < in.count(); ++i) {
    std::int64_t from = 0;
    for_each_index(in.operand(i).shape(), [&](Index index) {
      std::int64_t to = offset * strides[static_cast<std::size_t>(axis)];
      for (std::size_t d = 0; d < index.size(); ++d) to += index[d] * strides[d];
      copy_element(in.operand(i), from++, out, to);
    });
    offset += in.operand(i).shape()[static_cast<int>(axis)];
  }
  in.result(std::move(out));
}

}  // namespace

void add_shape(std::vector<Definition>& out) {
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
#include <tutti/ir/table/shape.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
