#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/comm/algorithms.h>

#include <cstdint>

namespace tutti::codegen::cuda {

// Makes kernels companions of collectives between GPUs (CollectiveStart::leader, follower), so that
// they may be parts of the kernel which carries such a one out: of all_reduce, all_gather and
// reduce_scatter of a size for which there are such kernels. A leader makes the operand, which
// nobody else reads, and nothing else; a follower alone reads the result, and its other operands
// are there at the start. Both go element by element. Every launch on a GPU has one part yet, and
// buffers no places.
void fuse_collectives(Plan& plan, const runtime::AlgorithmTable& table);

// Whether a kernel reads or writes a buffer of so many elements in their order, one at each of its
// points.
bool goes_along(const Kernel& kernel, int buffer, std::int64_t elements);

// How many elements the one result of a collective has on a rank.
std::int64_t elements_of_result(const CollectiveStart& start, std::int64_t rank);

}  // namespace tutti::codegen::cuda
