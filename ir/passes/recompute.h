#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// How many additions an elementwise op is worth; transcendental functions and mod count for
// several.
int work_of(Op op);

// The last step of the fuse pass: values that one kernel stores only for others to read are
// computed again by those that read them, where that moves fewer bytes and is cheap. So the
// backward kernel of a chain of elementwise nodes reads the chain's operand, not every value on the
// way, and a kernel that nobody needs any more goes.
//
// Only elementwise nodes are repeated, never a reduction (its rows are stored instead, which are
// small) and never anything that waits for a collective. The graph has its groups and keeps the
// rules of fuse.h. Returns whether it changed.
bool recompute_cheap_values(Graph& graph);

}  // namespace tutti::ir
