#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tutti::detail {

// What a floating-point argument of a function under compilation looks like: a negative signalling
// NaN with the argument's number in its payload. Arithmetic on it in C++ makes it quiet and changes
// of its sign make it positive, which is noticed.
struct ScalarTag {
  static constexpr std::size_t kMost = 0x3FFE;  // arguments that can be told apart
  static float of_float(int argument);
  static double of_double(int argument);
  // The argument a number stands for; nothing for an ordinary number. `tampered` is set if C++
  // arithmetic was done on one.
  static std::optional<int> argument_of(std::uint64_t bits, bool single, bool& tampered);
  // Whether a number is a negative NaN: what is left of a tag in a narrow float.
  static bool is_negative_nan(std::uint64_t bits, bool single);
};

}  // namespace tutti::detail
