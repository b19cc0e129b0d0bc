#pragma once

#include <tutti/lazy/tree_walk.h>

#include <string>
#include <string_view>

// Numbers, enums and strings of trees as text.
namespace tutti::detail {

// Exact: what was read is what was written.
std::string static_text(const TreeLeaf& leaf);
// False, with the member as it was, if the text is none of its values; a fixed text has one.
bool set_static(const TreeLeaf& leaf, std::string_view text);

}  // namespace tutti::detail
