#pragma once

#include <tutti/codegen/cuda/matmul.h>
#include <tutti/codegen/target.h>

namespace tutti::codegen::cuda {

// GPUs: kernels as CUDA C++, and calls of cuBLASLt.
const Target& target();

// The launch of a matmul, without buffers.
LaunchPart call_of(DeviceMatmul matmul);

}  // namespace tutti::codegen::cuda
