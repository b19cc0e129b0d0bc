#pragma once

#include <tutti/lazy/at_line.h>

// What the calls that read and write files have in common.
namespace tutti::detail {

// Throws UsageError in a function that is being compiled.
void refuse_compiling(const char* function, Location where);

// Calls f; what it throws of files says the caller's line, which they know nothing of.
template <class F>
decltype(auto) at_line_of_file(Location where, F&& f) {
  return at_line<ParseError, EnvironmentError, UsageError, TypeError>(where, f);
}

}  // namespace tutti::detail
