#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>

#include <vector>

namespace tutti::codegen {

// What the step of a loop or branch is, but for its buffers and the numbers of its functions.
Control control_of(const ir::Graph& graph, ir::NodeId node);

// Where the work of one step of a scan is recorded and replayed, what differs between steps is
// copied to one place and from it: these buffers of its body, first those of the sequences. Empty
// where nothing is replayed, and where large ones are all aligned: to copy them would take longer
// than to put the work of a step on the stream anew.
std::vector<const PlanBuffer*> staged_pieces(const Control& scan, const Plan& body);

}  // namespace tutti::codegen
