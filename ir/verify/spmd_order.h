#pragma once

#include <tutti/ir/verify/spmd_calls.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::ir {

// A call that a rank makes before another one, which therefore waits for it.
struct Precedence {
  struct Place {
    std::size_t meeting;
    std::size_t number;
  };
  std::int64_t rank;
  Place first;
  Place then;
};

// Ranks that wait for each other in a circle if each takes its steps in order: what a rank takes
// first is what the one before it takes then. Empty if there is no such circle. The calls have to
// match: as many of each member. Linear in the steps.
std::vector<Precedence> find_circle(const SpmdCalls& calls);

}  // namespace tutti::ir
