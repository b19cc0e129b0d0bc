#pragma once

#include <tutti/ir/shape.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

// The axes that ops go along, counted from 0, negative ones from the end.
namespace tutti {

// One axis, in any type of whole numbers or that becomes one. A flag is none: sort(x, true) does
// not compile.
struct Axis : Integer {
  using Integer::Integer;
};

// A set of them, or all without a list: sum(x, 0), sum(x, {0, -1}), sum(x). A shape is no set.
struct Axes : std::optional<std::vector<std::int64_t>> {
  Axes(std::nullopt_t = std::nullopt) {}
  Axes(std::vector<std::int64_t> axes) : optional(std::move(axes)) {}
  Axes(std::initializer_list<Integer> axes) : optional(Integers(axes)) {}
  template <IntegerRange List>
    requires(!std::same_as<List, Shape>)
  Axes(const List& axes) : optional(Integers(axes)) {}
  template <std::convertible_to<Integer> Number>
  Axes(Number axis) : Axes({Integer(axis)}) {}
};

}  // namespace tutti
