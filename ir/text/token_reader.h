#pragma once

#include <tutti/ir/names.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::ir {

// A piece of a text. Punctuation has its own characters as `text`; names go without the character
// that says what they are names of.
struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,         // add, f32, true; in MLIR also stablehlo.add
    number,       // 12, -1.5e+10, 0x7f, -inf; in MLIR also 4x8xf32, the sizes and dtype of a type
    text,         // "with quotes"
    value,        // %x; in MLIR also %0#1
    symbol,       // @dp, @"a name"
    block,        // ^bb0, in MLIR alone, as the next two
    attribute,    // #stablehlo.gather
    type,         // !stablehlo.token
    punctuation,  // ( -> and so on
  };

  Kind kind = Kind::end;
  std::uint32_t line = 1;
  std::string_view text;
  std::size_t offset = 0;

  bool is(std::string_view punctuation) const {
    return kind == Kind::punctuation && text == punctuation;
  }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
};

// Goes over the tokens of a text with one token of look-ahead, and says where in it something is
// wrong. Blanks and comments behind `//` are passed by. How a notation cuts tokens says a class
// derived from this. Refers to the text, which must outlive it.
class TokenReader {
 public:
  // The next token, and the same with stepping over it.
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

 protected:
  TokenReader(std::string_view text, std::string file_name);
  TokenReader(const TokenReader&) = default;
  TokenReader& operator=(const TokenReader&) = default;
  ~TokenReader() = default;

  // The token that begins at an offset, where the text does not end.
  virtual Token cut(std::size_t begin) const = 0;
  // Finds the first token; the derived class's constructor calls it.
  void start() { read(); }

  std::string_view text() const { return text_; }
  // Where the token taken last ends.
  std::size_t taken_to() const { return taken_to_; }
  // A token from an offset on, named without the first `sigil` of its bytes.
  Token token(Token::Kind kind, std::size_t begin, std::size_t length, std::size_t sigil = 0) const;
  // Of what stands in quotes from an offset on, with the quotes; fails if it does not end in its
  // line.
  std::size_t length_of_quoted(std::size_t begin) const;

 private:
  void read();
  void skip_blanks();

  std::string_view text_;
  std::string file_name_;
  std::size_t at_ = 0;  // where `next_` ends
  std::uint32_t line_ = 1;
  std::size_t taken_to_ = 0;
  Token next_;
};

// Throws ParseError: "file:line:column: message", the line and a caret below the place.
[[noreturn]] void fail_at(std::string_view text, const std::string& file_name, std::size_t offset,
                          const std::string& message);

}  // namespace tutti::ir
