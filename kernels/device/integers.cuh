#pragma once

#include "types.cuh"

// Integer arithmetic without undefined cases: ir/scalar.h says what these give.

template <class T>
struct Integer {
  typedef T Unsigned;
  static constexpr bool is_signed = false;
};
#define TUTTI_SIGNED(T, U)                  \
  template <>                               \
  struct Integer<T> {                       \
    typedef U Unsigned;                     \
    static constexpr bool is_signed = true; \
  };
TUTTI_SIGNED(i8, u8)
TUTTI_SIGNED(i16, u16)
TUTTI_SIGNED(i32, u32)
TUTTI_SIGNED(i64, u64)
#undef TUTTI_SIGNED

template <class T>
__device__ inline bool is_negative(T x) {
  if constexpr (Integer<T>::is_signed) return x < T{0};
  return false;
}

template <class T>
__device__ inline T negated(T x) {
  typedef typename Integer<T>::Unsigned U;
  return static_cast<T>(U{0} - static_cast<U>(x));
}

template <class T>
__device__ inline T absolute(T x) {
  return is_negative(x) ? negated(x) : x;
}

template <class T>
__device__ inline T divide(T x, T y) {
  if (y == T{0}) return static_cast<T>(-1);
  if (Integer<T>::is_signed && y == static_cast<T>(-1)) return negated(x);
  return static_cast<T>(x / y);
}

template <class T>
__device__ inline T modulo(T x, T y) {
  if (y == T{0}) return x;
  if (Integer<T>::is_signed && y == static_cast<T>(-1)) return T{0};
  return static_cast<T>(x % y);
}

// A negative count is, unsigned, too large.
template <class T>
__device__ inline T shift_left(T x, T count) {
  typedef typename Integer<T>::Unsigned U;
  const U bits = static_cast<U>(count);
  return bits < sizeof(T) * 8 ? static_cast<T>(static_cast<U>(x) << bits) : T{0};
}

template <class T>
__device__ inline T shift_right(T x, T count) {
  typedef typename Integer<T>::Unsigned U;
  const U bits = static_cast<U>(count);
  if (bits < sizeof(T) * 8) return static_cast<T>(x >> bits);
  return is_negative(x) ? static_cast<T>(-1) : T{0};
}
