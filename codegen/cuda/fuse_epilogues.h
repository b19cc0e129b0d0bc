#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/view.h>

#include <map>
#include <vector>

namespace tutti::codegen::cuda {

// A matmul of a plan under construction.
struct PlannedMatmul {
  ir::Type result;
  std::vector<View> operands;
};

// Lets matmuls on GPUs do what the kernel behind them does, where they can (epilogue.h): the kernel
// goes (the others are numbered anew), and so does the buffer between the two. `matmuls` has them
// by the buffer that they write. Every launch of the plan has one part yet, and buffers no places.
void fuse_epilogues(Plan& plan, const std::map<BufferId, PlannedMatmul>& matmuls);

}  // namespace tutti::codegen::cuda
