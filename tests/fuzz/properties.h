#pragma once

#include <string_view>

// What holds for any bytes whatsoever that are read as text: they are refused with a ParseError, or
// what they say is printed, read again and printed the same. Anything else throws or crashes.
namespace tutti::fuzz {

void ir_text(std::string_view text);
void plan_text(std::string_view text);

}  // namespace tutti::fuzz
