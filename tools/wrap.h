#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::tools {

// The width of a page of text.
inline constexpr std::size_t kWidth = 80;

// Appends the text broken at blanks into lines, each indented; the first one as far as `begun` says
// is there already.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent,
                    std::size_t begun = 0);

}  // namespace tutti::tools
