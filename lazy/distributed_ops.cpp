#include <tutti/ir/support/error.h>
#include <tutti/lazy/axes.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/distributed_ops.h>
#include <tutti/lazy/distributed_strategy.h>

#include <algorithm>
#include <numeric>
#include <ranges>

namespace tutti {

namespace {

using detail::DistributedOp;
using detail::Layout;
using detail::Strategy;
using List = std::vector<std::int64_t>;

DistributedOp op_of(std::string_view name, std::vector<DistributedTensor> operands, Shape shape,
                    std::source_location at) {
  return {
      .name = name, .operands = std::move(operands), .shape = shape, .strategies = {}, .at = at};
}

// An op whose result has x's shape, and that works along its last dimension or another: all other
// axes may be sharded. Further operands have to be replicated.
DistributedOp along_axis(std::string_view name, std::vector<DistributedTensor> operands, Axis axis,
                         std::source_location at) {
  const Shape shape = operands[0].shape();
  const std::int64_t along = detail::normal_axis(name, axis, shape.rank(), at);
  DistributedOp op = op_of(name, std::move(operands), shape, at);
  for (std::int64_t d = 0; d < shape.rank(); ++d) {
    if (d == along) continue;
    Strategy strategy{.operands = Placements(op.operands.size(), Replicate()), .result = Shard(d)};
    strategy.operands[0] = Shard(d);
    op.strategies.push_back(std::move(strategy));
  }
  return op;
}

// ---- Reductions.

struct Reduction {
  Reduction(std::string_view name, const DistributedValue& x, const Axes& the_axes, bool keep)
      : axes(detail::normal_axes(name, the_axes, x.tensor.rank(), x.at)), keepdims(keep) {
    List sizes;
    for (std::int64_t axis = 0; axis < x.tensor.rank(); ++axis) {
      result_axes.push_back(reduces(axis) ? -1 : std::ssize(sizes));
      if (reduces(axis) && !keepdims) continue;
      sizes.push_back(reduces(axis) ? 1 : x.tensor.shape()[static_cast<int>(axis)]);
    }
    op = op_of(name, {x.tensor}, Shape(sizes), x.at);
    for (std::int64_t axis = 0; axis < x.tensor.rank(); ++axis) {
      const std::int64_t to = result_axes[static_cast<std::size_t>(axis)];
      if (to >= 0) op.strategies.push_back({.operands = {Shard(axis)}, .result = Shard(to)});
    }
  }
  bool reduces(std::int64_t axis) const { return std::ranges::find(axes, axis) != axes.end(); }

  List axes;
  bool keepdims;
  List result_axes;  // of x's axes; -1 if reduced
  DistributedOp op;
};

// Sums and means: of parts of the axis they are partial.
Reduction partial_reduction(std::string_view name, const DistributedValue& x, const Axes& axes,
                            bool keepdims) {
  Reduction out(name, x, axes, keepdims);
  for (const std::int64_t axis : out.axes) {
    out.op.strategies.push_back({.operands = {Shard(axis)}, .result = Partial()});
  }
  out.op.strategies.push_back({.operands = {Partial()}, .result = Partial()});
  return out;
}

// Whether every rank has something of an axis, as far as that is plain.
bool has_no_empty_part(const Layout& layout, std::int64_t axis) {
  const std::int64_t size = layout.shape[static_cast<int>(axis)];
  if (layout.is_even(axis)) return size > 0;
  return std::ranges::count(layout.placements, Placement(Shard(axis))) == 1 &&
         detail::parts_of(size, layout.parts(axis)).back() > 0;
}

using LocalReduction = Tensor (*)(const Operand&, Axes, bool);

// Reductions that ranks finish with an all_reduce.
DistributedTensor finished_reduction(std::string_view name, const DistributedValue& x,
                                     const Axes& axes, bool keepdims, LocalReduction local,
                                     Reduce across) {
  Reduction reduction(name, x, axes, keepdims);
  const Layout& layout = x.tensor.layout();
  for (const std::int64_t axis : reduction.axes) {
    if (!has_no_empty_part(layout, axis)) continue;
    reduction.op.strategies.push_back({.operands = {Shard(axis)}, .result = Replicate()});
  }
  const detail::Placed placed = place(reduction.op);
  Tensor out = local(Operand(placed.operands[0].local(x.at), x.at), reduction.axes, keepdims);
  std::vector<std::size_t> apart;
  for (std::size_t d = 0; d < layout.on->size(); ++d) {
    const Placement& from = placed.operands[0].placements()[d];
    if (from.is_shard() && reduction.reduces(from.axis()) && layout.on->ranks(d) > 1) {
      apart.push_back(d);
    }
  }
  if (!apart.empty()) {
    out = all_reduce(Operand(out, x.at), layout.on->along(apart), across).wait(x.at);
  }
  return finish(reduction.op, out, placed.result, layout.on);
}

// ---- reshape.

List full_shape(const DistributedValue& x, List shape) {
  std::int64_t known = 1;
  for (const std::int64_t size : shape) known *= size == -1 ? 1 : size;
  const auto open = std::ranges::find(shape, -1);
  if (open != shape.end() && known > 0) *open = x.tensor.shape().elements() / known;
  const std::int64_t all =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  if (std::ranges::any_of(shape, [](auto size) { return size < 0; }) ||
      all != x.tensor.shape().elements()) {
    throw TypeError("reshape of " + x.tensor.text() + ": its " +
                        std::to_string(x.tensor.shape().elements()) + " elements do not make up " +
                        "the shape",
                    x.at);
  }
  return shape;
}

// The result's axis along which an axis of x stays divided; -1 if there is none.
std::int64_t kept_axis(const Layout& x, const Shape& result, std::int64_t axis) {
  const auto elements_before = [](const Shape& shape, std::int64_t end) {
    return std::accumulate(shape.begin(), shape.begin() + end, std::int64_t{1},
                           std::multiplies<>());
  };
  const std::int64_t before = elements_before(x.shape, axis);
  const std::int64_t size = x.shape[static_cast<int>(axis)];
  std::int64_t found = -1;
  for (std::int64_t to = 0; to < result.rank(); ++to) {
    if (elements_before(result, to) != before) continue;
    if (result[static_cast<int>(to)] == size) return to;
    const std::int64_t parts = x.parts(axis);
    if (size % parts == 0 && result[static_cast<int>(to)] % parts == 0) found = to;
  }
  return found;
}

}  // namespace

DistributedTensor matmul(const DistributedValue& x, const DistributedValue& y) {
  const std::int64_t rank_x = x.tensor.rank();
  const std::int64_t rank_y = y.tensor.rank();
  DistributedOp op = op_of("matmul", {x.tensor, y.tensor}, {}, x.at);
  if (rank_x == 0 || rank_y == 0) throw TypeError(op.text() + ": a matrix has two axes", x.at);
  if (rank_x == 1 || rank_y == 1) {  // a row or a column, whose dimension disappears
    const DistributedTensor& a = x.tensor;
    const DistributedTensor& b = y.tensor;
    const DistributedTensor row = rank_x == 1 ? reshape({a, x.at}, {1, a.shape()[0]}) : a;
    const DistributedTensor column = rank_y == 1 ? reshape({b, x.at}, {b.shape()[0], 1}) : b;
    const DistributedTensor out = matmul({row, x.at}, {column, x.at});
    List sizes(out.shape().begin(), out.shape().end());
    if (rank_y == 1) sizes.pop_back();
    if (rank_x == 1) sizes.erase(sizes.end() - (rank_y == 1 ? 1 : 2));
    return reshape({out, x.at}, sizes);
  }
  const auto size = [](const DistributedTensor& t, std::int64_t from_end) {
    return t.shape()[t.rank() - static_cast<int>(from_end)];
  };
  if (size(x.tensor, 1) != size(y.tensor, 2)) {
    throw TypeError(op.text() + ": the rows of the first have " +
                        std::to_string(size(x.tensor, 1)) +
                        " elements, the columns of the second " + std::to_string(size(y.tensor, 2)),
                    x.at);
  }
  // Leading dimensions broadcast.
  const auto leading = [](const DistributedTensor& t) {
    return Shape(std::span(t.shape().begin(), static_cast<std::size_t>(t.rank() - 2)));
  };
  const Shape lead_x = leading(x.tensor);
  const Shape lead_y = leading(y.tensor);
  List sizes(static_cast<std::size_t>(std::max(rank_x, rank_y) - 2), 1);
  for (const Shape& lead : {lead_x, lead_y}) {
    for (int d = 0; d < lead.rank(); ++d) {
      std::int64_t& whole = sizes[sizes.size() - static_cast<std::size_t>(lead.rank() - d)];
      if (lead[d] != whole && lead[d] != 1 && whole != 1) {
        throw TypeError(op.text() + ": the leading dimensions do not broadcast", x.at);
      }
      if (whole == 1) whole = lead[d];
    }
  }
  const Shape lead(sizes);
  sizes.push_back(size(x.tensor, 2));
  sizes.push_back(size(y.tensor, 1));
  op.shape = Shape(sizes);
  const std::int64_t rank = op.shape.rank();
  for (std::int64_t axis = 0; axis < rank - 2; ++axis) {
    op.strategies.push_back(
        {.operands = {detail::shard_or_replicate(detail::axis_in(lead_x, lead, axis)),
                      detail::shard_or_replicate(detail::axis_in(lead_y, lead, axis))},
         .result = Shard(axis)});
  }
  op.strategies.push_back(
      {.operands = {Shard(rank_x - 2), Replicate()}, .result = Shard(rank - 2)});
  op.strategies.push_back(
      {.operands = {Replicate(), Shard(rank_y - 1)}, .result = Shard(rank - 1)});
  op.strategies.push_back(
      {.operands = {Shard(rank_x - 1), Shard(rank_y - 2)}, .result = Partial()});
  return apply_op(op, [&](const std::vector<Tensor>& in) {
    return matmul(Operand(in[0], x.at), Operand(in[1], x.at));
  });
}

DistributedTensor sum(const DistributedValue& x, const Axes& axes, bool keepdims) {
  const Reduction reduction = partial_reduction("sum", x, axes, keepdims);
  return apply_op(reduction.op, [&](const std::vector<Tensor>& in) {
    return sum(Operand(in[0], x.at), reduction.axes, keepdims);
  });
}

DistributedTensor mean(const DistributedValue& x, const Axes& axes, bool keepdims) {
  const Reduction reduction = partial_reduction("mean", x, axes, keepdims);
  return apply_op(reduction.op, [&](const std::vector<Tensor>& in) -> Tensor {
    // Each rank's share of the mean.
    std::int64_t own = 1;
    std::int64_t whole = 1;
    for (const std::int64_t axis : reduction.axes) {
      own *= in[0].shape()[static_cast<int>(axis)];
      whole *= x.tensor.shape()[static_cast<int>(axis)];
    }
    const Operand local(in[0], x.at);
    if (own == whole) return mean(local, reduction.axes, keepdims);
    if (own == 0) return sum(local, reduction.axes, keepdims);
    const double share = static_cast<double>(own) / static_cast<double>(whole);
    return mul(Operand(mean(local, reduction.axes, keepdims), x.at), Operand(share, x.at));
  });
}

DistributedTensor max(const DistributedValue& x, const Axes& axes, bool keepdims) {
  return finished_reduction("max", x, axes, keepdims, &tutti::max, Reduce::max);
}
DistributedTensor min(const DistributedValue& x, const Axes& axes, bool keepdims) {
  return finished_reduction("min", x, axes, keepdims, &tutti::min, Reduce::min);
}
DistributedTensor any(const DistributedValue& x, const Axes& axes, bool keepdims) {
  return finished_reduction("any", x, axes, keepdims, &tutti::any, Reduce::bit_or);
}
DistributedTensor all(const DistributedValue& x, const Axes& axes, bool keepdims) {
  return finished_reduction("all", x, axes, keepdims, &tutti::all, Reduce::bit_and);
}

DistributedTensor transpose(const DistributedValue& x, List permutation) {
  const int rank = x.tensor.rank();
  if (permutation.empty()) {
    for (int d = rank; d-- > 0;) permutation.push_back(d);
  }
  List sizes;
  for (std::int64_t& axis : permutation) {
    axis = detail::normal_axis("transpose", axis, rank, x.at);
    sizes.push_back(x.tensor.shape()[static_cast<int>(axis)]);
  }
  if (std::ssize(permutation) != rank ||
      !std::ranges::is_permutation(permutation, std::views::iota(std::int64_t{0}, rank))) {
    throw TypeError("transpose of " + x.tensor.text() + ": the list is no permutation of its axes",
                    x.at);
  }
  DistributedOp op = op_of("transpose", {x.tensor}, Shape(sizes), x.at);
  for (std::int64_t to = 0; to < rank; ++to) {
    op.strategies.push_back(
        {.operands = {Shard(permutation[static_cast<std::size_t>(to)])}, .result = Shard(to)});
  }
  op.strategies.push_back({.operands = {Partial()}, .result = Partial()});
  return apply_op(op, [&](const std::vector<Tensor>& in) {
    return transpose(Operand(in[0], x.at), permutation);
  });
}

DistributedTensor reshape(const DistributedValue& x, const List& shape) {
  const Shape whole(full_shape(x, shape));
  DistributedOp op = op_of("reshape", {x.tensor}, whole, x.at);
  for (std::int64_t axis = 0; axis < x.tensor.rank(); ++axis) {
    const std::int64_t to = kept_axis(x.tensor.layout(), whole, axis);
    if (to >= 0) op.strategies.push_back({.operands = {Shard(axis)}, .result = Shard(to)});
  }
  op.strategies.push_back({.operands = {Partial()}, .result = Partial()});
  const detail::Placed placed = place(op);
  const detail::MeshGroupsPtr& on = x.tensor.layout().on;
  const Shape own = Layout::make(on, placed.result, whole, x.at)->local_shape();
  const Tensor local =
      reshape(Operand(placed.operands[0].local(x.at), x.at), List(own.begin(), own.end()));
  return finish(op, local, placed.result, on);
}

DistributedTensor softmax(const DistributedValue& x, Axis axis) {
  return apply_op(
      along_axis("softmax", {x.tensor}, axis, x.at),
      [&](const std::vector<Tensor>& in) { return tutti::softmax(Operand(in[0], x.at), axis); });
}
DistributedTensor log_softmax(const DistributedValue& x, Axis axis) {
  return apply_op(along_axis("log_softmax", {x.tensor}, axis, x.at),
                  [&](const std::vector<Tensor>& in) {
                    return tutti::log_softmax(Operand(in[0], x.at), axis);
                  });
}
DistributedTensor layer_norm(const DistributedValue& x, const DistributedValue& scale,
                             const DistributedValue& shift, double epsilon) {
  return apply_op(along_axis("layer_norm", {x.tensor, scale.tensor, shift.tensor}, -1, x.at),
                  [&](const std::vector<Tensor>& in) {
                    return tutti::layer_norm(Operand(in[0], x.at), Operand(in[1], x.at),
                                             Operand(in[2], x.at), epsilon);
                  });
}
DistributedTensor rms_norm(const DistributedValue& x, const DistributedValue& scale,
                           double epsilon) {
  return apply_op(along_axis("rms_norm", {x.tensor, scale.tensor}, -1, x.at),
                  [&](const std::vector<Tensor>& in) {
                    return tutti::rms_norm(Operand(in[0], x.at), Operand(in[1], x.at), epsilon);
                  });
}

DistributedTensor cross_entropy(const DistributedValue& logits, const DistributedValue& labels) {
  const Shape& shape = labels.tensor.shape();
  DistributedOp op = op_of("cross_entropy", {logits.tensor, labels.tensor}, shape, logits.at);
  if (logits.tensor.rank() != shape.rank() + 1 ||
      !std::ranges::equal(
          shape, logits.tensor.shape().sizes().first(static_cast<std::size_t>(shape.rank())))) {
    throw TypeError(op.text() + ": the labels have the logits' shape without the classes",
                    logits.at);
  }
  for (std::int64_t d = 0; d < shape.rank(); ++d) {
    op.strategies.push_back({.operands = {Shard(d), Shard(d)}, .result = Shard(d)});
  }
  return apply_op(op, [&](const std::vector<Tensor>& in) {
    return tutti::cross_entropy(Operand(in[0], logits.at), Operand(in[1], logits.at));
  });
}

}  // namespace tutti
