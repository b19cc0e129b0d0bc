#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tutti::codegen {

// An accumulator of floats loses what is added to it bit by bit, the more the larger it is. So a
// loop that would add more than kMostAdditions numbers to one adds them in chunks: the points of
// `rounds` rounds of an inner axis, and of all axes behind it, for themselves, and that to what
// there is from the chunks before. A round is an element, or kLanes of the axis that vectors lie
// along; what is left of that axis behind its last whole vector is added to the rest as it is.
// The sums of chunks are added one after another, which is good to a million of them. A thread of a
// GPU adds what it has of a loop likewise: its rounds are counted, whatever axes they come from.
struct Folding {
  static constexpr std::int64_t kMostAdditions = 1024;

  std::size_t axis = 0;
  std::int64_t rounds = 1;  // of a chunk
};

// Whether a loop segment adds floats.
bool adds_floats(const Segment& segment);

// That of a loop segment; nothing where it adds fewer numbers, or no floats.
std::optional<Folding> folding_of(const Kernel& kernel, const Segment& segment);
// The same where a round of the last inner axis is so many elements, each with an accumulator.
std::optional<Folding> folding_of(const Kernel& kernel, const Segment& segment, std::int64_t lanes);

}  // namespace tutti::codegen
