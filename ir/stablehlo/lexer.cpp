#include <tutti/ir/lexer.h>
#include <tutti/ir/stablehlo/lexer.h>

#include <algorithm>

namespace tutti::ir::stablehlo {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The bytes at the front of `text` that a word has; names of values and symbols also have `more`.
std::size_t length_of_word(std::string_view text, std::string_view more) {
  std::size_t end = 0;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.' ||
                               more.find(text[end]) != more.npos)) {
    ++end;
  }
  return end;
}

std::string shown(const Token& token) {
  constexpr std::size_t kMost = 40;
  if (token.kind == Token::Kind::end) return "the end of the text";
  std::string out(token.text.substr(0, kMost));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  if (token.text.size() > kMost) out += "...";
  return "'" + out + "'";
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string file_name)
    : text_(text), file_name_(std::move(file_name)) {
  next_ = read();
}

Token Lexer::take() {
  const Token taken = next_;
  next_ = read();
  return taken;
}

bool Lexer::accept(std::string_view text) {
  if (!next_.is(text) && !next_.is_word(text)) return false;
  take();
  return true;
}

void Lexer::expect(std::string_view text, std::string_view where) {
  if (accept(text)) return;
  fail_expected("'" + std::string(text) + "' " + std::string(where));
}

Token Lexer::expect(Token::Kind kind, std::string_view what) {
  if (next_.kind != kind) fail_expected(what);
  return take();
}

void Lexer::fail(std::size_t offset, const std::string& message) const {
  fail_at(text_, file_name_, offset, message);
}

void Lexer::fail_expected(std::string_view what) const {
  fail(next_.offset, "expected " + std::string(what) + ", not " + shown(next_));
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      if (c == '\n') ++line_;
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

Token Lexer::read() {
  skip_blanks();
  const std::size_t begin = at_;
  const std::string_view rest = text_.substr(begin);
  // A token of `length` bytes, shown without the first `skip` of them.
  const auto token = [&](Token::Kind kind, std::size_t length, std::size_t skip = 0) {
    at_ = begin + length;
    return Token{
        .kind = kind, .text = rest.substr(skip, length - skip), .offset = begin, .line = line_};
  };
  if (rest.empty()) return token(Token::Kind::end, 0);
  if (rest.starts_with("->")) return token(Token::Kind::punctuation, 2);
  const char c = rest[0];
  if (is_digit(c) || (c == '-' && rest.size() > 1 && is_digit(rest[1]))) {
    return token(Token::Kind::number, length_of_number());
  }
  if (is_letter(c)) return token(Token::Kind::word, length_of_word(rest, "$"));
  if (c == '"') return token(Token::Kind::text, length_of_text(begin));
  if (c == '@' && rest.substr(1).starts_with('"')) {
    return token(Token::Kind::symbol, 1 + length_of_text(begin + 1), 1);
  }
  const std::size_t name = length_of_word(rest.substr(1), c == '%' ? "$-#" : "$-");
  if (std::string_view("%@^#!").find(c) != std::string_view::npos) {
    if (name == 0) fail(begin, std::string("expected a name after '") + c + "'");
    const Token::Kind kind = c == '%'   ? Token::Kind::value
                             : c == '@' ? Token::Kind::symbol
                             : c == '^' ? Token::Kind::block
                             : c == '#' ? Token::Kind::attribute
                                        : Token::Kind::type;
    return token(kind, 1 + name, 1);
  }
  if (std::string_view("(){}[]<>,:=?*+|-/").find(c) != std::string_view::npos) {
    return token(Token::Kind::punctuation, 1);
  }
  fail(begin, "unexpected character");
}

// Takes in all that may belong to a number; whether it is one is seen when its value is read.
std::size_t Lexer::length_of_number() const {
  const std::string_view rest = text_.substr(at_);
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("-0x");
  std::size_t end = 1;
  while (end < rest.size()) {
    const char c = rest[end];
    const char before = rest[end - 1];
    const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E') && !hexadecimal;
    if (!is_digit(c) && !is_letter(c) && !sign && c != '.') break;
    ++end;
  }
  return end;
}

std::size_t Lexer::length_of_text(std::size_t begin) const {
  for (std::size_t end = begin + 1; end < text_.size() && text_[end] != '\n'; ++end) {
    if (text_[end] == '"') return end + 1 - begin;
    if (text_[end] == '\\') ++end;
  }
  fail(begin, "a text without its closing '\"'");
}

}  // namespace tutti::ir::stablehlo
