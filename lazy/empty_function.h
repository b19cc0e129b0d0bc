#pragma once

#include <tutti/ir/support/error.h>

#include <functional>
#include <string>

namespace tutti::detail {

template <class F>
bool is_empty_function(const F& /*f*/) {
  return false;
}
template <class Signature>
bool is_empty_function(const std::function<Signature>& f) {
  return f == nullptr;
}

// Throws UsageError for a std::function that holds none.
template <class F>
void check_function(const F& f, const char* call, Location where) {
  if (is_empty_function(f)) {
    throw UsageError(std::string(call) + ": there is no function to call", where);
  }
}

}  // namespace tutti::detail
