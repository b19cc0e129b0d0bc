#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::ir {

// A piece of IR text. Punctuation has its own characters as `text`.
struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,         // add, f32, true
    number,       // 12, -1.5e+10, 0x7f, -inf
    text,         // "with quotes"
    value,        // %x, without the %
    symbol,       // @dp, without the @
    punctuation,  // ( ) { } [ ] , : = * + - -> .. <=
  };

  Kind kind = Kind::end;
  std::string_view text;
  std::size_t offset = 0;

  bool is(std::string_view punctuation) const {
    return kind == Kind::punctuation && text == punctuation;
  }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
};

// Cuts IR text into tokens, with one token of look-ahead, and says where in it something is wrong.
// Refers to the text, which must outlive it.
class Lexer {
 public:
  Lexer(std::string_view text, std::string file_name);

  // The next token, and the same with stepping over it.
  const Token& peek() const { return next_; }
  Token take();
  // Steps over this punctuation or word if it comes next.
  bool accept(std::string_view text);
  // Steps over this punctuation or word, or fails with "expected '(' after the op's name".
  void expect(std::string_view text, std::string_view where);
  // Steps over a token of this kind, or fails with "expected <what>".
  Token expect(Token::Kind kind, std::string_view what);

  // What stands behind `//` in the rest of the line after the token taken last; empty if nothing
  // does.
  std::string_view comment_after() const;
  // The number of the line (from 1) that holds an offset.
  std::size_t line_of(std::size_t offset) const;

  // Throws ParseError: "file:line:column: message", the line and a caret below the place.
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;
  // Fails at the next token: "expected <what>, not 'x'".
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  void skip_blanks();
  static bool is_minus(std::string_view rest);
  Token read();
  std::size_t end_of_number(std::size_t begin) const;
  Token read_named(Token::Kind kind, std::string_view what);
  std::size_t end_of_text(std::size_t begin) const;

  std::string_view text_;
  std::string file_name_;
  std::size_t at_ = 0;        // where `next_` ends
  std::size_t taken_to_ = 0;  // where the token taken last ends
  Token next_;
};

// The number of the line (from 1) of a text that holds an offset.
std::size_t line_of(std::string_view text, std::size_t offset);

// Throws ParseError: "file:line:column: message", the line and a caret below the place.
[[noreturn]] void fail_at(std::string_view text, const std::string& file_name, std::size_t offset,
                          const std::string& message);

// The number of bytes at the front of `text` that make an identifier: [A-Za-z_.][A-Za-z0-9_.]*
std::size_t identifier_length(std::string_view text);

}  // namespace tutti::ir
