#pragma once

#include <bit>
#include <cstdint>

namespace tutti {

// How a floating-point type of at most 16 bits is laid out: a sign, an exponent, a mantissa, as
// IEEE 754 has them. Without infinities (the `fn` of e4m3fn: "finite") the largest exponent holds
// numbers too, and all bits set are its only NaN.
struct NarrowLayout {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  bool has_infinity = true;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t sign() const { return 1U << (exponent_bits + mantissa_bits); }
  constexpr std::uint32_t infinity() const { return ((1U << exponent_bits) - 1) << mantissa_bits; }
  constexpr std::uint32_t nan() const {
    return has_infinity ? infinity() | 1U << (mantissa_bits - 1) : sign() - 1;
  }
  // What a number becomes that is too large.
  constexpr std::uint32_t overflow() const { return has_infinity ? infinity() : nan(); }
};

namespace detail {

// To nearest, ties to even; a NaN stays one, and what is too large becomes overflow().
constexpr std::uint32_t narrow_float(NarrowLayout to, float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 31 != 0 ? to.sign() : 0;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | to.nan();
  const auto exponent = static_cast<int>(magnitude >> 23);
  const int bias = 127 - to.bias();  // by how much the exponents of normal numbers differ
  int shift = 23 - to.mantissa_bits;
  std::uint32_t kept = magnitude;
  if (exponent <= bias) {  // below the normal numbers
    shift += bias + 1 - exponent;
    if (shift > 24) return sign;  // less than half of the smallest
    kept = (magnitude & 0x7FFFFFU) | 0x800000U;
  } else {
    kept -= static_cast<std::uint32_t>(bias) << 23;
  }
  const std::uint32_t odd = kept >> shift & 1U;
  const std::uint32_t result = (kept + (1U << (shift - 1)) - 1 + odd) >> shift;
  return sign | (result < to.overflow() ? result : to.overflow());
}

constexpr float widen_float(NarrowLayout from, std::uint32_t bits) {
  const std::uint32_t sign = (bits & from.sign()) != 0 ? 0x80000000U : 0;
  const std::uint32_t magnitude = bits & (from.sign() - 1);
  const int shift = 23 - from.mantissa_bits;
  const auto bias = static_cast<std::uint32_t>(127 - from.bias());
  if (from.has_infinity ? magnitude >= from.infinity() : magnitude == from.nan()) {
    return std::bit_cast<float>(
        sign | 0x7F800000U | ((magnitude << shift) & (from.has_infinity ? 0x7FFFFFU : 0x400000U)));
  }
  if (magnitude >> from.mantissa_bits == 0) {  // a multiple of the smallest number
    const auto smallest =
        std::bit_cast<float>((bias + 1 - static_cast<std::uint32_t>(from.mantissa_bits)) << 23);
    const float multiple = static_cast<float>(magnitude) * smallest;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(multiple));
  }
  return std::bit_cast<float>(sign | ((magnitude << shift) + (bias << 23)));
}

}  // namespace detail

// The storage types. Arithmetic happens in float; conversion from float rounds to nearest, ties to
// even, and keeps NaN a NaN.
template <class Bits, NarrowLayout kLayout>
struct NarrowFloat {
  Bits bits = 0;

  constexpr NarrowFloat() = default;
  constexpr explicit NarrowFloat(float value)
      : bits(static_cast<Bits>(detail::narrow_float(kLayout, value))) {}
  constexpr operator float() const { return detail::widen_float(kLayout, bits); }
  static constexpr NarrowLayout layout() { return kLayout; }
};
using Float16 = NarrowFloat<std::uint16_t, NarrowLayout{5, 10}>;
// The 8-bit floats of Micikevicius et al., "FP8 formats for deep learning" (2022).
using Float8E4M3FN = NarrowFloat<std::uint8_t, NarrowLayout{4, 3, false}>;
using Float8E5M2 = NarrowFloat<std::uint8_t, NarrowLayout{5, 2}>;

// The upper half of a float: a conversion of its own, which is a shift.
struct BFloat16 {
  std::uint16_t bits = 0;

  constexpr BFloat16() = default;
  constexpr explicit BFloat16(float value) {
    const std::uint32_t wide = std::bit_cast<std::uint32_t>(value);
    const bool nan = (wide & 0x7FFFFFFFU) > 0x7F800000U;
    const std::uint32_t rounded = (wide + 0x7FFFU + ((wide >> 16) & 1U)) >> 16;
    bits = static_cast<std::uint16_t>(nan ? (wide >> 16) | 0x40U : rounded);
  }
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

// Whether a C++ type is one of these.
template <class T>
inline constexpr bool is_narrow_float = false;
template <class Bits, NarrowLayout kLayout>
inline constexpr bool is_narrow_float<NarrowFloat<Bits, kLayout>> = true;
template <>
inline constexpr bool is_narrow_float<BFloat16> = true;

static_assert(sizeof(Float16) == 2 && sizeof(BFloat16) == 2 && sizeof(Float8E5M2) == 1);

}  // namespace tutti
