#pragma once

#include <tutti/ir/support/location.h>
#include <tutti/lazy/tensor.h>

#include <concepts>
#include <cstdint>
#include <source_location>
#include <variant>

namespace tutti {

namespace ir {
struct Value;
}
namespace detail {
class RankContext;
}

// What ops take: a Tensor, an AsyncTensor (which then waits) or a C++ number, together with the
// line of the user's program. Numbers take the dtype of the tensor they meet; alone they become
// f32, i64 or bool. A floating-point number is a run-time parameter: another value is no new
// program.
class Operand {
 public:
  Operand(const Tensor& tensor, std::source_location at = std::source_location::current())
      : value_(tensor.state(at)), where_(at) {}
  Operand(const AsyncTensor& async, std::source_location at = std::source_location::current())
      : value_(async.wait(at).state()), where_(at) {}
  template <std::floating_point T>
  Operand(T number, std::source_location at = std::source_location::current())
      : value_(as_number(number)), where_(at) {}
  template <std::integral T>
  Operand(T number, std::source_location at = std::source_location::current()) : where_(at) {
    if constexpr (std::same_as<T, bool>) {
      value_ = number;
    } else if constexpr (std::unsigned_integral<T>) {
      value_ = static_cast<std::uint64_t>(number);
    } else {
      value_ = static_cast<std::int64_t>(number);
    }
  }

  // For an op that calls another: the same line.
  Operand(const Tensor& tensor, Location where) : value_(tensor.state(where)), where_(where) {}

  Location where() const { return where_; }
  bool is_tensor() const { return std::holds_alternative<detail::StatePtr>(value_); }

  // A floating-point number, with the bits it came with: a float may stand for an argument of a
  // function that is being compiled (see compile.h).
  struct Number {
    double value;
    std::uint64_t bits;
    bool single;
  };
  using Value = std::variant<detail::StatePtr, Number, std::int64_t, std::uint64_t, bool>;
  const Value& value() const { return value_; }

  // A tensor's dtype; what a number becomes alone.
  DType dtype() const;
  // The operand as a tensor; a number gets the dtype of `like` (its own default without one).
  Tensor tensor() const { return tensor(dtype()); }
  Tensor tensor(DType like) const;
  // The same as a value of the trace that the rank records into.
  ir::Value value_in(detail::RankContext& context, DType like) const;

 private:
  static Number as_number(float number);
  static Number as_number(double number);

  Value value_;
  Location where_;
};

}  // namespace tutti
