#include "tools/option_checks.h"

#include <charconv>
#include <cstdint>
#include <string>

namespace tutti::tools {

namespace {

template <class Number>
bool is_from_zero(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

}  // namespace

CLI::Validator at_least_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        return is_from_zero<double>(text) ? "" : "'" + text + "' is no number from 0 on";
      },
      "");
}

CLI::Validator seed() {
  return CLI::Validator(
      [](const std::string& text) {
        return is_from_zero<std::uint64_t>(text) ? ""
                                                 : "'" + text + "' is no whole number from 0 on";
      },
      "");
}

}  // namespace tutti::tools
