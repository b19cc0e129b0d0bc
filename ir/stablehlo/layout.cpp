#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace tutti::ir::stablehlo {

Term transposed(Term x, const List& permutation) {
  List same(permutation.size());
  std::iota(same.begin(), same.end(), 0);
  if (std::ssize(same) == x.shape().rank() && permutation == same) return x;
  return transpose(x, permutation);
}

Term sliced(Term x, const List& start, const List& stop, const List& step) {
  const bool all = std::ranges::all_of(start, [](std::int64_t at) { return at == 0; }) &&
                   std::ranges::all_of(step, [](std::int64_t by) { return by == 1; }) &&
                   stop == sizes_of(x.shape());
  return all ? x : x.apply(Op::slice, {start, stop, step});
}

Term along(Term x, int axis, std::int64_t from, std::int64_t to, std::int64_t step) {
  if (axis < 0 || axis >= x.shape().rank()) {
    throw TypeError("dimension " + std::to_string(axis) + " of a value of shape " +
                    x.shape().text());
  }
  const auto at = static_cast<std::size_t>(axis);
  List start = repeated(x.shape().rank(), 0);
  List stop = sizes_of(x.shape());
  List steps = repeated(x.shape().rank(), 1);
  start[at] = from;
  stop[at] = to;
  steps[at] = step;
  return sliced(x, start, stop, steps);
}

Term padded(Term x, Term value, const List& low, const List& high, const List& interior) {
  const auto positive = [](List list) {
    for (std::int64_t& each : list) each = std::max<std::int64_t>(each, 0);
    return list;
  };
  const auto any = [](const List& list) {
    return std::ranges::any_of(list, [](std::int64_t each) { return each != 0; });
  };
  // The lowest number has no opposite.
  const auto taken = [](std::int64_t padding) {
    return padding < 0 ? -std::max(padding, -std::numeric_limits<std::int64_t>::max()) : 0;
  };
  const List before = positive(low);
  const List behind = positive(high);
  Term out = x;
  if (any(before) || any(behind) || any(interior)) {
    out = apply(Op::pad, x, value, {before, behind, interior});
  }
  List start = repeated(out.shape().rank(), 0);
  List stop = sizes_of(out.shape());
  for (std::size_t d = 0; d < stop.size() && d < low.size() && d < high.size(); ++d) {
    start[d] = taken(low[d]);
    stop[d] -= taken(high[d]);
    if (stop[d] < start[d]) throw TypeError("the paddings take more away than there is");
  }
  return sliced(out, start, stop, repeated(out.shape().rank(), 1));
}

Term concatenated(const std::vector<Term>& parts, std::int64_t axis) {
  if (parts.size() == 1) return parts[0];
  std::vector<Value> values;
  for (const Term& part : parts) values.push_back(part.value());
  if (parts.empty()) throw TypeError("nothing to concatenate");
  Builder* const builder = parts[0].builder();
  return {builder, builder->add(Op::concat, values, {axis})};
}

Term reversed(Term x, const List& axes) {
  List sorted = axes;
  std::ranges::sort(sorted);
  return axes.empty() ? x : x.apply(Op::reverse, {sorted});
}

Term broadcast_in(Term x, const List& dimensions, const Shape& shape) {
  if (static_cast<int>(dimensions.size()) != x.shape().rank()) {
    throw TypeError(std::to_string(dimensions.size()) + " dimensions for an operand of rank " +
                    std::to_string(x.shape().rank()));
  }
  List order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
    return dimensions[static_cast<std::size_t>(a)] < dimensions[static_cast<std::size_t>(b)];
  });
  List sizes = repeated(shape.rank(), 1);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] < 0 || dimensions[d] >= shape.rank()) {
      throw TypeError("dimension " + std::to_string(dimensions[d]) + " of " + shape.text());
    }
    sizes[static_cast<std::size_t>(dimensions[d])] = x.shape()[static_cast<int>(d)];
  }
  // Dimensions in front of all of x's come by themselves.
  const auto first =
      order.empty() ? std::ssize(sizes) : dimensions[static_cast<std::size_t>(order[0])];
  sizes.erase(sizes.begin(), sizes.begin() + first);
  return broadcast_to(reshape(transposed(x, order), Shape(sizes)), shape);
}

std::int64_t elements_of(const Shape& shape, int from, int to) {
  std::int64_t out = 1;
  for (int d = from; d < to; ++d) out *= shape[d];
  return out;
}

List others(int rank, const List& dimensions) {
  List out;
  for (int d = 0; d < rank; ++d) {
    if (!contains(dimensions, d)) out.push_back(d);
  }
  return out;
}

bool contains(const List& list, std::int64_t number) {
  return std::ranges::find(list, number) != list.end();
}

Term places(Builder& builder, DType dtype, int rank, int axis, std::int64_t size) {
  if (axis < 0 || axis >= rank) throw TypeError("a dimension that is not there");
  List sizes = repeated(rank, 1);
  sizes[static_cast<std::size_t>(axis)] = size;
  return {&builder, builder.add(Op::iota, std::span<const Value>(),
                                {dtype, sizes, static_cast<std::int64_t>(axis)})};
}

}  // namespace tutti::ir::stablehlo
