#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

// Names in IR text.
namespace tutti::ir {

// Of the characters that make words and numbers: [0-9] and [A-Za-z_].
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_identifier(std::string_view text);
// The number of bytes at the front of `text` that make an identifier: [A-Za-z_.][A-Za-z0-9_.]*
std::size_t identifier_length(std::string_view text);
// inf, infinity and nan, which are numbers behind a '-' wherever one may stand.
bool is_number_word(std::string_view text);

// The text with everything that an identifier may not hold replaced by '_', so that "layer 1"
// becomes "layer_1", "0" becomes "_0" and "" becomes `fallback`.
std::string identifier_from(std::string_view text, std::string_view fallback);

// Hands out identifiers that differ from each other: x, x_1, x_2, ...
class UniqueNames {
 public:
  std::string add(std::string name);

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, std::size_t> next_;  // by name: the suffix to try next
};

// The text between quotes, with escapes: a line of printable bytes.
std::string quoted(std::string_view text);

// The identifier itself, anything else quoted.
std::string name_or_quoted(std::string_view text);

// "1 node", "2 nodes".
std::string counted(std::size_t count, std::string_view what);

// "; did you mean 'matmul'?" with the nearest candidate, or nothing if none is near.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);
// The same, or all of them if none is near: "; there are data, model".
std::string suggestion_or_all(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace tutti::ir
