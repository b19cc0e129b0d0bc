#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/ir/text/lexer.h>

#include <string>
#include <string_view>

namespace tutti::codegen {

// A kernel's text, as print() gives it. Throws ParseError ("file:line:column: message", the line, a
// caret) for anything malformed; check() has the rules beyond that. Takes time and memory linear in
// the text.
Kernel parse_kernel(std::string_view text, std::string file_name = "<text>");

// The same in the middle of another text, after the word `kernel`.
Kernel read_kernel(ir::Lexer& lexer);

}  // namespace tutti::codegen
