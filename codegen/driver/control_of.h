#pragma once

#include <tutti/codegen/plan/control.h>
#include <tutti/ir/graph.h>

namespace tutti::codegen {

// What the step of a loop or branch is, but for its buffers and the numbers of its functions.
Control control_of(const ir::Graph& graph, ir::NodeId node);

}  // namespace tutti::codegen
