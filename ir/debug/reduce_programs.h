#pragma once

#include <tutti/ir/debug/program_size.h>

#include <cstdint>
#include <functional>

// Delta debugging: from a program for which something holds to a small one for which it still
// holds.
namespace tutti::ir {

enum class Verdict : std::uint8_t {
  interesting,  // what is looked for is still there
  boring,
  stop  // no more checks; what is smallest so far is the result
};
// Asked about programs that verify() and differ from each other, each smaller than the one that was
// interesting last. Its own errors go through.
using Check = std::function<Verdict(const Programs&)>;

struct Reduction {
  Programs programs;
  std::size_t checks = 0;
  bool stopped = false;
};

// Makes interesting programs smaller as long as anything helps: functions and results go, nodes go
// or give way to an operand or to zeros (ir/debug/edit.h), parameters become one, mesh and ranks
// beyond the second go, and sizes shrink. What loops and branches run comes in their place, or
// becomes smaller where it is. Halves are tried first, then quarters and so on, so that it takes
// about k log n checks from n nodes to k. Functions that are the same on several ranks, but for
// sizes, change together.
Reduction reduce_programs(Programs programs, const Check& check);

}  // namespace tutti::ir
