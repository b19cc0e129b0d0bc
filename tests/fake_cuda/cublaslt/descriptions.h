#pragma once

#include <cstdint>

#include "tests/fake_cuda/cublaslt/api.h"
#include "tests/fake_cuda/driver/api.h"

// What the library's handles point to.

struct cublasLtContext {
  CUcontext context = nullptr;  // that it was made in
};

namespace tutti::fake_cuda {

struct MatmulDescription {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scale = CUDA_R_32F;
  cublasOperation_t transpose_a = CUBLAS_OP_N;
  cublasOperation_t transpose_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};

// Column-major.
struct MatrixDescription {
  cudaDataType_t type = CUDA_R_32F;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::int64_t leading = 0;
  std::int32_t batch = 1;
  std::int64_t stride = 0;  // elements between the matrices of a batch
};

struct Preference {
  std::uint64_t workspace = 0;  // bytes
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignment_a = 256;
  std::uint32_t alignment_b = 256;
  std::uint32_t alignment_c = 256;
  std::uint32_t alignment_d = 256;
};

// What an algorithm is: the product that it was chosen for, and what it relies on.
struct Algorithm {
  std::uint64_t product = 0;  // a hash
  std::uint32_t workspace = 0;
  std::uint32_t alignment_a = 0;
  std::uint32_t alignment_b = 0;
  std::uint32_t alignment_d = 0;
};

inline const MatmulDescription& described(cublasLtMatmulDesc_t matmul) {
  return *reinterpret_cast<const MatmulDescription*>(matmul);
}
inline const MatrixDescription& described(cublasLtMatrixLayout_t matrix) {
  return *reinterpret_cast<const MatrixDescription*>(matrix);
}
inline const Preference& described(cublasLtMatmulPreference_t preference) {
  return *reinterpret_cast<const Preference*>(preference);
}

}  // namespace tutti::fake_cuda
