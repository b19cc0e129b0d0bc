#pragma once

#include <tutti/ir/text/token_reader.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::ir {

// Cuts the text of programs and plans into tokens.
class Lexer final : public TokenReader {
 public:
  Lexer(std::string_view text, std::string file_name);

  // What stands behind `//` in the rest of the line after the token taken last; empty if nothing
  // does.
  std::string_view comment_after() const;

 private:
  // Punctuation: ( ) { } [ ] , : = * + - -> .. <=
  Token cut(std::size_t begin) const override;
  Token named(Token::Kind kind, std::size_t begin, std::string_view what) const;
  static bool is_minus(std::string_view rest);
};

}  // namespace tutti::ir
