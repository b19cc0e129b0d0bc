#pragma once

#include <tutti/codegen/plan/plan.h>

#include <cstdint>

namespace tutti::codegen::cuda {

// Lets the kernel that reads the result of a collective between GPUs follow it
// (CollectiveStart::follower), so that it may be a part of the kernel which carries that out: of
// all_reduce, all_gather and reduce_scatter of a size for which there are such kernels, whose
// result that kernel alone reads, element by element, and whose other operands are there at the
// start. Every launch on a GPU has one part yet, and buffers no places.
void fuse_collectives(Plan& plan);

// Whether a kernel reads a buffer of so many elements in their order, one at each of its points.
bool goes_along(const Kernel& kernel, int buffer, std::int64_t elements);

// How many elements the one result of a collective has on a rank.
std::int64_t elements_of_result(const CollectiveStart& start, std::int64_t rank);

}  // namespace tutti::codegen::cuda
