#pragma once

#include <tutti/ir/support/location.h>

#include <cstddef>
#include <string>
#include <string_view>

// Lines of the user's program as comments behind a line of text, in both directions.
namespace tutti::ir {

// `// train.cpp:41`, at a column of its own, behind a line that is `length` characters long so far:
// the part of a location that can be read back, a file name without folders and blanks. Nothing
// where the location is unknown.
void append_location(std::string& out, const Location& location, std::size_t length);

// The location that a comment `train.cpp:41` (without its slashes) stands for; any other comment is
// unknown.
Location location_from(std::string_view comment);

}  // namespace tutti::ir
