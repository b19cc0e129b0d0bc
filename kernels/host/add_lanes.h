#pragma once

#include <tutti/kernels/host/instruction_set.h>

#include <cstring>
#include <utility>

namespace tutti::kernels {

namespace detail {

// Vectors of sums that are not added up yet, each of kWidth lanes side by side.
template <class T, int kLanes, int kWidth>
struct UnfoldedSums {
  typedef T Vector [[gnu::vector_size(kLanes * sizeof(T))]];
  // Instructions for 32 bytes move elements within a half, or whole halves.
  static constexpr bool kHasHalves = sizeof(Vector) == 32;
  static constexpr int kHalf = kWidth / 2;

  // Which lane of two vectors, one behind the other, comes to lie in a lane of the result: of each
  // sum the first half.
  static constexpr int source_of(int lane) {
    if (!kHasHalves || kWidth == kLanes) return lane / kHalf * kWidth + lane % kHalf;
    constexpr int kQuarter = kLanes / 4;
    const int part = lane / kQuarter;  // of the first vector, of the second, and again
    const int within = lane % kQuarter;
    return part % 2 * kLanes + part / 2 * (kLanes / 2) + within / kHalf * kWidth + within % kHalf;
  }
  template <int... kLane>
  TUTTI_INLINE static void fold(const Vector& a, const Vector& b, Vector& out,
                                std::integer_sequence<int, kLane...>) {
    out = __builtin_shufflevector(a, b, source_of(kLane)...) +
          __builtin_shufflevector(a, b, (source_of(kLane) + kHalf)...);
  }
  // Pairs of vectors become one, which has half as many lanes for each sum.
  TUTTI_INLINE static void fold(Vector* vectors) {
    if constexpr (kWidth > 1) {
#pragma GCC unroll 8
      for (int i = 0; i < kHalf; ++i) {
        constexpr bool kIsFirst = kHasHalves && kWidth == kLanes;  // sums end up in order so
        const Vector& a = vectors[kIsFirst ? i : 2 * i];
        const Vector& b = vectors[kIsFirst ? i + kHalf : 2 * i + 1];
        fold(a, b, vectors[i], std::make_integer_sequence<int, kLanes>());
      }
      UnfoldedSums<T, kLanes, kHalf>::fold(vectors);
    }
  }
};

}  // namespace detail

// Of kLanes vectors of kLanes elements, one behind another: the sum of each one's lanes. Halves are
// added to halves, then quarters, and so on.
template <class T, int kLanes>
TUTTI_INLINE inline void add_lanes(const T* vectors, T* sums) {
  using Sums = detail::UnfoldedSums<T, kLanes, kLanes>;
  typename Sums::Vector held[kLanes];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) std::memcpy(&held[i], vectors + i * kLanes, sizeof(held[i]));
  Sums::fold(held);
  std::memcpy(sums, &held[0], sizeof(held[0]));
}

}  // namespace tutti::kernels
