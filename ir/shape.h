#pragma once

#include <tutti/ir/support/location.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {

// The types of C++ whose values are whole numbers, and mean no more than that.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                      !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                      !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

namespace detail {
// Never defined. A class that converts to one of these and to nothing closer to an i64 is a flag, a
// character or a fraction; the call of any other is ambiguous.
void no_whole_number(bool);
void no_whole_number(char);
void no_whole_number(wchar_t);
void no_whole_number(char8_t);
void no_whole_number(char16_t);
void no_whole_number(char32_t);
void no_whole_number(float);
void no_whole_number(double);
void no_whole_number(long double);
}  // namespace detail

// What becomes one by itself as well: the value of an unscoped enum, as of {kBatch, kTime}, and a
// class that converts to one, as std::integral_constant<int, 1>.
template <class T>
concept BecomesWholeNumber =
    WholeNumber<T> ||
    ((std::is_enum_v<T> || std::is_class_v<T>) && std::convertible_to<T, std::int64_t> &&
     !(std::is_class_v<T> && requires { detail::no_whole_number(std::declval<T>()); }));

// One of them, of whatever type: of {batch, x.size(0), data.size()}. What is above the largest i64,
// as an unsigned difference that should have been negative, becomes that one, which is beyond every
// size and axis: -1 would mean something.
struct Integer {
  template <BecomesWholeNumber T>
  constexpr Integer(T number)  // NOLINT(google-explicit-constructor)
      : value(value_of(number)) {}
  std::int64_t value;

 private:
  template <class T>
  static constexpr std::int64_t value_of(const T& number) {
    if constexpr (requires { requires std::integral<decltype(+number)>; }) {
      const auto whole = +number;  // of an enum or a class the number that it is
      return std::in_range<std::int64_t>(whole) ? static_cast<std::int64_t>(whole)
                                                : std::numeric_limits<std::int64_t>::max();
    } else {
      return number;  // a class that converts to whatever is asked of it
    }
  }
};

// A list of them: a vector, an array, a span, anything one can walk along.
template <class T>
concept IntegerRange = requires(const T& list) {
  requires WholeNumber<std::remove_cvref_t<decltype(*std::begin(list))>>;
  std::end(list);
};

// The list itself, for whoever takes one.
struct Integers : std::vector<std::int64_t> {
  Integers() = default;
  Integers(std::initializer_list<Integer> numbers) : vector(of(numbers)) {}
  template <IntegerRange List>
  Integers(const List& list) : vector(of(list)) {}  // NOLINT(google-explicit-constructor)

 private:
  template <class List>
  static vector of(const List& list) {
    vector out;
    for (const Integer number : list) out.push_back(number.value);
    return out;
  }
};

// The sizes of a tensor's dimensions, outermost first; at most kMaxRank of them, none negative.
// Rank 0 is a scalar with one element.
class Shape {
 public:
  static constexpr int kMaxRank = 8;
  // The bytes of that many elements of any dtype still fit in 63 bits.
  static constexpr std::int64_t kMostElements = (std::int64_t{1} << 60) - 1;

  Shape() = default;
  // Throws TypeError for more than kMaxRank sizes, for a negative one, and for a size or a number
  // of elements above kMostElements.
  Shape(std::initializer_list<Integer> sizes,
        std::source_location at = std::source_location::current())
      : Shape(collected(sizes, Location(at))) {}
  template <IntegerRange Sizes>
    requires(!std::derived_from<Sizes, Shape>)
  Shape(const Sizes& sizes,  // NOLINT(google-explicit-constructor)
        std::source_location at = std::source_location::current())
      : Shape(collected(sizes, Location(at))) {}
  // Tutti's own, which name the line of the call that they are for.
  explicit Shape(const std::vector<std::int64_t>& sizes) : Shape(std::span(sizes), Location()) {}
  explicit Shape(std::span<const std::int64_t> sizes) : Shape(sizes, Location()) {}

  int rank() const { return rank_; }
  // The number of a dimension, from 0 on, and the line that asks for its size.
  struct Dimension {
    template <std::convertible_to<Integer> T>
    constexpr Dimension(T at,  // NOLINT(google-explicit-constructor)
                        std::source_location asked = std::source_location::current())
        : number(Integer(at).value), where(asked) {}
    std::int64_t number;
    std::source_location where;
  };
  // Throws TypeError for a dimension that is not there.
  std::int64_t operator[](Dimension dimension) const {
    if (dimension.number < 0 || dimension.number >= rank_) [[unlikely]]
      refuse(dimension);
    return sizes_[static_cast<std::size_t>(dimension.number)];
  }
  std::int64_t elements() const { return elements_; }
  std::span<const std::int64_t> sizes() const {
    return {sizes_.data(), static_cast<std::size_t>(rank_)};
  }
  auto begin() const { return sizes().begin(); }
  auto end() const { return sizes().end(); }

  // Row-major strides in elements.
  std::array<std::int64_t, kMaxRank> strides() const;
  // For ops that take a list.
  operator std::vector<std::int64_t>() const {  // NOLINT(google-explicit-constructor)
    return {begin(), end()};
  }
  // "[64,10]"; "[]" for a scalar.
  std::string text() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && a.sizes_ == b.sizes_;
  }
  // Writes text().
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape);

 private:
  template <class Sizes>
  static Shape collected(const Sizes& from, Location where) {
    std::array<std::int64_t, kMaxRank> sizes;
    std::size_t count = 0;
    for (const Integer size : from) {
      if (count == kMaxRank) return Shape(std::span<const std::int64_t>(Integers(from)), where);
      sizes[count++] = size.value;
    }
    return Shape(std::span<const std::int64_t>(sizes.data(), count), where);
  }
  Shape(std::span<const std::int64_t> sizes, Location where);
  [[noreturn]] void refuse(Dimension dimension) const;

  std::array<std::int64_t, kMaxRank> sizes_{};
  std::int64_t elements_ = 1;
  int rank_ = 0;
};

// The dimensions before the last two, which hold a matrix each. For ranks of two or more.
inline Shape batch_shape(const Shape& shape) {
  return Shape(shape.sizes().first(static_cast<std::size_t>(shape.rank() - 2)));
}

// Calls f(index) with every index of a shape in row-major order; `index` is a span of rank() sizes.
template <class F>
void for_each_index(const Shape& shape, F&& f) {
  std::array<std::int64_t, Shape::kMaxRank> index{};
  const std::span<std::int64_t> view(index.data(), static_cast<std::size_t>(shape.rank()));
  for (std::int64_t n = 0; n < shape.elements(); ++n) {
    f(std::span<const std::int64_t>(view));
    for (int d = shape.rank() - 1; d >= 0; --d) {
      if (++index[static_cast<std::size_t>(d)] < shape[d]) break;
      index[static_cast<std::size_t>(d)] = 0;
    }
  }
}

}  // namespace tutti
