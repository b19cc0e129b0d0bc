#pragma once

#include <tutti/ir/support/location.h>
#include <tutti/ir/type.h>
#include <tutti/lazy/axis.h>
#include <tutti/lazy/tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What axes mean that users write.
namespace tutti::detail {

// The axis counted from 0; a TypeError that names the op, and shows the tensor's type where there
// is one, if the rank has none of that number.
std::int64_t normal_axis(std::string_view op, Axis axis, int rank, Location where);
std::int64_t normal_axis(std::string_view op, Axis axis, const Tensor& x, Location where);

// The same for a set of axes, in increasing order; all of them without a list. Throws TypeError if
// one is named twice.
std::vector<std::int64_t> normal_axes(std::string_view op,
                                      const std::optional<std::vector<std::int64_t>>& axes,
                                      int rank, Location where);
std::vector<std::int64_t> normal_axes(std::string_view op,
                                      const std::optional<std::vector<std::int64_t>>& axes,
                                      const Tensor& x, Location where);
// What size() is of a tensor of that type; a negative dimension counts from the end.
std::int64_t size_of_dimension(const ir::Type& type, Axis dimension, Location where);
// "; -2 to 1 are there", or what there is instead.
std::string axes_there(int rank);
// The same of the elements of an axis of that size.
std::string elements_there(std::int64_t size);

}  // namespace tutti::detail
