#pragma once

#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>

#include <vector>

namespace tutti::codegen {

// Takes that kernels read where they lie: each of their loads is at a place that an index says
// (Term in kernel/kernel.h), and what was taken is never written to memory. That is as fast as a
// call and a kernel that reads what the call has made, or faster, where
//
// - nothing but kernels of fused groups reads it: neither calls nor the caller;
// - rows are taken that fill a vector, which lie side by side, and at most two kernels read them;
// - or single elements, and one kernel reads each of them once.
//
// By node, those takes that had better be calls, or are so far.
std::vector<bool> find_called_takes(const ir::Graph& graph, const Views& views);

// take or take_along_axis.
bool is_take(ir::Op op);

}  // namespace tutti::codegen
