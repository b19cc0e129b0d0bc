#include <tutti/ir/stablehlo/lexer.h>

#include <utility>

namespace tutti::ir::stablehlo {

namespace {

// The bytes at the front of `text` that a word has; names of values and symbols also have `more`.
std::size_t length_of_word(std::string_view text, std::string_view more) {
  std::size_t end = 0;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.' ||
                               more.find(text[end]) != more.npos)) {
    ++end;
  }
  return end;
}

// All that may belong to a number; whether it is one is seen when its value is read.
std::size_t length_of_number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("-0x");
  std::size_t end = 1;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const char before = text[end - 1];
    const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E') && !hexadecimal;
    if (!is_digit(c) && !is_letter(c) && !sign && c != '.') break;
  }
  return end;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string file_name)
    : TokenReader(text, std::move(file_name)) {
  start();
}

Token Lexer::cut(std::size_t begin) const {
  const std::string_view rest = text().substr(begin);
  if (rest.starts_with("->")) return token(Token::Kind::punctuation, begin, 2);
  const char c = rest[0];
  if (is_digit(c) || (c == '-' && rest.size() > 1 && is_digit(rest[1]))) {
    return token(Token::Kind::number, begin, length_of_number(rest));
  }
  if (is_letter(c)) return token(Token::Kind::word, begin, length_of_word(rest, "$"));
  if (c == '"') return token(Token::Kind::text, begin, length_of_quoted(begin));
  if (c == '@' && rest.substr(1).starts_with('"')) {
    return token(Token::Kind::symbol, begin, 1 + length_of_quoted(begin + 1), 1);
  }
  const std::size_t name = length_of_word(rest.substr(1), c == '%' ? "$-#" : "$-");
  if (std::string_view("%@^#!").find(c) != std::string_view::npos) {
    if (name == 0) fail(begin, std::string("expected a name after '") + c + "'");
    const Token::Kind kind = c == '%'   ? Token::Kind::value
                             : c == '@' ? Token::Kind::symbol
                             : c == '^' ? Token::Kind::block
                             : c == '#' ? Token::Kind::attribute
                                        : Token::Kind::type;
    return token(kind, begin, 1 + name, 1);
  }
  if (std::string_view("(){}[]<>,:=?*+|-/").find(c) != std::string_view::npos) {
    return token(Token::Kind::punctuation, begin, 1);
  }
  fail(begin, "unexpected character");
}

}  // namespace tutti::ir::stablehlo
