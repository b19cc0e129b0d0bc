#pragma once

#include <tutti/codegen/lower.h>

#include <vector>

namespace tutti::codegen {

// Drops axes of size 1 and joins neighbouring axes that every access walks as one, so that the
// vectorised axis is as long as it can be. At least one outer axis remains, and one inner axis if
// there are loops.
void merge_axes(Kernel& kernel);

// Where vectors go along an outer axis of a few elements, that is, hold little: lets them go along
// a longer one, if what is then read and written apart costs less. Outer points come in any order.
void lengthen_vectors(Kernel& kernel);

// Divides a long reduction with few results into parts that run in parallel and a second kernel
// that adds the parts in order. Which parts depends on the shape alone, so the bits don't depend on
// the number of threads. Returns the kernel itself where it does not pay.
std::vector<LoweredKernel> split_reduction(LoweredKernel lowered);

// Chooses the size of a tile along the vectorised outer axis.
void set_block(Kernel& kernel);

}  // namespace tutti::codegen
