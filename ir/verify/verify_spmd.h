#pragma once

#include <tutti/ir/verify/spmd_calls.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::ir {

// What came of comparing the ranks' programs.
struct SpmdReport {
  // What does not fit, a sentence or a few lines each, at most one for each group and pair of
  // ranks:
  //   group "dp" [0, 1], collective 3: rank 0 calls all_reduce sum f32[4] at train.cpp:41, rank 1
  //   calls all_gather f32[4] at train.cpp:43
  std::vector<std::string> findings;
  // How much was compared. Groups of one rank do not communicate, and do not count.
  std::size_t groups = 0;
  std::size_t collectives = 0;
  std::size_t messages = 0;
};

// Proves that the programs of all ranks, rank 0's first, fit together. verify() has to hold for
// each. Programs may be quite different, but for what they share. The rules:
// - a rank calls collectives of groups that it is in, and has the part that `sizes` gives it;
// - all members of a group have programs and call the same collectives in the same order: op,
//   operands' dtypes and shapes, reduction, root, axis, pairs, sizes. What only a member's own
//   uneven part says may differ, and what members of an uneven all_to_all expect of each other has
//   to agree. A group is its members in their order and its tag;
// - from each rank to each other as many messages of a group are sent as received, of the same
//   dtypes and shapes, in their order;
// - if all this holds: ranks that take their steps in order (collect_calls says which these are)
//   never wait for each other in a circle.
// Takes n log n time in the programs.
SpmdReport verify_spmd(std::span<const RankProgram> programs);

}  // namespace tutti::ir
