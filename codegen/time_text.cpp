#include <tutti/codegen/time_text.h>

#include <array>
#include <cstdio>

namespace tutti::codegen {

std::string text_of(std::chrono::nanoseconds time) {
  const auto count = static_cast<double>(time.count());
  const bool small = count < 999.5e3;
  const bool large = count >= 999.5e6;
  const double value = count / (small ? 1e3 : large ? 1e9 : 1e6);
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value,
                small   ? "us"
                : large ? "s"
                        : "ms");
  return text.data();
}

}  // namespace tutti::codegen
