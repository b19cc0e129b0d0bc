#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::runtime {

// The collectives that one compiled program calls in one group, as hashes over what each of them
// is, where it stands and what its operands are made of: one whatever their order, one in their
// order. Says what a call's own site can't: that a loop comes to the same calls in another order on
// another rank, as one over an unordered container does.
struct ProgramCalls {
  std::uint32_t set = 0;  // 0: nothing is known, as of calls outside compile()
  std::uint32_t order = 0;

  friend bool operator==(const ProgramCalls&, const ProgramCalls&) = default;
};

// Other sets say nothing: a last batch may be shorter, and ranks may run programs of their own.
constexpr bool same_order(const ProgramCalls& a, const ProgramCalls& b) {
  return a.set != b.set || a.order == b.order;
}

inline constexpr std::string_view kMendOfOrder =
    ": the compiled programs call the same collectives of this group in another order, as a loop "
    "over an unordered container does; put them in one order on every rank (sorted by name, say), "
    "or, where that is meant, give them names, all_reduce(x, group.named(\"...\")), or say that "
    "the "
    "ranks run programs of their own, group.programs_differ()";

}  // namespace tutti::runtime
