#pragma once

#include <tutti/ir/support/error.h>

namespace tutti::detail {

// Calls f; what it throws of files says the caller's line, which they know nothing of.
template <class F>
decltype(auto) at_line(Location where, F&& f) {
  try {
    return f();
  } catch (const ParseError& error) {
    throw ParseError(error.message(), where);
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(error.message(), where);
  } catch (const UsageError& error) {
    throw UsageError(error.message(), where);
  } catch (const TypeError& error) {
    throw TypeError(error.message(), where);
  }
}

}  // namespace tutti::detail
