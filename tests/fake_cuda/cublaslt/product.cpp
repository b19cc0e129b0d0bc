#include "tests/fake_cuda/cublaslt/product.h"

#include <tutti/ir/support/narrow_float.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tutti::fake_cuda {

namespace {

// Sums that are kept in registers.
constexpr std::int64_t kBlockRows = 64;
constexpr std::int64_t kBlockColumns = 4;

// d[rows, columns] = a[depth][rows] * b[columns][depth] for a block: whole blocks, so that the
// compiler knows how far the loops go.
template <class Sum>
[[gnu::always_inline]] inline void multiply_block(const Sum* __restrict a, std::int64_t a_stride,
                                                  const Sum* __restrict b, std::int64_t b_stride,
                                                  std::int64_t depth, Sum* __restrict sums) {
  for (std::int64_t i = 0; i < kBlockRows * kBlockColumns; ++i) sums[i] = 0;
  for (std::int64_t l = 0; l < depth; ++l) {
    for (std::int64_t j = 0; j < kBlockColumns; ++j) {
      const Sum factor = b[j * b_stride + l];
      for (std::int64_t i = 0; i < kBlockRows; ++i) {
        sums[j * kBlockRows + i] += a[l * a_stride + i] * factor;
      }
    }
  }
}

#if defined(__x86_64__)
template <class Sum>
[[gnu::target("avx2")]] void multiply_wide_block(const Sum* a, std::int64_t a_stride, const Sum* b,
                                                 std::int64_t b_stride, std::int64_t depth,
                                                 Sum* sums) {
  multiply_block(a, a_stride, b, b_stride, depth, sums);
}
#endif

// With the machine's vectors; the same bits whatever they are, because nothing is fused.
template <class Sum>
void multiply_fast(const Sum* a, std::int64_t a_stride, const Sum* b, std::int64_t b_stride,
                   std::int64_t depth, Sum* sums) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) {
    return multiply_wide_block(a, a_stride, b, b_stride, depth, sums);
  }
#endif
  multiply_block(a, a_stride, b, b_stride, depth, sums);
}

template <class Sum>
Sum finished(Sum x, cublasLtEpilogue_t epilogue) {
  if ((epilogue & CUBLASLT_EPILOGUE_RELU) != 0) return x < 0 ? 0 : x;
  if ((epilogue & CUBLASLT_EPILOGUE_GELU) == 0) return x;
  const Sum inner = Sum(0.7978845608028654) * (x + Sum(0.044715) * x * x * x);
  return Sum(0.5) * x * (1 + std::tanh(inner));
}

std::int64_t rounded_up(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }

template <class T, class Sum>
void multiply_as(const Product& p, const T* a, const T* b, const T* bias, T* d) {
  const std::int64_t rows = rounded_up(p.rows, kBlockRows);
  const std::int64_t columns = rounded_up(p.columns, kBlockColumns);
  std::vector<Sum> a_copy(static_cast<std::size_t>(rows * p.depth));
  std::vector<Sum> b_copy(static_cast<std::size_t>(columns * p.depth));
  for (std::int64_t l = 0; l < p.depth; ++l) {
    for (std::int64_t i = 0; i < p.rows; ++i) {
      const std::int64_t at = p.transpose_a ? l + i * p.leading_a : i + l * p.leading_a;
      a_copy[static_cast<std::size_t>(l * rows + i)] = static_cast<Sum>(a[at]);
    }
  }
  for (std::int64_t j = 0; j < p.columns; ++j) {
    for (std::int64_t l = 0; l < p.depth; ++l) {
      const std::int64_t at = p.transpose_b ? j + l * p.leading_b : l + j * p.leading_b;
      b_copy[static_cast<std::size_t>(j * p.depth + l)] = static_cast<Sum>(b[at]);
    }
  }
  alignas(64) Sum sums[kBlockRows * kBlockColumns];
  for (std::int64_t j = 0; j < p.columns; j += kBlockColumns) {
    for (std::int64_t i = 0; i < p.rows; i += kBlockRows) {
      multiply_fast(a_copy.data() + i, rows, b_copy.data() + j * p.depth, p.depth, p.depth, sums);
      for (std::int64_t y = j; y < std::min(j + kBlockColumns, p.columns); ++y) {
        for (std::int64_t x = i; x < std::min(i + kBlockRows, p.rows); ++x) {
          Sum sum = sums[(y - j) * kBlockRows + (x - i)];
          if (bias != nullptr) sum += static_cast<Sum>(bias[x]);
          d[x + y * p.leading_d] = T(finished(sum, p.epilogue));
        }
      }
    }
  }
}

template <class T, class Sum>
void multiply_typed(const Product& product, const void* a, const void* b, const void* bias,
                    void* d) {
  multiply_as<T, Sum>(product, static_cast<const T*>(a), static_cast<const T*>(b),
                      static_cast<const T*>(bias), static_cast<T*>(d));
}

}  // namespace

std::size_t element_bytes(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_64F:
      return 8;
    default:
      return 0;
  }
}

void multiply(const Product& product, const void* a, const void* b, const void* bias, void* d) {
  switch (product.type) {
    case CUDA_R_16F:
      return multiply_typed<Float16, float>(product, a, b, bias, d);
    case CUDA_R_16BF:
      return multiply_typed<BFloat16, float>(product, a, b, bias, d);
    case CUDA_R_32F:
      return multiply_typed<float, float>(product, a, b, bias, d);
    default:
      return multiply_typed<double, double>(product, a, b, bias, d);
  }
}

}  // namespace tutti::fake_cuda
