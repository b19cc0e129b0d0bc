#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/kernel/kernel.h>
#include <tutti/runtime/comm/comm_kernels.h>

#include <memory>

namespace tutti::codegen::cuda {

// A kernel that reads the result of a collective (goes_along(), fuse_collectives.h) in one with the
// kernel that carries it out: what a thread has of the result goes on in its registers. `given` is
// the kernel's buffer that the result would be. The bits are those of the two apart.
Source fused_comm_source(const runtime::CommKernel& comm, const Kernel& kernel, int given);

// Makes them by Compiler::shared().
std::shared_ptr<const runtime::CommEpilogue> comm_epilogue(Kernel kernel, int given);

}  // namespace tutti::codegen::cuda
