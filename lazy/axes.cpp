#include <tutti/ir/support/error.h>
#include <tutti/lazy/axes.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>
#include <functional>

namespace tutti::detail {

namespace {

// `what` says what has that rank.
std::int64_t checked_axis(std::string_view op, std::int64_t axis, int rank,
                          const std::function<std::string()>& what, Location where) {
  const std::int64_t out = axis < 0 ? axis + rank : axis;
  if (out >= 0 && out < rank) return out;
  throw TypeError(
      std::string(op) + ": axis " + std::to_string(axis) + " of " + what() + axes_there(rank),
      where);
}

std::vector<std::int64_t> checked_axes(std::string_view op,
                                       const std::optional<std::vector<std::int64_t>>& axes,
                                       int rank, const std::function<std::string()>& what,
                                       Location where) {
  std::vector<std::int64_t> out;
  for (int d = 0; !axes && d < rank; ++d) out.push_back(d);
  if (!axes) return out;
  for (const std::int64_t axis : *axes) out.push_back(checked_axis(op, axis, rank, what, where));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    throw TypeError(std::string(op) + ": an axis is named twice", where);
  }
  return out;
}

}  // namespace

std::string elements_there(std::int64_t size) {
  if (size == 0) return ", which has none";
  return "; " + std::to_string(-size) + " to " + std::to_string(size - 1) + " are there";
}

std::int64_t size_of_dimension(const ir::Type& type, Axis dimension, Location where) {
  const int rank = type.shape.rank();
  const std::int64_t d = dimension.value < 0 ? dimension.value + rank : dimension.value;
  if (d >= 0 && d < rank) return type.shape[d];
  throw TypeError("size: dimension " + std::to_string(dimension.value) + " of " + type.text() +
                      axes_there(rank),
                  where);
}

std::string axes_there(int rank) { return elements_there(rank); }

std::int64_t normal_axis(std::string_view op, Axis axis, int rank, Location where) {
  return checked_axis(
      op, axis.value, rank, [&] { return "a tensor of rank " + std::to_string(rank); }, where);
}

std::int64_t normal_axis(std::string_view op, Axis axis, const Tensor& x, Location where) {
  return checked_axis(op, axis.value, x.rank(), [&] { return x.state()->type.text(); }, where);
}

std::vector<std::int64_t> normal_axes(std::string_view op,
                                      const std::optional<std::vector<std::int64_t>>& axes,
                                      int rank, Location where) {
  return checked_axes(
      op, axes, rank, [&] { return "a tensor of rank " + std::to_string(rank); }, where);
}

std::vector<std::int64_t> normal_axes(std::string_view op,
                                      const std::optional<std::vector<std::int64_t>>& axes,
                                      const Tensor& x, Location where) {
  return checked_axes(op, axes, x.rank(), [&] { return x.state()->type.text(); }, where);
}

}  // namespace tutti::detail
