#include <tutti/ir/scalar.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/operand.h>
#include <tutti/lazy/trace.h>

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
    if (std::isfinite(number->value) && !std::isfinite(scalar.at(0))) {
      refuse(std::to_string(number->value), "where it does not fit");
    }
    return scalar;
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    if (dtype != DType::boolean) refuse(*truth ? "true" : "false", "which is not bool");
    return Array::scalar(*truth);
  }
  if (dtype == DType::boolean) refuse("given", "which holds true and false only");
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    const auto convert = [&](auto integer) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if (!std::in_range<T>(integer)) refuse(std::to_string(integer), "where it does not fit");
        return Array::scalar(static_cast<T>(integer));
      } else {
        return Array::scalar_of(dtype_of<T>, static_cast<double>(integer));
      }
    };
    if (const auto* natural = std::get_if<std::uint64_t>(&value)) return convert(*natural);
    return convert(std::get<std::int64_t>(value));
  });
}

// A floating-point argument of the function being compiled, if the number stands for one.
std::optional<Tensor> argument(const Operand::Number& number, DType dtype, Location where) {
  RankContext& context = RankContext::current();
  if (!context.compiling()) return std::nullopt;
  Trace& trace = context.trace();
  const auto position =
      detail::ScalarTag::argument_of(number.bits, number.single, trace.scalar_tampered);
  if (!position || *position >= static_cast<int>(trace.scalar_arguments.size()))
    return std::nullopt;
  const ir::Value value = trace.scalar_arguments[static_cast<std::size_t>(*position)];
  Tensor tensor(trace.handle(value, where));
  if (tensor.dtype() == dtype) return tensor;
  if (!is_floating(dtype)) {
    throw TypeError("a floating-point argument meets a tensor of " + std::string(name_of(dtype)) +
                        "; cast the tensor",
                    where);
  }
  return Tensor(detail::record(ir::Op::cast, {tensor.state()}, {dtype}, where));
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

Tensor Operand::tensor() const {
  if (std::holds_alternative<Number>(value_)) return tensor(DType::f32);
  if (std::holds_alternative<bool>(value_)) return tensor(DType::boolean);
  return tensor(DType::i64);
}

Tensor Operand::tensor(DType like) const {
  if (const auto* state = std::get_if<detail::StatePtr>(&value_)) return Tensor(*state);
  RankContext& context = RankContext::current();
  Trace& trace = context.trace();
  if (const auto* number = std::get_if<Number>(&value_)) {
    if (const auto tagged = argument(*number, like, where_)) return *tagged;
    Array scalar = number_array(value_, like, where_);
    trace.builder().at(where_);
    return Tensor(trace.handle(trace.runtime_scalar(std::move(scalar)), where_));
  }
  Array scalar = number_array(value_, like, where_);
  trace.builder().at(where_);
  return Tensor(trace.handle(trace.builder().constant(std::move(scalar)), where_));
}

}  // namespace tutti
