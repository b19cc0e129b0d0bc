#include <tutti/ir/scalar.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/operand.h>
#include <tutti/lazy/scalar_tag.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tutti {

namespace {

using detail::RankContext;
using detail::Trace;

// A number as an array of one dtype; throws TypeError if the dtype can't hold it.
Array number_array(const Operand::Value& value, DType dtype, Location where) {
  const auto refuse = [&](const std::string& number, const char* why) {
    throw TypeError("the number " + number + " meets a tensor of " + std::string(name_of(dtype)) +
                        ", " + why + "; cast the tensor, or write another number",
                    where);
  };
  if (const auto* number = std::get_if<Operand::Number>(&value)) {
    if (!is_floating(dtype)) refuse(std::to_string(number->value), "which holds no fractions");
    Array scalar = Array::scalar_of(dtype, number->value);
    if (!detail::is_kept(number->value, scalar.at(0))) {
      refuse(std::to_string(number->value), "where it does not fit");
    }
    return scalar;
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    if (dtype != DType::boolean) refuse(*truth ? "true" : "false", "which is not bool");
    return Array::scalar(*truth);
  }
  if (dtype == DType::boolean) {
    const auto* const natural = std::get_if<std::uint64_t>(&value);
    refuse(natural != nullptr ? std::to_string(*natural)
                              : std::to_string(std::get<std::int64_t>(value)),
           "which holds true and false only");
  }
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    const auto convert = [&](auto integer) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if (!std::in_range<T>(integer)) refuse(std::to_string(integer), "where it does not fit");
        return Array::scalar(static_cast<T>(integer));
      } else {
        Array scalar = Array::scalar_of(dtype_of<T>, static_cast<double>(integer));
        if (is_narrow_float<T> && !std::isfinite(scalar.at(0))) {
          refuse(std::to_string(integer), "where it does not fit");
        }
        return scalar;
      }
    };
    if (const auto* natural = std::get_if<std::uint64_t>(&value)) return convert(*natural);
    return convert(std::get<std::int64_t>(value));
  });
}

// A floating-point argument of the function being compiled, if the number stands for one.
std::optional<ir::Value> argument(RankContext& context, const Operand::Number& number, DType dtype,
                                  Location where) {
  Trace& trace = context.trace();
  Trace& root = trace.root();
  if (root.scalar_arguments.empty()) return std::nullopt;
  const bool tampered = root.scalar_tampered;
  const auto position =
      detail::ScalarTag::argument_of(number.bits, number.single, root.scalar_tampered);
  if (!position && detail::ScalarTag::is_negative_nan(number.bits, number.single)) {
    root.scalar_tampered = true;
  }
  if (root.scalar_tampered && !tampered) {
    root.scalar_tampered_at = context.line_of(where);
  }
  if (!position || *position >= std::ssize(root.scalar_arguments)) return std::nullopt;
  ir::Value value = root.scalar_arguments[static_cast<std::size_t>(*position)];
  if (&root != &trace) value = trace.value_of(*root.handle(value, where), where);
  if (trace.graph().type(value).dtype == dtype) return value;
  if (!is_floating(dtype)) {
    throw TypeError("a floating-point argument meets a tensor of " + std::string(name_of(dtype)) +
                        "; cast the tensor",
                    where);
  }
  // Whether the number fits is known at a call.
  const auto number_of_argument = static_cast<std::size_t>(*position);
  const auto is_known = [&](const Trace::NarrowedArgument& each) {
    return each.number == number_of_argument && each.dtype == dtype;
  };
  if (dtype != DType::f64 && std::ranges::none_of(root.narrowed_arguments, is_known)) {
    root.narrowed_arguments.push_back({number_of_argument, dtype, context.line_of(where)});
  }
  trace.builder().at(context.line_of(where));
  return trace.number(trace.builder().add(ir::Op::cast, {value}, {dtype}));
}

}  // namespace

Operand::Number Operand::as_number(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  // Even looking at a signalling NaN as a number would count as arithmetic on it; the bits say it
  // all.
  const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return {nan ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(number), bits, true};
}

Operand::Number Operand::as_number(double number) {
  return {number, std::bit_cast<std::uint64_t>(number), false};
}

DType Operand::dtype() const {
  if (const auto* state = std::get_if<detail::StatePtr>(&value_)) return (*state)->type.dtype;
  if (std::holds_alternative<Number>(value_)) return DType::f32;
  return std::holds_alternative<bool>(value_) ? DType::boolean : DType::i64;
}

ir::Value Operand::value_in(RankContext& context, DType like) const {
  Trace& trace = context.trace();
  if (const auto* state = std::get_if<detail::StatePtr>(&value_)) {
    return trace.value_of(**state, where_);
  }
  const auto* number = std::get_if<Number>(&value_);
  if (number != nullptr) {
    if (const auto tagged = argument(context, *number, like, where_)) return *tagged;
  }
  Array scalar = number_array(value_, like, where_);
  trace.builder().at(context.line_of(where_));
  return trace.number(number != nullptr ? trace.runtime_scalar(std::move(scalar))
                                        : trace.builder().constant(std::move(scalar)));
}

Tensor Operand::tensor(DType like) const {
  if (const auto* state = std::get_if<detail::StatePtr>(&value_)) return Tensor(*state);
  check_dtype(like, where_);
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, where_);
  const ir::Value value = value_in(context, like);
  return Tensor(context.trace().handle(value, context.line_of(where_)));
}

}  // namespace tutti
