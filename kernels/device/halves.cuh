#pragma once

#include "bits.cuh"
#include "types.cuh"

// The 16-bit floats: widen() is exact, narrow<T>() rounds to nearest, ties to even, and keeps NaN a
// NaN, rounded<T>() does both.

__device__ inline f32 widen(bf16 x) { return bits_as<f32>(static_cast<u32>(x.bits) << 16); }

template <class T>
__device__ inline T narrow(f32 x);

#ifdef __CUDACC__

__device__ inline f32 widen(f16 x) {
  f32 wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
}
template <>
__device__ inline f16 narrow<f16>(f32 x) {
  f16 half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(x));
  return half;
}
template <>
__device__ inline bf16 narrow<bf16>(f32 x) {
  bf16 half;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(half.bits) : "f"(x));
  return half;
}

#else

// Where there are no such instructions.

__device__ inline f32 widen(f16 x) {
  const u32 sign = static_cast<u32>(x.bits & 0x8000U) << 16;
  const u32 magnitude = x.bits & 0x7FFFU;
  // Subnormal numbers are multiples of 2^-24; the others only change the exponent's bias.
  if (magnitude < 0x400U) {
    const f32 value = static_cast<f32>(magnitude) * 5.9604644775390625e-8F;
    return bits_as<f32>(sign | bits_as<u32>(value));
  }
  const u32 bias = magnitude >= 0x7C00U ? 224U << 23 : 112U << 23;
  return bits_as<f32>(sign | ((magnitude << 13) + bias));
}
template <>
__device__ inline f16 narrow<f16>(f32 x) {
  const u32 bits = bits_as<u32>(x);
  const u32 sign = bits >> 16 & 0x8000U;
  const u32 magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return {static_cast<u16>(sign | 0x7E00U)};
  if (magnitude >= 0x477FF000U) return {static_cast<u16>(sign | 0x7C00U)};
  // Below the normal numbers: adding 0.5 leaves the multiple of 2^-24, rounded, in the low bits.
  if (magnitude < 0x38800000U) {
    const u32 shifted = bits_as<u32>(bits_as<f32>(magnitude) + 0.5F);
    return {static_cast<u16>(sign | (shifted - 0x3F000000U))};
  }
  const u32 odd = magnitude >> 13 & 1U;
  return {static_cast<u16>(sign | ((magnitude - (112U << 23) + 0xFFFU + odd) >> 13))};
}
template <>
__device__ inline bf16 narrow<bf16>(f32 x) {
  const u32 bits = bits_as<u32>(x);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return {static_cast<u16>(bits >> 16 | 0x40U)};
  return {static_cast<u16>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16)};
}

#endif

template <class T>
__device__ inline f32 rounded(f32 x) {
  return widen(narrow<T>(x));
}
