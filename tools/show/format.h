#pragma once

#include <tutti/ir/support/bytes_text.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Small texts for people.
namespace tutti::tools::show {

// At most so many characters, the last of them "..." if something is left out.
std::string shortened(std::string_view text, std::size_t most);

// Valid UTF-8 without control characters, which XML, DOT and JSON want: what is not becomes U+FFFD.
std::string printable(std::string_view text);

// Characters, not bytes, of valid UTF-8.
std::size_t count_characters(std::string_view text);

// a + b, or the largest number if that is too large: programs may name sizes that no memory holds.
std::int64_t add_capped(std::int64_t a, std::int64_t b);

}  // namespace tutti::tools::show
