#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace tutti::runtime {

// Whether bytes from elsewhere are bools: C++ knows two values of one.
inline bool are_truths(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte <= std::byte{1}; });
}

}  // namespace tutti::runtime
