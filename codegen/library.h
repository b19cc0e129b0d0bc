#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/launch.h>
#include <tutti/codegen/view.h>
#include <tutti/kernels/host/layout.h>

#include <string>
#include <vector>

namespace tutti::codegen {

// Whether the node's kernel reads that operand through strides; otherwise it must be dense.
bool takes_strides(ir::Op op, std::size_t operand);

// What operands look like: "f32[64, 10], i64[4]".
std::string operands_text(const std::vector<View>& operands);

// The hand-written host kernel (kernels/host/) for an opaque node whose operands have these views
// (of buffers; dense where takes_strides says no). Its buffers, which it has none of yet, are the
// operands' storages in order, then the results'; `result` is the view of the first.
LaunchPart library_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                        const View& result);

// Where the elements of a view of a buffer are.
kernels::StridedView strided(const View& view);

// Writes a strided view of a buffer out densely.
LaunchPart strided_copy(const View& view);

}  // namespace tutti::codegen
