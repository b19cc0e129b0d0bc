#pragma once

#include <tutti/codegen/target.h>

namespace tutti::codegen::cuda {

// Lets matmuls on GPUs do what the kernel behind them does, where they can (epilogue.h): the kernel
// goes (the others are numbered anew), and so does the buffer between the two. Every launch of
// the plan has one part yet, and buffers no places.
void fuse_epilogues(Plan& plan, const PlannedMatmuls& matmuls);

}  // namespace tutti::codegen::cuda
