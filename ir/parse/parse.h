#pragma once

#include <tutti/ir/text/constant_files.h>
#include <tutti/ir/text/print.h>

#include <string>
#include <string_view>

namespace tutti::ir {

// The functions of an IR text. Throws ParseError ("file:line:column: message", the line, a caret)
// for anything malformed: syntax, unknown names, types that do not follow from the operands. Takes
// time and memory linear in the text, whatever it holds. Rules beyond a node's own types are
// verify()'s. `load` reads constants that lie beside the text; without it they are refused.
Module parse(std::string_view text, std::string file_name = "<text>",
             const LoadConstant& load = {});

}  // namespace tutti::ir
