#pragma once

#include <tutti/lazy/ops.h>

#include <cstdint>
#include <source_location>
#include <variant>

// Parts of tensors by place, as NumPy's x[i, :, a:b].
namespace tutti {

// What is taken of an axis: an element by number, whose axis goes (negative ones count from the
// end); an element by an integer scalar that is computed, out of range the nearest there is; a
// range; or all, for which the name of the op stands.
class Selector {
 public:
  template <WholeNumber Number>
  Selector(Number index, std::source_location at = std::source_location::current())
      : what_(Integer(index).value), where_(at) {}
  Selector(const Range& range, std::source_location at = std::source_location::current())
      : what_(range), where_(at) {}
  Selector(const Tensor& index, std::source_location at = std::source_location::current())
      : what_(index), where_(at) {}
  using All = Tensor (*)(const Operand& x, Axes axes, bool keepdims);
  Selector(All /*all*/, std::source_location at = std::source_location::current())
      : what_(Range()), where_(at) {}

  // Nothing was given for the axis, which is the same as all.
  Selector() = default;

  using What = std::variant<std::monostate, std::int64_t, Range, Tensor>;
  const What& what() const { return what_; }
  Location where() const { return where_; }

 private:
  What what_;
  Location where_;
};

// at(x, 0, all, Range{2, 5}) is x[0, :, 2:5]: selectors for the axes from the first on; missing
// ones are all. Throws TypeError for a number that is out of range, and for more selectors than
// axes; ranges are cut off at the ends, as everywhere.
Tensor at(const Operand& x, const Selector& a = {}, const Selector& b = {}, const Selector& c = {},
          const Selector& d = {}, const Selector& e = {}, const Selector& f = {},
          const Selector& g = {}, const Selector& h = {});

// x with `value`, which broadcasts to it, in place of what at() takes.
Tensor set_at(const Operand& x, const Operand& value, const Selector& a = {},
              const Selector& b = {}, const Selector& c = {}, const Selector& d = {},
              const Selector& e = {}, const Selector& f = {}, const Selector& g = {},
              const Selector& h = {});

// x with `value`, which broadcasts to it, added to what at() takes.
Tensor add_at(const Operand& x, const Operand& value, const Selector& a = {},
              const Selector& b = {}, const Selector& c = {}, const Selector& d = {},
              const Selector& e = {}, const Selector& f = {}, const Selector& g = {},
              const Selector& h = {});

}  // namespace tutti
