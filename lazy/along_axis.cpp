#include <tutti/lazy/axes.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/custom_vjp.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/joined_axes.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/zero_beside.h>

#include <array>
#include <string>
#include <string_view>

// The ops of ops.h that go along one axis: running sums, order, and what joins and divides.
namespace tutti {

namespace {

using detail::composite;
using detail::normal_axis;
using detail::RankContext;
using ir::Op;

// An op that gives values and indices.
Sorted ordered(Op op, const Tensor& x, std::vector<ir::Attribute> attributes, Location where) {
  const detail::StatePtr& operand = x.state();
  const auto results =
      RankContext::current().record(op, std::span(&operand, 1), std::move(attributes), where);
  return {.values = Tensor(results[0]), .indices = Tensor(results[1])};
}

// The part [begin, end) along an axis.
Tensor part_along(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end,
                  Location where) {
  const auto rank = static_cast<std::size_t>(x.rank());
  std::vector<std::int64_t> start(rank, 0);
  std::vector<std::int64_t> stop(x.shape().begin(), x.shape().end());
  start[static_cast<std::size_t>(axis)] = begin;
  stop[static_cast<std::size_t>(axis)] = end;
  return Tensor(detail::record(Op::slice, {x.state()},
                               {start, stop, std::vector<std::int64_t>(rank, 1)}, where));
}

Tensor running_reduction(Op op, const Operand& x, Axis axis, bool reverse) {
  const Tensor t = x.tensor();
  return Tensor(detail::record(op, {t.state()},
                               {normal_axis(name_of(op), axis, t, x.where()), reverse}, x.where()));
}

}  // namespace

Tensor cumsum(const Operand& x, Axis axis, bool reverse) {
  return running_reduction(Op::cumsum, x, axis, reverse);
}
Tensor cumprod(const Operand& x, Axis axis, bool reverse) {
  return running_reduction(Op::cumprod, x, axis, reverse);
}
Tensor cummax(const Operand& x, Axis axis, bool reverse) {
  return running_reduction(Op::cummax, x, axis, reverse);
}
Tensor cummin(const Operand& x, Axis axis, bool reverse) {
  return running_reduction(Op::cummin, x, axis, reverse);
}

Sorted sort(const Operand& x, Axis axis, bool descending) {
  const Tensor t = x.tensor();
  return ordered(Op::sort, t, {normal_axis("sort", axis, t, x.where()), descending}, x.where());
}
Tensor argsort(const Operand& x, Axis axis, bool descending) {
  return composite("argsort", x.where(), [&] { return sort(x, axis, descending).indices; });
}
Sorted topk(const Operand& x, std::int64_t k, Axis axis, bool largest) {
  const Tensor t = x.tensor();
  return ordered(Op::topk, t, {k, normal_axis("topk", axis, t, x.where()), largest}, x.where());
}

Tensor stack(std::span<const Tensor> tensors, Axis axis, std::source_location at) {
  return composite("stack", at, [&] {
    if (tensors.empty()) throw TypeError("no tensors");
    const std::int64_t normal = normal_axis("stack", axis, tensors[0].rank() + 1, at);
    std::vector<Tensor> parts;
    for (const Tensor& tensor : tensors) {
      if (tensor.shape() != tensors[0].shape() || tensor.dtype() != tensors[0].dtype()) {
        throw TypeError("the tensors must agree in shape and dtype; the first is " +
                        tensors[0].state()->type.text() + ", another " +
                        tensor.state()->type.text());
      }
      parts.emplace_back(detail::record(Op::expand_dims, {tensor.state()},
                                        {std::vector<std::int64_t>{normal}}, at));
    }
    return concat(parts, normal, at);
  });
}

std::vector<Tensor> split(const Operand& x, const std::vector<std::int64_t>& sizes, Axis axis) {
  const Tensor t = x.tensor();
  const std::int64_t normal = normal_axis("split", axis, t, x.where());
  const std::int64_t size = t.shape()[static_cast<int>(normal)];
  // Compared with what is left: a sum could overflow.
  std::int64_t left = size;
  bool fits = true;
  for (const std::int64_t part : sizes) {
    fits = fits && part >= 0 && part <= left;
    left -= fits ? part : 0;
  }
  if (!fits || left != 0) {
    throw TypeError("split: sizes that are not negative and add up to the " + std::to_string(size) +
                        " elements of axis " + std::to_string(axis.value) + " are needed",
                    x.where());
  }
  const auto parts_of = [&](const Tensor& all) {
    std::vector<Tensor> out;
    std::int64_t begin = 0;
    for (const std::int64_t part : sizes) {
      out.push_back(part_along(all, normal, begin, begin + part, x.where()));
      begin += part;
    }
    return out;
  };
  if (sizes.empty() || !is_floating(t.dtype()) || !detail::is_being_differentiated()) {
    return parts_of(t);
  }
  // The gradient is the parts' cotangents one after another; that of slices would be the sum of as
  // many tensors of x's size.
  const Tensor inner(detail::record(Op::identity, {t.state()}, {}, x.where()));
  const detail::CustomScope scope;
  return scope.finish(
      parts_of(inner), {{"x", inner}}, {},
      [&](const std::vector<Tensor>&, const std::vector<Tensor>& cotangents) {
        std::vector<detail::StatePtr> states;
        for (const Tensor& cotangent : cotangents) states.push_back(cotangent.state());
        return std::vector{Tensor(detail::record(Op::concat, states, {normal}, x.where()))};
      },
      x.where());
}

std::vector<Tensor> split_evenly(const Operand& x, std::int64_t parts, Axis axis) {
  return composite("split", x.where(), [&] {
    const Tensor t = x.tensor();
    const std::int64_t normal = normal_axis("split", axis, t, x.where());
    const std::int64_t size = t.shape()[static_cast<int>(normal)];
    if (parts < 1 || size % parts != 0) {
      throw TypeError(std::to_string(parts) + " equal parts of the " + std::to_string(size) +
                      " elements of axis " + std::to_string(axis.value));
    }
    return split(t, std::vector<std::int64_t>(static_cast<std::size_t>(parts), size / parts),
                 normal);
  });
}

Tensor roll(const Operand& x, std::int64_t shift, Axis axis) {
  const Tensor t = x.tensor();
  const std::int64_t normal = normal_axis("roll", axis, t, x.where());
  const std::int64_t size = t.shape()[static_cast<int>(normal)];
  if (size == 0) return t;
  const std::int64_t forwards = (shift % size + size) % size;
  if (forwards == 0) return t;
  const std::array parts = {part_along(t, normal, size - forwards, size, x.where()),
                            part_along(t, normal, 0, size - forwards, x.where())};
  return Tensor(
      detail::record(Op::concat, {parts[0].state(), parts[1].state()}, {normal}, x.where()));
}

Tensor repeat(const Operand& x, std::int64_t count, Axis axis) {
  return composite("repeat", x.where(), [&] {
    const Tensor t = x.tensor();
    const std::int64_t normal = normal_axis("repeat", axis, t, x.where());
    if (count < 0) throw TypeError(std::to_string(count) + " times");
    std::vector<std::int64_t> all(t.shape().begin(), t.shape().end());
    std::int64_t& size = all[static_cast<std::size_t>(normal)];
    if (__builtin_mul_overflow(size, count, &size)) {
      throw TypeError(std::to_string(count) + " times; there are at most 2^60 elements");
    }
    if (detail::has_most_axes(t)) {
      const detail::JoinedAxes narrow(t, {normal}, x.where());
      return reshape(repeat(narrow.tensor, count, narrow.axis(normal)), all);
    }
    std::vector<std::int64_t> each(t.shape().begin(), t.shape().end());
    each.insert(each.begin() + normal + 1, count);
    const Tensor with_axis = expand_dims(t, {normal + 1});
    return reshape(broadcast_to(with_axis, each), all);
  });
}

namespace {

// x where column - row fits, zeros elsewhere.
Tensor triangle(std::string_view op, const Operand& x, std::int64_t diagonal, bool lower) {
  return composite(op, x.where(), [&] {
    const Tensor t = x.tensor();
    if (t.rank() < 2) {
      throw TypeError("a tensor of rank " + std::to_string(t.rank()) + " has no last two axes");
    }
    const Shape matrix = {t.shape()[t.rank() - 2], t.shape()[t.rank() - 1]};
    const auto index = [&](std::int64_t axis) {
      return Tensor(detail::record(
          Op::iota, {}, {DType::i64, std::vector<std::int64_t>(matrix.begin(), matrix.end()), axis},
          x.where()));
    };
    const Tensor column = index(1);
    const Tensor apart = detail::placed(sub(column, index(0)), t);
    const Tensor distance = add(apart, detail::zero_beside(t, DType::i64));
    const Tensor inside = lower ? le(distance, diagonal) : ge(distance, diagonal);
    return select(inside, t, zeros_like(t));
  });
}

}  // namespace

Tensor tril(const Operand& x, std::int64_t diagonal) { return triangle("tril", x, diagonal, true); }
Tensor triu(const Operand& x, std::int64_t diagonal) {
  return triangle("triu", x, diagonal, false);
}

}  // namespace tutti
