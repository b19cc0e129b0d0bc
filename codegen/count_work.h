#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/view.h>
#include <tutti/runtime/profile/work_counts.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::codegen {

// What one run of a kernel has to do. `buffer_bytes` are the sizes of its buffers: of accesses that
// differ no more counts than the buffer holds.
runtime::WorkCounts count_work(const Kernel& kernel, std::span<const std::int64_t> buffer_bytes);

// The same for an opaque node whose operands have these views.
runtime::WorkCounts count_work(const ir::Graph& graph, ir::NodeId id,
                               const std::vector<View>& operands);

// The same for writing a view out densely.
runtime::WorkCounts count_copy(const View& view);

}  // namespace tutti::codegen
