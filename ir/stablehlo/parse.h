#pragma once

#include <tutti/ir/stablehlo/tree.h>

#include <string>
#include <string_view>

namespace tutti::ir::stablehlo {

// The tree of a module's text, which must outlive it. Throws ParseError ("file:line:column:
// message", the line, a caret) for anything malformed. Takes time and memory linear in the text.
TreeModule parse(std::string_view text, const std::string& file_name);

}  // namespace tutti::ir::stablehlo
