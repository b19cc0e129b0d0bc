#include <tutti/ir/lexer.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

namespace tutti::ir {

namespace {

constexpr std::size_t kMostShown = 120;  // columns of a source line in a message

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// How a message shows a token; long ones are cut.
std::string shown(const Token& token) {
  constexpr std::size_t kMost = 40;
  if (token.kind == Token::Kind::end) return "the end of the text";
  std::string out(token.text.substr(0, kMost));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  if (token.text.size() > kMost) out += "...";
  if (token.kind == Token::Kind::value) out.insert(0, "%");
  if (token.kind == Token::Kind::symbol) out.insert(0, "@");
  return "'" + out + "'";
}

}  // namespace

std::size_t identifier_length(std::string_view text) {
  if (text.empty() || !(is_letter(text[0]) || text[0] == '.')) return 0;
  std::size_t end = 1;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.'))
    ++end;
  return end;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(offset);
  return static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
}

void fail_at(std::string_view text, const std::string& file_name, std::size_t offset,
             const std::string& message) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  // Of a very long line, the part around the place.
  std::size_t from = begin;
  if (offset - begin > kMostShown) from = offset - kMostShown / 2;
  std::string line(text.substr(from, std::min(end - from, kMostShown)));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = ' ';  // a tab is one column here
  }
  throw ParseError(file_name + ":" + std::to_string(line_of(text, offset)) + ":" +
                   std::to_string(offset - begin + 1) + ": " + message + "\n" + line + "\n" +
                   std::string(offset - from, ' ') + "^");
}

Lexer::Lexer(std::string_view text, std::string file_name)
    : text_(text), file_name_(std::move(file_name)) {
  next_ = read();
}

Token Lexer::take() {
  const Token taken = next_;
  taken_to_ = at_;
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

std::string_view Lexer::comment_after() const {
  std::size_t begin = taken_to_;
  while (begin < text_.size() && is_blank(text_[begin])) ++begin;
  if (!text_.substr(begin).starts_with("//")) return {};
  begin += 2;
  std::size_t end = std::min(text_.find('\n', begin), text_.size());
  while (begin < end && is_blank(text_[begin])) ++begin;
  while (begin < end && is_blank(text_[end - 1])) --end;
  return text_.substr(begin, end - begin);
}

std::size_t Lexer::line_of(std::size_t offset) const { return ir::line_of(text_, offset); }

void Lexer::fail(std::size_t offset, const std::string& message) const {
  fail_at(text_, file_name_, offset, message);
}

void Lexer::fail_expected(std::string_view what) const {
  fail(next_.offset, "expected " + std::string(what) + ", not " + shown(next_));
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_]) || text_[at_] == '\n') {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

// Whether a '-' stands before a size, as in 64-n, and does not begin a number, as in -1 and -inf.
bool Lexer::is_minus(std::string_view rest) {
  rest.remove_prefix(1);
  const std::string_view word = rest.substr(0, identifier_length(rest));
  if (rest.empty() || is_blank(rest[0]) || rest[0] == '(') return true;
  return !word.empty() && word != "inf" && word != "infinity" && word != "nan";
}

Token Lexer::read() {
  skip_blanks();
  const std::size_t begin = at_;
  if (begin == text_.size()) return {.kind = Token::Kind::end, .text = {}, .offset = begin};
  const auto token = [&](Token::Kind kind, std::size_t length) {
    at_ = begin + length;
    return Token{.kind = kind, .text = text_.substr(begin, length), .offset = begin};
  };
  const std::string_view rest = text_.substr(begin);
  for (const std::string_view two : {"->", "..", "<="}) {
    if (rest.starts_with(two)) return token(Token::Kind::punctuation, 2);
  }
  const char c = rest[0];
  if (c == '-' && is_minus(rest)) return token(Token::Kind::punctuation, 1);
  if (std::string_view("(){}[],:=*+").find(c) != std::string_view::npos) {
    return token(Token::Kind::punctuation, 1);
  }
  if (c == '%') return read_named(Token::Kind::value, "a name or a number after '%'");
  if (c == '@') return read_named(Token::Kind::symbol, "a name after '@'");
  if (c == '"') return token(Token::Kind::text, end_of_text(begin) - begin);
  if (is_digit(c) || c == '-') return token(Token::Kind::number, end_of_number(begin) - begin);
  if (const std::size_t length = identifier_length(rest)) return token(Token::Kind::word, length);
  fail(begin, "unexpected character");
}

// Takes in all that may belong to a number; whether it is one is seen when its value is read.
std::size_t Lexer::end_of_number(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < text_.size()) {
    const char c = text_[end];
    const char before = text_[end - 1];
    const bool exponent_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
    const bool point = c == '.' && !text_.substr(end).starts_with("..");
    if (!is_digit(c) && !is_letter(c) && !exponent_sign && !point) break;
    ++end;
  }
  return end;
}

Token Lexer::read_named(Token::Kind kind, std::string_view what) {
  const std::size_t begin = at_;
  const std::string_view rest = text_.substr(begin + 1);
  std::size_t length = identifier_length(rest);
  if (length == 0 && kind == Token::Kind::value) {
    while (length < rest.size() && is_digit(rest[length])) ++length;
  }
  if (length == 0 && kind == Token::Kind::symbol && rest.starts_with('"')) {
    length = end_of_text(begin + 1) - begin - 1;
  }
  if (length == 0) fail(begin, "expected " + std::string(what));
  at_ = begin + 1 + length;
  return {.kind = kind, .text = rest.substr(0, length), .offset = begin};
}

std::size_t Lexer::end_of_text(std::size_t begin) const {
  for (std::size_t end = begin + 1; end < text_.size() && text_[end] != '\n'; ++end) {
    if (text_[end] == '"') return end + 1;
    if (text_[end] == '\\') ++end;
  }
  fail(begin, "a text without its closing '\"'");
}

}  // namespace tutti::ir
