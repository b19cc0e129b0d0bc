#pragma once

#include "narrow_floats.cuh"
#include "types.cuh"

// What elements are computed as, and how. The narrow floats are f32 between memory and memory.
template <class T>
struct Computed {
  typedef T type;
  static __device__ T from(T x) { return x; }
  static __device__ T to(T x) { return x; }
};

template <class T>
struct ComputedInF32 {
  typedef f32 type;
  static __device__ f32 from(T x) { return widen(x); }
  static __device__ T to(f32 x) { return narrow<T>(x); }
};
template <>
struct Computed<f8_e4m3fn> : ComputedInF32<f8_e4m3fn> {};
template <>
struct Computed<f8_e5m2> : ComputedInF32<f8_e5m2> {};
template <>
struct Computed<f16> : ComputedInF32<f16> {};
template <>
struct Computed<bf16> : ComputedInF32<bf16> {};
