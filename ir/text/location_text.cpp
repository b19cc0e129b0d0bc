#include <tutti/ir/text/location_text.h>

#include <algorithm>
#include <charconv>

namespace tutti::ir {

namespace {

constexpr std::size_t kCommentColumn = 72;  // where a comment starts if the line is shorter

// What no file's name in a text has.
bool is_unprintable(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; }

}  // namespace

void append_location(std::string& out, const Location& location, std::size_t length) {
  std::string text = location.text();
  if (text.empty() || text.starts_with(':')) return;
  for (char& c : text) {
    if (is_unprintable(c)) c = '_';
  }
  out.append(length + 2 <= kCommentColumn ? kCommentColumn - length : 2, ' ');
  out += "// " + text;
}

Location location_from(std::string_view comment) {
  const std::size_t colon = comment.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::string_view file = comment.substr(0, colon);
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  if (file.empty() || file.front() == ':') return {};
  if (std::ranges::any_of(comment, is_unprintable)) return {};
  const std::string_view digits = comment.substr(colon + 1);
  std::uint32_t line = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return {};
  return {file, line};
}

}  // namespace tutti::ir
