#pragma once

#include <tutti/ir/support/location.h>
#include <tutti/lazy/tensor.h>

#include <cstdint>
#include <initializer_list>

namespace tutti::detail {

// A tensor of as many dimensions as there can be, two neighbours of which are seen as one: what
// needs one axis more computes with it.
struct JoinedAxes {
  // Of neighbours that are none of the `apart` axes, of which there are two at most.
  JoinedAxes(const Tensor& x, std::initializer_list<std::int64_t> apart, Location where);

  // What such an axis is of `tensor`.
  std::int64_t axis(std::int64_t of_original) const {
    return of_original > joined ? of_original - 1 : of_original;
  }

  std::int64_t joined = 0;  // the first of the neighbours
  Tensor tensor;
};

inline bool has_most_axes(const Tensor& x) { return x.rank() == Shape::kMaxRank; }

}  // namespace tutti::detail
