#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// Computes before a loop what its steps would compute again and again from what does not change in
// it, unless that is cheap or would be larger than what it is computed from. Returns whether
// anything changed.
bool hoist_invariants(Graph& graph);

}  // namespace tutti::ir
