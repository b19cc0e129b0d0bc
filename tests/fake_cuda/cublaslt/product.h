#pragma once

#include "tests/fake_cuda/cublaslt/descriptions.h"

namespace tutti::fake_cuda {

// One product of a batch, column-major: d = epilogue(op(a) op(b) + bias), in memory of the host.
struct Product {
  cudaDataType_t type = CUDA_R_32F;
  std::int64_t rows = 0;     // of d
  std::int64_t columns = 0;  // of d
  std::int64_t depth = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t leading_a = 0;
  std::int64_t leading_b = 0;
  std::int64_t leading_d = 0;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
};

// Bytes of an element; 0 for a type that the double does not know.
std::size_t element_bytes(cudaDataType_t type);

// Sums of 16-bit floats and of f32 are f32, those of f64 are f64, in the order of the depth.
void multiply(const Product& product, const void* a, const void* b, const void* bias, void* d);

}  // namespace tutti::fake_cuda
