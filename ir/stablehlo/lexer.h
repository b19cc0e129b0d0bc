#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::ir::stablehlo {

// A piece of MLIR text.
struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,         // stablehlo.add, tensor, x
    number,       // 12, -1.5e+10, 0x7F800000; also 4x8xf32, the sizes and dtype of a type
    text,         // "with quotes"
    value,        // %x, %0#1, without the %
    symbol,       // @main, @"a name", without the @
    block,        // ^bb0, without the ^
    attribute,    // #stablehlo.gather, without the #
    type,         // !stablehlo.token, without the !
    punctuation,  // ( ) { } [ ] < > , : = ? * + | - / ->
  };

  Kind kind = Kind::end;
  std::string_view text;
  std::size_t offset = 0;
  std::uint32_t line = 1;

  bool is(std::string_view punctuation) const {
    return kind == Kind::punctuation && text == punctuation;
  }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
};

// Cuts MLIR text into tokens, with one token of look-ahead. Refers to the text, which must outlive
// it. Like ir::Lexer, whose notation is another one.
class Lexer {
 public:
  Lexer(std::string_view text, std::string file_name);

  const Token& peek() const { return next_; }
  Token take();
  // Steps over this punctuation or word if it comes next.
  bool accept(std::string_view text);
  // Steps over this punctuation or word, or fails with "expected '(' after the op's name".
  void expect(std::string_view text, std::string_view where);
  // Steps over a token of this kind, or fails with "expected <what>".
  Token expect(Token::Kind kind, std::string_view what);

  // Throws ParseError: "file:line:column: message", the line and a caret below the place.
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;
  // Fails at the next token: "expected <what>, not 'x'".
  [[noreturn]] void fail_expected(std::string_view what) const;

  const std::string& file_name() const { return file_name_; }

 private:
  void skip_blanks();
  Token read();
  std::size_t length_of_number() const;
  std::size_t length_of_text(std::size_t begin) const;

  std::string_view text_;
  std::string file_name_;
  std::size_t at_ = 0;  // where `next_` ends
  std::uint32_t line_ = 1;
  Token next_;
};

}  // namespace tutti::ir::stablehlo
