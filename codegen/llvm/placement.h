#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <vector>

namespace tutti::codegen::native {

// Where in the loops of a kernel each value is computed: as far out as what it depends on allows.
//   level -1: once a tile
//   level 0:  once a strip, the vectors of the outer axis that are worked on together (with
//             VectorAxis::inner a tile is one strip, so that -1 does not occur)
//   level k:  in the loop over inner axis k - 1
// A value that does not vary along the vectorised axis is kept as a scalar.
struct Place {
  int level = 0;
  bool varies = false;
};

// Of each value, by its id. Loop segments that run zero times define nothing but their reductions.
std::vector<Place> place_values(const Kernel& kernel);

// Whether the body of a loop segment runs at all.
bool loops_run(const Kernel& kernel);

// How far an affine function moves from one lane to the next, in a point or loop segment.
std::int64_t lane_stride(const Kernel& kernel, const Affine& affine, bool in_loop);

}  // namespace tutti::codegen::native
