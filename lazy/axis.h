#pragma once

#include <tutti/ir/shape.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

// The axes that ops go along, counted from 0, negative ones from the end.
namespace tutti {

// One axis, in any type of whole numbers. A flag is none: sort(x, true) does not compile.
struct Axis : Integer {
  using Integer::Integer;
};

// A set of them, or all without a list: sum(x, 0), sum(x, {0, -1}), sum(x).
struct Axes : std::optional<std::vector<std::int64_t>> {
  Axes(std::nullopt_t = std::nullopt) {}
  Axes(std::vector<std::int64_t> axes) : optional(std::move(axes)) {}
  Axes(std::initializer_list<Integer> axes) : Axes(Integers(axes)) {}
  template <WholeNumber Number>
  Axes(Number axis) : Axes({Integer(axis)}) {}
};

}  // namespace tutti
