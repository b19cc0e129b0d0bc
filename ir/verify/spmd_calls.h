#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// What the ranks' programs say to each other, put together by where they meet.
namespace tutti::ir {

// What one rank runs: functions, one after another.
using RankProgram = std::vector<const Graph*>;

// A collective, or one side of a message, in a rank's program.
struct RankCall {
  // The call is not among its rank's steps: nobody needs what is received.
  static constexpr std::size_t kNoStep = ~std::size_t{0};

  const Graph* graph;
  NodeId node;
  std::size_t step = kNoStep;  // the place of the rank's own step in its order
  Value tensor = {};           // of a message: what is sent or received
};

// Where ranks meet: a group that calls collectives, or the sender and the receiver of messages.
struct Meeting {
  std::string tag;                       // of the group
  std::vector<std::int64_t> group;       // its members
  bool messages = false;                 // else the group's collectives
  std::vector<std::int64_t> ranks = {};  // who meets: the group, or the sender and the receiver
  std::vector<std::vector<RankCall>> calls = {};  // [position in ranks], each in program order
};

// A step of a rank's program that other ranks wait for, or that waits for them.
struct Step {
  std::size_t meeting;
  std::size_t number;  // of the call among the rank's calls there, from 0
  bool waits;          // what stands behind it waits for it
};

struct SpmdCalls {
  std::vector<Meeting> meetings;         // in order of the first call, rank by rank
  std::vector<std::vector<Step>> steps;  // [rank]
  std::vector<std::string> misplaced;    // calls that no rank could make, as sentences
};

// Goes through all programs, for which verify() holds. Collectives of groups of one rank are left
// out: they do not communicate. Linear in the programs, a message in its group, with up to 1000
// steps of each loop; those of loops that have no fixed number count as one. Throws UsageError
// where a rank's loops and branches run their functions more than a million times.
//
// The steps of a rank are its collectives, in program order, and its messages. A collective waits
// for all that meet. Messages are weaker, since ranks may receive from each other before either
// sends: sending waits for nobody, and receiving waits where the tensor is first used.
SpmdCalls collect_calls(std::span<const RankProgram> programs);

}  // namespace tutti::ir
