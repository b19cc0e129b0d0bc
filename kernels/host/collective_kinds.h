#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::kernels {

// The collectives that host kernels carry out, under their names in IR text.
enum class CollectiveKind : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  reduce_scatter,
  scatter,
  broadcast,
  all_to_all,
  collective_permute,
  scan_ranks,
  send_recv,  // of a group of two: from the first member to the second
  barrier
};

// How the members' values combine. The bit operations are called "and", "or" and "xor" in text,
// which C++ does not take for names.
enum class Reduction : std::uint8_t { sum, mean, product, min, max, bit_and, bit_or, bit_xor };

inline constexpr std::array<std::string_view, 12> kCollectiveNames = {
    "all_reduce", "reduce",     "all_gather",         "gather",     "reduce_scatter", "scatter",
    "broadcast",  "all_to_all", "collective_permute", "scan_ranks", "send_recv",      "barrier"};
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
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce ||
         kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::scan_ranks;
}

// Of scan_ranks: whose operands a member's result combines. Those up to its own, or with `reverse`
// those from its own on; with `exclusive` without its own.
struct ScanRange {
  bool exclusive = false;
  bool reverse = false;

  friend bool operator==(const ScanRange&, const ScanRange&) = default;
};

// Whether one member, the root, gives what the others get, or gets what they give.
constexpr bool has_root(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce ||
         kind == CollectiveKind::gather || kind == CollectiveKind::scatter;
}

// Whether the members' operands are joined along an axis, in the members' order.
constexpr bool joins_operands(CollectiveKind kind) {
  return kind == CollectiveKind::all_gather || kind == CollectiveKind::gather;
}

// Whether the axis is cut into the members' results.
constexpr bool cuts_results(CollectiveKind kind) {
  return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::scatter;
}

// Whether a dimension, the axis, takes part.
constexpr bool has_axis(CollectiveKind kind) {
  return joins_operands(kind) || cuts_results(kind) || kind == CollectiveKind::all_to_all;
}

// Whether all members get the same result, so that one copy can serve all who can read it.
constexpr bool has_common_result(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather ||
         kind == CollectiveKind::broadcast;
}

}  // namespace tutti::kernels
