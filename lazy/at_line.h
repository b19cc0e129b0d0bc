#pragma once

#include <tutti/ir/support/error.h>

namespace tutti::detail {

// Calls f; an error of these types that knows no line says the caller's.
template <class Error, class... More, class F>
decltype(auto) at_line(Location where, F&& f) {
  try {
    if constexpr (sizeof...(More) == 0) {
      return f();
    } else {
      return at_line<More...>(where, f);
    }
  } catch (const Error& error) {
    if (error.where().known()) throw;
    throw Error(error.message(), where);
  }
}

}  // namespace tutti::detail
