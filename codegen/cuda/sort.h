#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>

#include <cstdint>

namespace tutti::codegen::cuda {

// Sorting a dense operand along an axis, as device code: stable, and the same every time. Rows that
// fit into the shared memory of a block take one kernel, others two.

// The bytes that the second kernel gets from the first; 0 if one does all.
std::int64_t sorted_runs_bytes(const View& x, std::int64_t axis);

// The first of two. Buffers: x, the runs of every row sorted.
Source sort_runs_source(const View& x, std::int64_t axis, bool descending);

// The only one, or the second of two. Buffers: x, the sorted runs if there are such, values,
// indices.
Source sort_source(const View& x, std::int64_t axis, bool descending);

}  // namespace tutti::codegen::cuda
