#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/view.h>
#include <tutti/kernels/host/layout.h>

#include <memory>
#include <string>
#include <vector>

namespace tutti::codegen {

// A hand-written host kernel (kernels/host/) bound to the shapes of one node.
struct LibraryCall {
  std::string name;    // "matmul"
  std::string detail;  // "f32 [128x64] x [64x32], batch [4]": what plans print
  std::shared_ptr<const KernelCode> code;
  std::int64_t tiles = 0;
  std::int64_t cost = 0;  // what it computes beyond moving its buffers, in bytes moved as fast
  // How many tiles there are when its result lies over its first operand; -1: it may not.
  std::int64_t tiles_in_place = -1;
};

// Whether the node's kernel reads that operand through strides; otherwise it must be dense.
bool takes_strides(ir::Op op, std::size_t operand);

// What operands look like: "f32[64, 10], i64[4]".
std::string operands_text(const std::vector<View>& operands);

// The call for an opaque node whose operands have these views (of buffers; dense where
// takes_strides says no). Its buffers are the operands' storages in order, then the results'.
LibraryCall library_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands);

// Where the elements of a view of a buffer are.
kernels::StridedView strided(const View& view);

// Writes a strided view of a buffer out densely.
LibraryCall strided_copy(const View& view);

}  // namespace tutti::codegen
