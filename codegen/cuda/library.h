#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>

#include <vector>

namespace tutti::codegen::cuda {

// What library.h has for the host, as CUDA C++ for any GPU: the functions of kernels/device/ bound
// to the shapes of one node. Results have the host's bits, but for normal(), whose logarithms,
// sines and cosines may differ in the last place, and for sums of a matmul. The same call gives the
// same bits every time.

// The kernel for an opaque node whose operands have these views (of buffers; dense where
// takes_strides says no). Its buffers are the operands' storages in order, then the results';
// between them the sorted runs that sort_source (sort.h) may need.
Source device_library_call(const ir::Graph& graph, ir::NodeId id,
                           const std::vector<View>& operands);

// Writes a strided view of a buffer out densely.
Source device_strided_copy(const View& view);

}  // namespace tutti::codegen::cuda
