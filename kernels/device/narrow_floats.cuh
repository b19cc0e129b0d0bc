#pragma once

#include "bits.cuh"
#include "types.cuh"

// The floats of 8 and 16 bits: widen() is exact, narrow<T>() rounds to nearest, ties to even, and
// keeps NaN a NaN, rounded<T>() does both.

__device__ inline f32 widen(bf16 x) { return bits_as<f32>(static_cast<u32>(x.bits) << 16); }

template <class T>
__device__ inline T narrow(f32 x);

// The 8-bit floats in bits: the instructions for them clamp what is too large, and are none of
// older GPUs. `bias` is by how much the exponents of normal numbers differ from those of f32,
// `mantissa` how many bits follow the exponent.
template <int bias, int mantissa>
__device__ inline f32 widen_byte(u32 bits) {
  const u32 magnitude = bits & 0x7FU;
  // A multiple of the smallest number, or a number whose exponent has another bias.
  const f32 smallest = bits_as<f32>(static_cast<u32>(bias + 1 - mantissa) << 23);
  const u32 wide = magnitude >> mantissa == 0
                       ? bits_as<u32>(static_cast<f32>(magnitude) * smallest)
                       : (magnitude << (23 - mantissa)) + (static_cast<u32>(bias) << 23);
  return bits_as<f32>(wide | (bits & 0x80U) << 24);
}
// Rounds numbers that are not too large.
template <int bias, int mantissa>
__device__ inline u32 narrow_byte(f32 x) {
  const u32 magnitude = bits_as<u32>(x) & 0x7FFFFFFFU;
  if (magnitude < static_cast<u32>(bias + 1) << 23) {
    // Below the normal numbers: the sum has the multiple of the smallest, rounded, in its low bits.
    const u32 above = static_cast<u32>(bias + 1 - mantissa + 23) << 23;
    return bits_as<u32>(bits_as<f32>(magnitude) + bits_as<f32>(above)) - above;
  }
  const u32 odd = magnitude >> (23 - mantissa) & 1U;
  const u32 half = (1U << (22 - mantissa)) - 1;
  return (magnitude - (static_cast<u32>(bias) << 23) + half + odd) >> (23 - mantissa);
}
__device__ inline u8 byte_of(f32 sign_of, u32 magnitude) {
  return static_cast<u8>((bits_as<u32>(sign_of) >> 24 & 0x80U) | magnitude);
}

__device__ inline f32 widen(f8_e4m3fn x) {
  if ((x.bits & 0x7FU) == 0x7FU) return bits_as<f32>(0x7FC00000U | (x.bits & 0x80U) << 24);
  return widen_byte<120, 3>(x.bits);
}
__device__ inline f32 widen(f8_e5m2 x) {
  // The largest exponent is that of infinity and NaN in f32 too.
  const u32 more = (x.bits & 0x7FU) >= 0x7CU ? 112U << 23 : 0;
  return bits_as<f32>(bits_as<u32>(widen_byte<112, 2>(x.bits)) + more);
}
template <>
__device__ inline f8_e4m3fn narrow<f8_e4m3fn>(f32 x) {
  const bool fits = (bits_as<u32>(x) & 0x7FFFFFFFU) <= 0x43E80000U;  // 464, which goes to 448
  return {byte_of(x, fits ? narrow_byte<120, 3>(x) : 0x7FU)};
}
template <>
__device__ inline f8_e5m2 narrow<f8_e5m2>(f32 x) {
  const u32 magnitude = bits_as<u32>(x) & 0x7FFFFFFFU;
  const bool fits = magnitude < 0x47700000U;  // 61440, from where on infinity is nearer
  const u32 beyond = magnitude > 0x7F800000U ? 0x7EU : 0x7CU;
  return {byte_of(x, fits ? narrow_byte<112, 2>(x) : beyond)};
}

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
