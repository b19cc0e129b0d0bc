#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

// Two normal numbers of two uniform ones (Box and Muller 1958), by nothing but additions,
// multiplications, one division and one root, each of which IEEE 754 defines to the bit: so they
// are the same on every machine, whatever its C library, and compilers make vector code of loops
// over them.
namespace tutti::ir {

namespace normal_detail {

// 1/3, 1/5, ... of atanh(s) = s + s^3/3 + s^5/5 + ...; where |s| <= 0.172 the rest is below 2^-60.
inline constexpr std::array kAtanh = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                      1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
// sin(x) = x + x^3 S(x^2) and cos(x) = 1 - x^2/2 + x^4 C(x^2); where |x| <= pi/4 the rest is below
// 2^-55.
inline constexpr std::array kSine = {
    -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
    -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
inline constexpr std::array kCosine = {
    1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};

// Written out: a loop inside would keep the loop around it from becoming vector code.
template <std::size_t I = 0, std::size_t N>
[[gnu::always_inline]] inline double polynomial(const std::array<double, N>& factors, double x) {
  if constexpr (I + 1 == N) {
    return factors[I];
  } else {
    return factors[I] + x * polynomial<I + 1>(factors, x);
  }
}

// Of a normal number above 0, within two units of the last place.
[[gnu::always_inline]] inline double logarithm(double x) {
  // x = 2^exponent * m, m of [sqrt(1/2), sqrt(2)).
  const auto bits = std::bit_cast<std::int64_t>(x);
  const std::int64_t exponent = (bits - 0x3FE6A09E667F3BCDL) >> 52;
  const auto m = std::bit_cast<double>(bits - exponent * (std::int64_t{1} << 52));
  // A small whole number becomes a double in the last bits of a large one.
  const double count =
      std::bit_cast<double>(0x4330000000000000L + exponent + 4096) - (0x1p52 + 4096);
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  // ln 2 in two parts, of which the first times any exponent is exact.
  const double low = 2 * s * z * polynomial(kAtanh, z) + count * 0x1.ef35793c76730p-45;
  return count * 0x1.62e42fefa3800p-1 + (2 * s + low);
}

}  // namespace normal_detail

struct NormalPair {
  double first;
  double second;
};

// `radius` and `turn` are whole numbers of [0, 2^53).
[[gnu::always_inline]] inline NormalPair box_muller(double radius, double turn) {
  using namespace normal_detail;
  const double length = std::sqrt(-2 * logarithm((radius + 1) * 0x1p-53));
  // The nearest quarter of a turn, and what is left of it, exactly: at most an eighth.
  const double quarters = turn * 0x1p-51;
  constexpr double kWhole = 0x1.8p52;  // above it doubles are whole numbers
  const double nearest = quarters + kWhole;
  const auto quarter = std::bit_cast<std::uint64_t>(nearest);  // in its last two bits
  const double x = (quarters - (nearest - kWhole)) * 1.57079632679489661923;
  const double z = x * x;
  const double sine = x + x * z * polynomial(kSine, z);
  const double cosine = 1 - (0.5 * z - z * z * polynomial(kCosine, z));
  const bool swapped = (quarter & 1) != 0;
  const double along = length * (swapped ? sine : cosine);
  const double across = length * (swapped ? cosine : sine);
  const std::uint64_t along_sign = ((quarter + 1) & 2) << 62;
  const std::uint64_t across_sign = (quarter & 2) << 62;
  return {std::bit_cast<double>(std::bit_cast<std::uint64_t>(along) ^ along_sign),
          std::bit_cast<double>(std::bit_cast<std::uint64_t>(across) ^ across_sign)};
}

}  // namespace tutti::ir
