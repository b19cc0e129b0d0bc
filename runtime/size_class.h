#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tutti::runtime {

// Every buffer of our own allocator starts on such a boundary (bytes): a cache line, an AVX-512
// register.
inline constexpr std::size_t kBufferAlignment = 64;

// Eight size classes an octave, never finer than the alignment: at most 1/8 is lost.
struct SizeClass {
  static constexpr std::size_t kCount = 64 * 8;

  explicit SizeClass(std::size_t bytes) {
    const std::size_t wanted = bytes == 0 ? 1 : bytes;
    const int shift = std::max(std::countr_zero(kBufferAlignment),
                               static_cast<int>(std::bit_width(wanted - 1)) - 4);
    const std::size_t steps = ((wanted - 1) >> shift) + 1;  // 1 to 16; 9 to 16 above 1 KiB
    size = steps << shift;
    index = static_cast<std::size_t>(shift - std::countr_zero(kBufferAlignment)) * 8 + steps;
  }

  // The size of the class with that index.
  static std::size_t size_of(std::size_t index) {
    const std::size_t octave = index <= 16 ? 0 : (index - 9) / 8;
    return (index - octave * 8) << (octave + std::countr_zero(kBufferAlignment));
  }

  std::size_t size;
  std::size_t index;
};

}  // namespace tutti::runtime
