#pragma once

#include <tutti/ir/print.h>

#include <cstdint>
#include <functional>
#include <vector>

// Delta debugging: from a program for which something holds to a small one for which it still
// holds.
namespace tutti::ir {

// What is reduced: a file, or the files of all ranks.
using Programs = std::vector<Module>;

enum class Verdict : std::uint8_t {
  interesting,  // what is looked for is still there
  boring,
  stop  // no more checks; what is smallest so far is the result
};
// Asked about programs that verify() and differ from each other, each smaller than the one that was
// interesting last. Its own errors go through.
using Check = std::function<Verdict(const Programs&)>;

// How large programs are, most important first.
struct ProgramSize {
  std::size_t functions = 0;
  std::size_t nodes = 0;      // that compute: neither parameters nor constants
  std::size_t constants = 0;  // also repeated ones
  std::size_t signature = 0;  // parameters and results
  std::size_t ranks = 0;      // programs, and what mesh and groups name
  double elements = 0;        // of all values

  friend auto operator<=>(const ProgramSize&, const ProgramSize&) = default;
};
ProgramSize size_of(const Programs& programs);

struct Reduction {
  Programs programs;
  std::size_t checks = 0;
  bool stopped = false;
};

// Makes interesting programs smaller as long as anything helps: functions and results go, nodes go
// or give way to an operand or to zeros (ir/edit.h), parameters become one, mesh and ranks beyond
// the second go, and sizes shrink.
// Halves are tried first, then quarters and so on, so that it takes about k log n checks from n
// nodes to k. Functions that are the same on several ranks, but for sizes, change together.
Reduction reduce(Programs programs, const Check& check);

}  // namespace tutti::ir
