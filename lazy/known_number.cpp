#include <tutti/ir/support/error.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/scalar_tag.h>
#include <tutti/lazy/tensor_state.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

namespace tutti::detail {

std::optional<double> known_number(const Operand& x) {
  if (const auto* const number = std::get_if<Operand::Number>(&x.value())) {
    bool tampered = false;
    const bool stands = ScalarTag::argument_of(number->bits, number->single, tampered).has_value();
    return stands || tampered ? std::nullopt : std::optional(number->value);
  }
  if (const auto* const integer = std::get_if<std::int64_t>(&x.value())) {
    return static_cast<double>(*integer);
  }
  if (const auto* const natural = std::get_if<std::uint64_t>(&x.value())) {
    return static_cast<double>(*natural);
  }
  return std::nullopt;
}

void check_epsilon(std::string_view call, double epsilon, Location where) {
  if (epsilon >= 0 && std::isfinite(epsilon)) return;
  throw TypeError(
      std::string(call) + ": an epsilon of " + std::to_string(epsilon) + "; 0 and above are right",
      where);
}

void check_scalar(const char* what, const Operand& given) {
  if (!given.is_tensor() || given.tensor().rank() == 0) return;
  throw TypeError(std::string(what) + " is a number or a scalar, not " +
                  given.tensor().state()->type.text());
}

void check_finite_number(const char* what, const Operand& given) {
  const std::optional<double> number = known_number(given);
  if (!number || std::isfinite(*number)) return;
  throw UsageError(std::string(what) + " is " + number_text(*number) + "; it should be finite");
}

bool holds(DType dtype, std::int64_t number) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_integer(dtype_of<T>)) {
      return std::in_range<T>(number);
    } else {
      return false;
    }
  });
}

bool is_kept(double number, double stored) {
  return std::isfinite(stored) || (std::isnan(stored) ? std::isnan(number) : std::isinf(number));
}

std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace tutti::detail
