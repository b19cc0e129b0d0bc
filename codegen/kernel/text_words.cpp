#include <tutti/codegen/kernel/text_words.h>

#include <charconv>

namespace tutti::codegen {

std::string shown(std::string_view word) { return "'" + std::string(word.substr(0, 40)) + "'"; }

int number_in_name(std::string_view word, char letter) {
  if (word.size() < 2 || word[0] != letter) return -1;
  if (word[1] == '0' && word.size() > 2) return -1;  // one name for each number
  int out = -1;
  const char* const end = word.data() + word.size();
  const auto result = std::from_chars(word.data() + 1, end, out);
  return result.ec == std::errc() && result.ptr == end && out >= 0 ? out : -1;
}

}  // namespace tutti::codegen
