#include <tutti/ir/names.h>
#include <tutti/ir/text/lexer.h>

#include <algorithm>
#include <utility>

namespace tutti::ir {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// All that may belong to a number; whether it is one is seen when its value is read.
std::size_t length_of_number(std::string_view text) {
  std::size_t end = 1;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const char before = text[end - 1];
    const bool exponent_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
    const bool point = c == '.' && !text.substr(end).starts_with("..");
    if (!is_digit(c) && !is_letter(c) && !exponent_sign && !point) break;
  }
  return end;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string file_name)
    : TokenReader(text, std::move(file_name)) {
  start();
}

std::string_view Lexer::comment_after() const {
  std::string_view rest = text().substr(taken_to());
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  if (!rest.starts_with("//")) return {};
  std::string_view out = rest.substr(2, std::min(rest.find('\n'), rest.size()) - 2);
  while (!out.empty() && is_blank(out.front())) out.remove_prefix(1);
  while (!out.empty() && is_blank(out.back())) out.remove_suffix(1);
  return out;
}

// Whether a '-' stands before a size, as in 64-n, and does not begin a number, as in -1 and -inf.
bool Lexer::is_minus(std::string_view rest) {
  rest.remove_prefix(1);
  const std::string_view word = rest.substr(0, identifier_length(rest));
  if (rest.empty() || is_blank(rest[0]) || rest[0] == '(') return true;
  return !word.empty() && !is_number_word(word);
}

Token Lexer::cut(std::size_t begin) const {
  const std::string_view rest = text().substr(begin);
  for (const std::string_view two : {"->", "..", "<="}) {
    if (rest.starts_with(two)) return token(Token::Kind::punctuation, begin, 2);
  }
  const char c = rest[0];
  if (c == '-' && is_minus(rest)) return token(Token::Kind::punctuation, begin, 1);
  if (std::string_view("(){}[],:=*+").find(c) != std::string_view::npos) {
    return token(Token::Kind::punctuation, begin, 1);
  }
  if (c == '%') return named(Token::Kind::value, begin, "a name or a number after '%'");
  if (c == '@') return named(Token::Kind::symbol, begin, "a name after '@'");
  if (c == '"') return token(Token::Kind::text, begin, length_of_quoted(begin));
  if (is_digit(c) || c == '-') return token(Token::Kind::number, begin, length_of_number(rest));
  if (const std::size_t length = identifier_length(rest)) {
    return token(Token::Kind::word, begin, length);
  }
  fail(begin, "unexpected character");
}

Token Lexer::named(Token::Kind kind, std::size_t begin, std::string_view what) const {
  const std::string_view rest = text().substr(begin + 1);
  std::size_t length = identifier_length(rest);
  if (length == 0 && kind == Token::Kind::value) {
    while (length < rest.size() && is_digit(rest[length])) ++length;
  }
  if (length == 0 && kind == Token::Kind::symbol && rest.starts_with('"')) {
    length = length_of_quoted(begin + 1);
  }
  if (length == 0) fail(begin, "expected " + std::string(what));
  return token(kind, begin, 1 + length, 1);
}

}  // namespace tutti::ir
