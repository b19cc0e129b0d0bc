#pragma once

#include <tutti/codegen/cuda/epilogue.h>
#include <tutti/codegen/view.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/dylib/cublaslt.h>

#include <memory>
#include <optional>
#include <vector>

namespace tutti::codegen::cuda {

// A matmul by cuBLASLt with what is done where that refuses: with an epilogue, first the product
// alone and then a kernel for the rest, in place; then a kernel of our own for all, which is many
// times slower. What a library refuses is known only when it is launched on a GPU; the next
// launches there begin with what did. A slower way is warned of once a process, and logged each
// time that one is found (TUTTI_LOG=gpu). For operands that cublaslt_matmul has a layout of;
// buffers and rounding are those of device_matmul.
//
// A launch throws EnvironmentError if all ways fail: if the GPU can't be used.
std::shared_ptr<const runtime::DeviceCode> matmul_ways(const runtime::CublasLt& library,
                                                       const ir::Type& result,
                                                       const std::vector<View>& operands,
                                                       std::optional<Epilogue::Kind> epilogue);

}  // namespace tutti::codegen::cuda
