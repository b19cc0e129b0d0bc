#pragma once

#include <tutti/ir/support/hash.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tutti::runtime {

// Where a compiled program puts what its collectives of one group read, as two hashes: of all that
// the places depend on, which is in which order the program writes, announces, completes and reads
// what, and of the places themselves. Ranks whose programs are alike in the first must be alike in
// the second. Of a call, the first also says which call of the program it is.
struct Placement {
  std::uint32_t skeleton = 0;  // 0: nothing is known, as of calls outside compile()
  std::uint32_t layout = 0;

  friend bool operator==(const Placement&, const Placement&) = default;
};

// Of the program's call of that number.
inline Placement of_call(const Placement& program, std::uint32_t number) {
  if (program.skeleton == 0) return program;
  const std::uint64_t both =
      Hasher().add(std::uint64_t{program.skeleton}).add(std::uint64_t{number}).finish().low;
  return {.skeleton = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(both)),
          .layout = program.layout};
}

// Other skeletons say nothing: a last batch may be shorter, and ranks may run programs of their
// own; where operands lie, each call says by itself.
constexpr bool same_places(const Placement& a, const Placement& b) {
  return a.skeleton == 0 || a.skeleton != b.skeleton || a.layout == b.layout;
}

inline constexpr std::string_view kMendOfPlaces =
    ": the compiled programs use this group's memory in the same order, but at other places; all "
    "ranks must run the same build of the library, and plans as it made them";

}  // namespace tutti::runtime
