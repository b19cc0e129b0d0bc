#include <tutti/ir/names.h>

#include <algorithm>
#include <vector>

namespace tutti::ir {

namespace {

// How many insertions, deletions and replacements lead from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

bool is_number_word(std::string_view text) {
  return text == "inf" || text == "infinity" || text == "nan";
}

std::size_t identifier_length(std::string_view text) {
  if (text.empty() || !(is_letter(text[0]) || text[0] == '.')) return 0;
  std::size_t end = 1;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.'))
    ++end;
  return end;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && identifier_length(text) == text.size();
}

std::string identifier_from(std::string_view text, std::string_view fallback) {
  if (text.empty()) return std::string(fallback);
  std::string out(text);
  for (char& c : out) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !is_identifier(std::string_view(&c, 1))) c = '_';
  }
  if (!is_identifier(out)) out.insert(0, "_");  // it starts with a digit
  return out;
}

std::string UniqueNames::add(std::string name) {
  if (used_.insert(name).second) return name;
  std::size_t& suffix = next_[name];
  for (;;) {
    std::string candidate = name + "_" + std::to_string(++suffix);
    if (used_.insert(candidate).second) return candidate;
  }
}

std::string quoted(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < ' ' || byte == 0x7F) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string name_or_quoted(std::string_view text) {
  return is_identifier(text) ? std::string(text) : quoted(text);
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest) return "";
  std::string_view nearest;
  std::size_t least = name.size() / 3 + 2;  // what is further away is another word
  for (const std::string_view candidate : candidates) {
    const std::size_t here = distance(name, candidate);
    if (here >= least) continue;
    least = here;
    nearest = candidate;
  }
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

std::string suggestion_or_all(std::string_view name, std::span<const std::string_view> candidates) {
  std::string out = suggestion(name, candidates);
  if (!out.empty() || candidates.empty()) return out;
  out = candidates.size() == 1 ? "; there is " : "; there are ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    out += (i == 0 ? "" : ", ") + std::string(candidates[i]);
  }
  return out;
}

}  // namespace tutti::ir
