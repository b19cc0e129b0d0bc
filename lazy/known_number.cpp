#include <tutti/ir/support/error.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/scalar_tag.h>

#include <cmath>
#include <cstdint>
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

std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace tutti::detail
