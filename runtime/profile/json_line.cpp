#include <tutti/runtime/profile/json_line.h>

#include <array>
#include <charconv>
#include <cmath>

namespace tutti::runtime {

namespace {

// How many bytes the UTF-8 character at the front has; 0 if it is none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += '?';
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first < 0x20) {
      out += "\\u00";
      out += kDigits[first >> 4];
      out += kDigits[first & 15];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

template <class... Format>
void append_number(std::string& out, Format... number) {
  std::array<char, 400> text;  // the longest double without an exponent has 309 digits in front
  const auto result = std::to_chars(text.data(), text.data() + text.size(), number...);
  out.append(text.data(), result.ptr);
}

}  // namespace

void JsonLine::comma() {
  if (text_.back() != '{' && text_.back() != '[') text_ += ',';
}

void JsonLine::key(std::string_view name) {
  comma();
  text_ += '"';
  text_ += name;
  text_ += "\":";
}

JsonLine& JsonLine::add(std::string_view name, std::string_view value) {
  key(name);
  text_ += '"';
  append_escaped(text_, value);
  text_ += '"';
  return *this;
}

JsonLine& JsonLine::add(std::string_view name, std::int64_t value) {
  key(name);
  append_number(text_, value);
  return *this;
}

JsonLine& JsonLine::add(std::string_view name, double value, int digits) {
  key(name);
  append_number(text_, std::isfinite(value) ? value : 0.0, std::chars_format::fixed, digits);
  return *this;
}

JsonLine& JsonLine::add_time(std::string_view name, std::int64_t nanoseconds) {
  constexpr std::int64_t kThousand = 1000;
  key(name);
  append_number(text_, nanoseconds / kThousand);
  const std::string rest = std::to_string(kThousand + nanoseconds % kThousand);
  text_ += '.';
  text_ += std::string_view(rest).substr(1);
  return *this;
}

JsonLine& JsonLine::begin_element() {
  comma();
  text_ += '{';
  return *this;
}

JsonLine& JsonLine::open(std::string_view name, char bracket) {
  key(name);
  text_ += bracket;
  return *this;
}

JsonLine& JsonLine::close(char bracket) {
  text_ += bracket;
  return *this;
}

}  // namespace tutti::runtime
