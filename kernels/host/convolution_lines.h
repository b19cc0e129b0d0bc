#pragma once

#include <tutti/kernels/host/convolution_shape.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

// How what a convolution looks at is copied together.
namespace tutti::kernels {

// Of some positions of a line those `inside`, from elements that lie `apart`; zeros at the others.
// Most lines of small images are short: a call takes longer than to copy a few elements.
template <class T>
void copy_line(const T* from, std::int64_t apart, Positions inside, std::int64_t count, T* to) {
  constexpr std::int64_t kFew = 16;
  for (std::int64_t i = 0; i < inside.begin; ++i) to[i] = T{0};
  if (apart != 1) {
    for (std::int64_t i = inside.begin; i < inside.end; ++i) to[i] = from[i * apart];
  } else if (inside.end - inside.begin > kFew) {
    std::memcpy(to + inside.begin, from + inside.begin,
                static_cast<std::size_t>(inside.end - inside.begin) * sizeof(T));
  } else {
    for (std::int64_t i = inside.begin; i < inside.end; ++i) to[i] = from[i];
  }
  for (std::int64_t i = inside.end; i < count; ++i) to[i] = T{0};
}

// Elements of a channel, zeros where there is none.
template <class T>
T* copy_sources(const T* channel, std::span<const std::int32_t> sources, T* to) {
  for (const std::int32_t source : sources) {
    const T element = channel[std::max(source, 0)];
    *to++ = source < 0 ? T{0} : element;
  }
  return to;
}

// Of `count` positions from `first` on.
inline Positions part_of(const Positions& whole, std::int64_t first, std::int64_t count) {
  const std::int64_t begin = std::clamp<std::int64_t>(whole.begin - first, 0, count);
  return {begin, std::clamp(whole.end - first, begin, count)};
}

}  // namespace tutti::kernels
