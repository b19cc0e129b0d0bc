#include <tutti/ir/support/error.h>
#include <tutti/lazy/axes.h>

#include <algorithm>
#include <string>

namespace tutti::detail {

std::int64_t normal_axis(std::string_view op, std::int64_t axis, int rank, Location where) {
  const std::int64_t out = axis < 0 ? axis + rank : axis;
  if (out < 0 || out >= rank) {
    throw TypeError(std::string(op) + ": axis " + std::to_string(axis) + " of a tensor of rank " +
                        std::to_string(rank) +
                        (rank == 0 ? ", which has none"
                                   : "; " + std::to_string(-rank) + " to " +
                                         std::to_string(rank - 1) + " are there"),
                    where);
  }
  return out;
}

std::vector<std::int64_t> normal_axes(std::string_view op,
                                      const std::optional<std::vector<std::int64_t>>& axes,
                                      int rank, Location where) {
  std::vector<std::int64_t> out;
  for (int d = 0; !axes && d < rank; ++d) out.push_back(d);
  if (!axes) return out;
  for (const std::int64_t axis : *axes) out.push_back(normal_axis(op, axis, rank, where));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    throw TypeError(std::string(op) + ": an axis is named twice", where);
  }
  return out;
}

}  // namespace tutti::detail
