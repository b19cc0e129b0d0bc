#pragma once

#include <tutti/codegen/plan.h>
#include <tutti/ir/graph.h>

#include <cstdint>

namespace tutti::codegen {

// Lays a fused graph (after the pass `fuse`) out as steps for one rank: one launch per group,
// library calls, collectives in program order; memory planned by liveness. The graph may be dropped
// afterwards.
Plan make_plan(const ir::Graph& graph, std::int64_t rank);

}  // namespace tutti::codegen
