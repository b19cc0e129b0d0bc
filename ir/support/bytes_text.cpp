#include <tutti/ir/support/bytes_text.h>

#include <array>
#include <cstddef>
#include <cstdio>

namespace tutti {

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  const bool whole = unit == 0 || amount >= 99.95;
  const int digits = whole ? 0 : amount >= 9.995 ? 1 : 2;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, amount);
  std::string out = text.data();
  if (digits != 0) {  // "2.50" is 2.5, and "3.00" is 3
    out.erase(out.find_last_not_of('0') + 1);
    if (out.ends_with('.')) out.pop_back();
  }
  return out + " " + kUnits.at(unit);
}

}  // namespace tutti
