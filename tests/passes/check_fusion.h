#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// Checks a fused graph against the rules of fuse.h, one by one and without the pass's own helpers
// where they decide; fails the running test for each that is broken.
void check_fusion(const Graph& graph);

}  // namespace tutti::ir
