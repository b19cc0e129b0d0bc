#pragma once

#include <tutti/kernels/host/add_product.h>
#include <tutti/kernels/host/instruction_set.h>

#include <cstdint>
#include <cstring>

namespace tutti::kernels {

// Sums in registers, of some results with some vectors of outputs each: what convolutions add up
// whose vectors go along outputs. For functions that run_vectorised() runs.
template <class T, int kBytes, int kCount>
struct OutputSums {
  typedef T Vector [[gnu::vector_size(kBytes)]];
  static constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  static constexpr int kVectors = kCount;
  static constexpr int kWidth = kVectors * kLanes;
  // As many results as there are registers for.
  static constexpr int kRows = kBytes < 64     ? (kVectors == 1 ? 8 : 6)
                               : kVectors == 4 ? 6
                               : kVectors == 2 ? 10
                                               : 12;

  Vector sums[kRows][kVectors];

  // One by one, as in all that follows, or they would be in memory.
  TUTTI_INLINE void clear() {
#pragma GCC unroll 12
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[m][v] = Vector{};
    }
  }

  // What lies there for the first `count` results, whole vectors, one result `apart` behind
  // another; of the others zeros.
  TUTTI_INLINE void load(const T* from, std::int64_t apart, int count) {
#pragma GCC unroll 12
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sums[m][v] = Vector{};
        if (m < count) std::memcpy(&sums[m][v], from + m * apart + v * kLanes, sizeof(Vector));
      }
    }
  }

  TUTTI_INLINE void store(T* to, std::int64_t apart, int count) const {
#pragma GCC unroll 12
    for (int m = 0; m < kRows; ++m) {
      if (m >= count) break;
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        std::memcpy(to + m * apart + v * kLanes, &sums[m][v], sizeof(Vector));
      }
    }
  }

  // Adds what each result sees from its place `at` on, in steps, times factors, whose vectors lie
  // `factor_step` apart.
  TUTTI_INLINE void add(const T* const* seen, std::int64_t at, std::int64_t step, const T* factors,
                        std::int64_t factor_step, std::int64_t length) {
    for (std::int64_t k = 0; k < length; ++k, at += step, factors += factor_step) {
      add_step(seen, at, factors);
    }
  }
  // The same for what it sees at these places, with factors that follow each other.
  TUTTI_INLINE void add_at(const T* const* seen, const std::int64_t* at, const std::int64_t* end,
                           const T* factors) {
    for (; at != end; ++at, factors += kWidth) add_step(seen, *at, factors);
  }

 private:
  TUTTI_INLINE void add_step(const T* const* seen, std::int64_t at, const T* factors) {
    Vector own[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      std::memcpy(&own[v], factors + v * kLanes, sizeof(Vector));
    }
#pragma GCC unroll 12
    for (int m = 0; m < kRows; ++m) {
      const Vector element = seen[m][at] - Vector{};  // in every lane
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) add_product(sums[m][v], element, own[v]);
    }
  }
};

}  // namespace tutti::kernels
