#pragma once

#include <cstdint>
#include <cstring>

namespace tutti::kernels {

// How far apart in memory lines and their elements lie, in elements.
struct GridStrides {
  std::int64_t line = 0;
  std::int64_t element = 1;
};

// Copies lines of `count` elements each.
template <class T>
void copy_grid(std::int64_t lines, std::int64_t count, const T* from, GridStrides apart, T* to,
               GridStrides to_apart) {
  if (count <= 0) return;
  for (std::int64_t line = 0; line < lines; ++line, from += apart.line, to += to_apart.line) {
    if (apart.element == 1 && to_apart.element == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i * to_apart.element] = from[i * apart.element];
    }
  }
}

}  // namespace tutti::kernels
