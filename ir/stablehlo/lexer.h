#pragma once

#include <tutti/ir/text/token_reader.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::ir::stablehlo {

// Cuts MLIR text into tokens.
class Lexer final : public TokenReader {
 public:
  Lexer(std::string_view text, std::string file_name);

 private:
  // Punctuation: ( ) { } [ ] < > , : = ? * + | - / ->
  Token cut(std::size_t begin) const override;
};

}  // namespace tutti::ir::stablehlo
