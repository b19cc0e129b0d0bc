#pragma once

#include "types.cuh"

// The smaller and the larger of two. Of floats a NaN wins, and -0 is less than 0.

template <class T>
__device__ inline T minimum(T x, T y) {
  return y < x ? y : x;
}
template <class T>
__device__ inline T maximum(T x, T y) {
  return x < y ? y : x;
}

template <>
__device__ inline f64 minimum(f64 x, f64 y) {
  if (x != x || y != y) return x + y;
  if (x == y) return copysign(1.0, x) < 0 ? x : y;
  return y < x ? y : x;
}
template <>
__device__ inline f64 maximum(f64 x, f64 y) {
  if (x != x || y != y) return x + y;
  if (x == y) return copysign(1.0, x) < 0 ? y : x;
  return x < y ? y : x;
}

#ifdef __CUDACC__

template <>
__device__ inline f32 minimum(f32 x, f32 y) {
  f32 result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}
template <>
__device__ inline f32 maximum(f32 x, f32 y) {
  f32 result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}

#else

template <>
__device__ inline f32 minimum(f32 x, f32 y) {
  return static_cast<f32>(minimum(static_cast<f64>(x), static_cast<f64>(y)));
}
template <>
__device__ inline f32 maximum(f32 x, f32 y) {
  return static_cast<f32>(maximum(static_cast<f64>(x), static_cast<f64>(y)));
}

#endif
