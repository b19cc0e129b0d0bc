#pragma once

#include <tutti/ir/graph.h>

#include <string>
#include <vector>

namespace tutti::codegen {

// What code generation takes as given is made up for where the pass that sees to it is disabled:
// without `fuse` every node becomes a kernel of its own. Throws UsageError for a program that needs
// a disabled pass.
void stand_in_for_disabled(ir::Graph& graph, const std::vector<std::string>& disabled);

}  // namespace tutti::codegen
