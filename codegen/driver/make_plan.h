#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/algorithms.h>

#include <cstdint>
#include <vector>

namespace tutti::codegen {

// Lays a fused graph (after the pass `fuse`) out as steps for one rank: one launch per group,
// library calls, collectives in program order; memory planned by liveness. The graph may be dropped
// afterwards. `buffers`, if there is one, is filled with where each value lies: the buffer that
// holds it or what it is a view of, or -1 if nothing does.
Plan make_plan(const ir::Graph& graph, std::int64_t rank,
               const runtime::Algorithms& algorithms = {},
               std::vector<BufferId>* buffers = nullptr);

}  // namespace tutti::codegen
