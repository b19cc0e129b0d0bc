#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::kernels {

// The collectives that host kernels carry out, under their names in IR text.
enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  barrier
};

// How the members' values combine. The bit operations are called "and", "or" and "xor" in text,
// which C++ does not take for names.
enum class Reduction : std::uint8_t { sum, mean, product, min, max, bit_and, bit_or, bit_xor };

inline constexpr std::array<std::string_view, 5> kCollectiveNames = {
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "barrier"};
inline constexpr std::array<std::string_view, 8> kReductionNames = {
    "sum", "mean", "product", "min", "max", "and", "or", "xor"};

constexpr std::string_view name_of(CollectiveKind kind) {
  return kCollectiveNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view name_of(Reduction reduction) {
  return kReductionNames[static_cast<std::size_t>(reduction)];
}

// The reduction with that name in text; nothing if there is none.
constexpr std::optional<Reduction> reduction_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kReductionNames.size(); ++i) {
    if (kReductionNames[i] == name) return static_cast<Reduction>(i);
  }
  return std::nullopt;
}

constexpr bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

}  // namespace tutti::kernels
