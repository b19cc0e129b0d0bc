#pragma once

#include <tutti/codegen/kernel_compiler.h>
#include <tutti/codegen/plan.h>
#include <tutti/ir/graph.h>

#include <cstdint>

namespace tutti::codegen {

// Lays a fused graph (after the pass `fuse`) out as steps for one rank: one launch per group,
// library calls, collectives in program order; memory planned by liveness; kernels compiled. The
// graph may be dropped afterwards.
Plan make_plan(const ir::Graph& graph, std::int64_t rank, KernelCompiler& compiler);

}  // namespace tutti::codegen
