#include <tutti/lazy/scalar_tag.h>

#include <bit>

namespace tutti::detail {

namespace {

// Bits that say "an argument", fourteen that count it; the quiet bit of the NaN is clear.
constexpr std::uint32_t kFloatTag = 0x7F800000U | 0x00298000U;
constexpr std::uint32_t kFloatNumber = 0x00003FFFU;
constexpr std::uint32_t kFloatQuiet = 0x00400000U;
constexpr int kWidening = 29;  // a float's payload moves up so many bits when it becomes a double
constexpr std::uint64_t kDoubleTag = 0x7FF0000000000000ULL | std::uint64_t{0x00298000U}
                                                                 << kWidening;
constexpr std::uint64_t kDoubleNumber = std::uint64_t{kFloatNumber} << kWidening;
constexpr std::uint64_t kDoubleQuiet = std::uint64_t{kFloatQuiet} << kWidening;

}  // namespace

float ScalarTag::of_float(int argument) {
  return std::bit_cast<float>(0x80000000U | kFloatTag | (static_cast<std::uint32_t>(argument) + 1));
}

double ScalarTag::of_double(int argument) {
  return std::bit_cast<double>(0x8000000000000000ULL | kDoubleTag |
                               (static_cast<std::uint64_t>(argument) + 1) << kWidening);
}

std::optional<int> ScalarTag::argument_of(std::uint64_t bits, bool single, bool& tampered) {
  const std::uint64_t tag = single ? kFloatTag : kDoubleTag;
  const std::uint64_t number = single ? kFloatNumber : kDoubleNumber;
  const std::uint64_t quiet = single ? kFloatQuiet : kDoubleQuiet;
  const std::uint64_t sign = single ? 0x80000000ULL : 0x8000000000000000ULL;
  if ((bits & ~(number | quiet | sign)) != tag || (bits & number) == 0) return std::nullopt;
  if ((bits & quiet) != 0 || (bits & sign) == 0) tampered = true;
  return static_cast<int>((bits & number) >> (single ? 0 : kWidening)) - 1;
}

bool ScalarTag::is_negative_nan(std::uint64_t bits, bool single) {
  return bits > (single ? 0xFF800000ULL : 0xFFF0000000000000ULL);
}

}  // namespace tutti::detail
