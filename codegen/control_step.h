#pragma once

#include <tutti/codegen/plan.h>
#include <tutti/ir/graph.h>

#include <cstdint>
#include <vector>

namespace tutti::codegen {

// What the step of a loop or branch is, but for its buffers and the numbers of its functions.
Control control_of(const ir::Graph& graph, ir::NodeId node);

// The plans of a plan's functions, and of the functions in these, each once, innermost first.
std::vector<Plan*> nested_plans(const Plan& plan);

// The host arena that a run needs: the plan's own, and behind it that of whichever of its functions
// needs most.
std::int64_t arena_with_functions(const Plan& plan);

}  // namespace tutti::codegen
