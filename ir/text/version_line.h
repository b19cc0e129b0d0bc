#pragma once

#include <tutti/ir/text/lexer.h>

#include <string_view>

namespace tutti::ir {

// The first line of a text may name what it is and its version: `// tutti ir 1`. Fails for another
// version than "1" of this kind ("tutti ir").
void check_version_line(const Lexer& lexer, std::string_view text, std::string_view kind);

}  // namespace tutti::ir
