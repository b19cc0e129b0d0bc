#pragma once

#include <tutti/codegen/view.h>
#include <tutti/ir/type.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::codegen::cuda {

// A matmul as cuBLASLt takes it: matrices whose elements are adjacent along one side, in a batch
// with one stride; where the batch has more dimensions than that, several calls.

// A matrix in memory: rows (columns if `transposed`) of adjacent elements, `leading` apart.
struct MatrixLayout {
  bool transposed = false;
  std::int64_t leading = 1;

  friend bool operator==(const MatrixLayout&, const MatrixLayout&) = default;
};

struct MatmulLayout {
  DType dtype = DType::f32;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  MatrixLayout a;
  MatrixLayout b;

  // Products of one call, and the distances between their matrices in elements; 0: the same one.
  std::int64_t batch = 1;
  std::int64_t a_stride = 0;
  std::int64_t b_stride = 0;
  std::int64_t c_stride = 0;

  // Where each call starts, in elements of the three buffers.
  struct Call {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
  };
  std::vector<Call> calls;
};

// Whether cuBLASLt multiplies the dtype as we want it: f32, f16, bf16 (in f32) and f64.
bool cublaslt_multiplies(DType dtype);

// Nothing if an operand cannot be said so. `c` is dense.
std::optional<MatmulLayout> matmul_layout(const ir::Type& result,
                                          const std::vector<View>& operands);

// Whether an operand is best read where it lies. If not, it has to be copied densely first: no two
// of its elements are adjacent along a row or column, a stride is negative, or its batch would take
// many small calls.
bool matmul_takes_view(const ir::Type& result, const std::vector<View>& operands,
                       std::size_t operand);

}  // namespace tutti::codegen::cuda
