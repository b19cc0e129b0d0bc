#pragma once

#include <string>
#include <utility>

namespace tutti::runtime {

// What the error says that the work throws, of that type; empty if it throws nothing.
template <class Error, class Work>
std::string message_of(Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace tutti::runtime
