#pragma once

#include <tutti/codegen/plan/plan.h>

namespace tutti::codegen {

// Lets the kernel that reads the result of a matmul or a convolution first (bias and activation, a
// residual, softmax, layer norm) run on each tile of it right after the tile was computed, while it
// is in the cache: one launch instead of two. Such a kernel computes every element, or every row,
// from the same one of the result. The bits are the same as in two launches.
//
// A kernel waits for nothing but the call to join it, no collective moves, and a kernel that may
// write over an argument that is given up stays alone, so that it still does.
void fuse_epilogues(Plan& plan);

}  // namespace tutti::codegen
