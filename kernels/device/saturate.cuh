#pragma once

#include "types.cuh"

template <class T>
struct Limits;
#define TUTTI_LIMITS(T, bits, low, high) \
  template <>                            \
  struct Limits<T> {                     \
    static constexpr int digits = bits;  \
    static constexpr T least = low;      \
    static constexpr T most = high;      \
  };
TUTTI_LIMITS(i8, 7, -128, 127)
TUTTI_LIMITS(u8, 8, 0, 255)
TUTTI_LIMITS(i16, 15, -32768, 32767)
TUTTI_LIMITS(u16, 16, 0, 65535)
TUTTI_LIMITS(i32, 31, -2147483647 - 1, 2147483647)
TUTTI_LIMITS(u32, 32, 0, 4294967295U)
TUTTI_LIMITS(i64, 63, -9223372036854775807LL - 1, 9223372036854775807LL)
TUTTI_LIMITS(u64, 64, 0, 18446744073709551615ULL)
#undef TUTTI_LIMITS

// A float as an integer, towards zero; what lies outside its range becomes its end, NaN becomes 0.
template <class To, class From>
__device__ inline To saturate(From x) {
  // 2^digits, the first number above the range, is exact in every float type.
  const From above = static_cast<From>(u64{1} << (Limits<To>::digits - 1)) * From{2};
  if (x != x) return To{0};
  if (x >= above) return Limits<To>::most;
  if (x <= static_cast<From>(Limits<To>::least)) return Limits<To>::least;
  return static_cast<To>(x);
}
