#pragma once

#include <tutti/ir/support/location.h>

#include <cstdint>

namespace tutti::runtime {

// What ranks must agree on in one run of a collective beyond the call: numbers of the program that
// are taken for the same on all of them (ir/literal_use.h), and its sizes where these vary.
struct Agreement {
  // The structure where there are sizes alone.
  static constexpr std::uint32_t kSizes = 0x73697a65;

  std::uint32_t structure = 0;  // 0: there is nothing
  std::uint32_t values = 0;
  Location where = {};  // the line of the user's program that used a number, or the call's

  // As one word, to be sent.
  std::uint64_t word() const { return static_cast<std::uint64_t>(structure) << 32 | values; }
};

// Whether two ranks' words agree: programs that differ need not.
constexpr bool agree(std::uint64_t a, std::uint64_t b) { return a >> 32 != b >> 32 || a == b; }

}  // namespace tutti::runtime
