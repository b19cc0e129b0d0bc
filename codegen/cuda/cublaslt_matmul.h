#pragma once

#include <tutti/codegen/cuda/epilogue.h>
#include <tutti/codegen/cuda/matmul_layout.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/dylib/cublaslt.h>

#include <memory>
#include <optional>

namespace tutti::codegen::cuda {

// The cuBLASLt of this process; null if there is none.
const runtime::CublasLt* find_cublaslt();

// A matmul by cuBLASLt, in full precision (no TF32, sums of 16-bit floats in f32). No size is 0,
// and an epilogue is of a 16-bit float or f32. Buffers: those of a and b, with an epilogue the
// bias, then the result's. Which of the library's algorithms runs is settled at the first launch on
// each GPU. A launch throws EnvironmentError if the library has none or fails.
std::shared_ptr<const runtime::DeviceCode> cublaslt_matmul(const runtime::CublasLt& library,
                                                           const MatmulLayout& layout,
                                                           std::optional<Epilogue::Kind> epilogue);

}  // namespace tutti::codegen::cuda
