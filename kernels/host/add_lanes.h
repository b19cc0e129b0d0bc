#pragma once

#include <tutti/kernels/host/instruction_set.h>

#include <cstring>
#include <utility>

namespace tutti::kernels {

namespace detail {

// Of two vectors, which have lanes of some sums each, kWidth for each sum of both: one that has
// half as many lanes for each.
template <int kWidth, class T, int... kLane>
TUTTI_INLINE inline void fold(const T* pair, T* out, std::integer_sequence<int, kLane...>) {
  typedef T Vector [[gnu::vector_size(sizeof...(kLane) * sizeof(T))]];
  constexpr int kHalf = kWidth / 2;
  Vector a;
  Vector b;
  std::memcpy(&a, pair, sizeof(a));
  std::memcpy(&b, pair + sizeof...(kLane), sizeof(b));
  const Vector sums =
      __builtin_shufflevector(a, b, (kLane / kHalf * kWidth + kLane % kHalf)...) +
      __builtin_shufflevector(a, b, (kLane / kHalf * kWidth + kLane % kHalf + kHalf)...);
  std::memcpy(out, &sums, sizeof(sums));
}

}  // namespace detail

// Of kLanes vectors of kLanes elements, one behind another: the sum of each one's lanes, in the
// first vector's place. Halves are added to halves, then quarters, and so on.
template <class T, int kLanes, int kWidth = kLanes>
TUTTI_INLINE inline void add_lanes(T* vectors) {
  if constexpr (kWidth > 1) {
#pragma GCC unroll 8
    for (int i = 0; i < kWidth / 2; ++i) {
      detail::fold<kWidth>(vectors + 2 * i * kLanes, vectors + i * kLanes,
                           std::make_integer_sequence<int, kLanes>());
    }
    add_lanes<T, kLanes, kWidth / 2>(vectors);
  }
}

}  // namespace tutti::kernels
