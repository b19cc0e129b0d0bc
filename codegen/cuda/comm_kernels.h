#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/runtime/comm/comm_kernels.h>

namespace tutti::codegen::cuda {

// Kernels that carry out collectives between GPUs (kernels/device/collectives.cuh), for blocks of
// CommKernel::kThreads; how many there are, whoever launches it says. Throws InternalError for what
// there is no kernel of.
Source comm_kernel_source(const runtime::CommKernel& kernel);

// All of this process, by Compiler::shared().
const runtime::CommKernels& comm_kernels();

}  // namespace tutti::codegen::cuda
