#pragma once

#include <tutti/tutti.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/collective_sweep.h"

// Every collective that NCCL carries out, or that kernels make of one, and the gradients through
// them, as one program without a step of the host's: what is recorded, and replayed.
namespace tutti::test {

struct RecordedSweep {
  GroupForm form = GroupForm::world;
  DType dtype = DType::f32;
  // Whether kernels make what collectives take, and use what they give; else the caller does both.
  bool computes = false;
};

// What each result of it has to be.
struct RecordedExpectation {
  enum class Kind : std::uint8_t {
    same_bits,  // what was moved, and what integers were combined
    near,       // floats that were added or multiplied in some order
    near_alike  // and of which all members have the same bits
  };
  Kind kind = Kind::same_bits;
  Array value;                // as the interpreter has it
  std::vector<double> exact;  // of floats: from the same operands, in f64,
  std::vector<double> bound;  // and how far a result may be from that
};

// What all ranks' programs have to give, by rank. Needs no World. `bound` is one rounding of the
// dtype for each addition or multiplication on the way, of the largest that can be rounded. That
// holds in whatever order n operands are combined: each of n - 1 steps rounds once what is no
// larger than the combined magnitudes, and where steps round in f32, the result is rounded once
// more, so it is fewer than n roundings of the dtype.
std::vector<std::vector<RecordedExpectation>> expected_of(const RecordedSweep& sweep, int ranks);

// Runs it so often as this rank, of operands that lie elsewhere each time, and compares each run.
// `around(run, evaluate)` is to call evaluate(), and may look at what that does. Throws
// std::runtime_error that says which result is wrong. Members compare among themselves over `host`.
using AroundRun = std::function<void(int run, const std::function<void()>& evaluate)>;
void run_recorded_sweep(World& world, const RecordedSweep& sweep, const Group& group, int runs,
                        const std::vector<RecordedExpectation>& expected, const AroundRun& around);

}  // namespace tutti::test
