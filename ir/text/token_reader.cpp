#include <tutti/ir/support/error.h>
#include <tutti/ir/text/token_reader.h>

#include <algorithm>
#include <utility>

namespace tutti::ir {

namespace {

constexpr std::size_t kMostShown = 120;  // columns of a source line in a message

// How a message shows a token; long ones are cut.
std::string shown(std::string_view token) {
  constexpr std::size_t kMost = 40;
  if (token.empty()) return "the end of the text";
  std::string out(token.substr(0, kMost));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  if (token.size() > kMost) out += "...";
  return "'" + out + "'";
}

}  // namespace

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
  const auto lines_above = std::ranges::count(text.substr(0, offset), '\n');
  throw ParseError(file_name + ":" + std::to_string(lines_above + 1) + ":" +
                   std::to_string(offset - begin + 1) + ": " + message + "\n" + line + "\n" +
                   std::string(offset - from, ' ') + "^");
}

TokenReader::TokenReader(std::string_view text, std::string file_name)
    : text_(text), file_name_(std::move(file_name)) {}

Token TokenReader::take() {
  const Token taken = next_;
  taken_to_ = at_;
  read();
  return taken;
}

bool TokenReader::accept(std::string_view text) {
  if (!next_.is(text) && !next_.is_word(text)) return false;
  take();
  return true;
}

void TokenReader::expect(std::string_view text, std::string_view where) {
  if (accept(text)) return;
  fail_expected("'" + std::string(text) + "' " + std::string(where));
}

Token TokenReader::expect(Token::Kind kind, std::string_view what) {
  if (next_.kind != kind) fail_expected(what);
  return take();
}

void TokenReader::fail(std::size_t offset, const std::string& message) const {
  fail_at(text_, file_name_, offset, message);
}

void TokenReader::fail_expected(std::string_view what) const {
  const std::string_view found = text_.substr(next_.offset, at_ - next_.offset);
  fail(next_.offset, "expected " + std::string(what) + ", not " + shown(found));
}

Token TokenReader::token(Token::Kind kind, std::size_t begin, std::size_t length,
                         std::size_t sigil) const {
  return {.kind = kind,
          .line = line_,
          .text = text_.substr(begin + sigil, length - sigil),
          .offset = begin};
}

std::size_t TokenReader::length_of_quoted(std::size_t begin) const {
  for (std::size_t end = begin + 1; end < text_.size() && text_[end] != '\n'; ++end) {
    if (text_[end] == '"') return end + 1 - begin;
    if (text_[end] == '\\') ++end;
  }
  fail(begin, "a text without its closing '\"'");
}

void TokenReader::read() {
  skip_blanks();
  next_ = at_ == text_.size() ? token(Token::Kind::end, at_, 0) : cut(at_);
  at_ = static_cast<std::size_t>(next_.text.data() - text_.data()) + next_.text.size();
}

void TokenReader::skip_blanks() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r') continue;
    if (c == '\n') {
      ++line_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size()) - 1;  // the newline is next
    } else {
      return;
    }
  }
}

}  // namespace tutti::ir
