#include "tools/show/format.h"

#include <algorithm>
#include <limits>

namespace tutti::tools::show {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The length of the character that begins the text; 0 if it is not well-formed.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  if (!std::ranges::all_of(text.substr(1, length - 1), continues)) return 0;
  const auto second = static_cast<unsigned char>(length > 1 ? text[1] : 0);
  // Overlong forms, surrogates, and what lies behind the last code point.
  const bool outside = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return outside ? 0 : length;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  constexpr std::string_view kRest = "...";
  if (text.size() <= most) return std::string(text);
  std::size_t size = most > kRest.size() ? most - kRest.size() : 0;
  while (size > 0 && continues(text[size])) --size;
  return std::string(text.substr(0, size)) + std::string(kRest);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const bool control = static_cast<unsigned char>(text[0]) < ' ' || text[0] == '\x7F';
    if (length == 0 || control) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::int64_t add_capped(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace tutti::tools::show
