#pragma once

#include <tutti/lazy/ops.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <variant>
#include <vector>

// Parts of tensors by place, as NumPy's x[i, :, a:b].
namespace tutti {

// A whole axis.
inline constexpr Range whole = {};

// What is taken of an axis: an element by number, whose axis goes (negative ones count from the
// end); an element by an integer scalar that is computed, out of range the nearest there is; or a
// range.
class Selector {
 public:
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  Selector(Number index, std::source_location at = std::source_location::current())
      : what_(static_cast<std::int64_t>(index)), where_(at) {}
  Selector(const Range& range, std::source_location at = std::source_location::current())
      : what_(range), where_(at) {}
  Selector(const Tensor& index, std::source_location at = std::source_location::current())
      : what_(index), where_(at) {}

  using What = std::variant<std::int64_t, Range, Tensor>;
  const What& what() const { return what_; }
  Location where() const { return where_; }

 private:
  What what_;
  Location where_;
};

namespace detail {
Tensor selected(const Operand& x, const std::vector<Selector>& selectors);
Tensor replaced(const Operand& x, const Operand& value, const std::vector<Selector>& selectors);
Tensor added_at(const Operand& x, const Operand& value, const std::vector<Selector>& selectors);
}  // namespace detail

// at(x, 0, whole, Range{2, 5}) is x[0, :, 2:5]: selectors for the axes from the first on; missing
// ones are whole. Throws TypeError for a number that is out of range, and for more selectors than
// axes.
template <std::convertible_to<Selector>... Selectors>
Tensor at(const Operand& x, const Selectors&... selectors) {
  return detail::selected(x, {Selector(selectors)...});
}

// x with `value`, which broadcasts to it, in place of what at() takes.
template <std::convertible_to<Selector>... Selectors>
Tensor set_at(const Operand& x, const Operand& value, const Selectors&... selectors) {
  return detail::replaced(x, value, {Selector(selectors)...});
}

// x with `value`, which broadcasts to it, added to what at() takes.
template <std::convertible_to<Selector>... Selectors>
Tensor add_at(const Operand& x, const Operand& value, const Selectors&... selectors) {
  return detail::added_at(x, value, {Selector(selectors)...});
}

}  // namespace tutti
