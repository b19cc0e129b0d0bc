#pragma once

#include <tutti/ir/support/error.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace tutti::kernels {

// Calls f(std::type_identity<U>()) with an unsigned integer as wide as an element: what a kernel
// that only moves elements reads and writes. Throws InternalError for a size other than 1, 2, 4
// or 8.
template <class F>
void visit_element_size(std::int64_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(std::type_identity<std::uint8_t>());
    case 2:
      return f(std::type_identity<std::uint16_t>());
    case 4:
      return f(std::type_identity<std::uint32_t>());
    case 8:
      return f(std::type_identity<std::uint64_t>());
    default:
      throw InternalError("elements of " + std::to_string(bytes) +
                          " bytes; 1, 2, 4 or 8 can be moved");
  }
}

}  // namespace tutti::kernels
