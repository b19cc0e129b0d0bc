#pragma once

#include <bit>
#include <cstdint>

namespace tutti {

// Storage types for the two 16-bit floats. Arithmetic happens in float; conversion from float
// rounds to nearest, ties to even, and keeps NaN a NaN.
namespace detail {

constexpr std::uint16_t float_to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | 0x7E00U;   // NaN
  if (magnitude >= 0x477FF000U) return sign | 0x7C00U;  // rounds to infinity
  if (magnitude < 0x33000001U) return sign;             // rounds to zero
  std::uint32_t exponent = magnitude >> 23;
  std::uint32_t mantissa = magnitude & 0x7FFFFFU;
  std::uint32_t shift = 13;
  std::uint32_t base = 0;
  if (exponent < 113) {  // subnormal in f16
    mantissa |= 0x800000U;
    shift = 126 - exponent;
  } else {
    base = (exponent - 112) << 10;
  }
  std::uint32_t result = base + (mantissa >> shift);
  const std::uint32_t rest = mantissa & ((1U << shift) - 1);
  const std::uint32_t half = 1U << (shift - 1);
  if (rest > half || (rest == half && (result & 1U) != 0)) ++result;
  return static_cast<std::uint16_t>(sign | result);
}

constexpr float f16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  std::uint32_t exponent = (bits >> 10) & 31U;
  std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
  if (exponent == 0) {
    if (mantissa == 0) return std::bit_cast<float>(sign);
    exponent = 113;
    while ((mantissa & 0x400U) == 0) {
      mantissa <<= 1;
      --exponent;
    }
    return std::bit_cast<float>(sign | (exponent << 23) | ((mantissa & 0x3FFU) << 13));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

constexpr std::uint16_t float_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace detail

struct Float16 {
  std::uint16_t bits = 0;

  constexpr Float16() = default;
  constexpr explicit Float16(float value) : bits(detail::float_to_f16(value)) {}
  constexpr operator float() const { return detail::f16_to_float(bits); }
};

struct BFloat16 {
  std::uint16_t bits = 0;

  constexpr BFloat16() = default;
  constexpr explicit BFloat16(float value) : bits(detail::float_to_bf16(value)) {}
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

static_assert(sizeof(Float16) == 2 && sizeof(BFloat16) == 2);

}  // namespace tutti
