#pragma once

#include <tutti/ir/dtype.h>

#include <cstdint>

namespace tutti::kernels {

// result[o, j, i] = x[o, 0, i] + ... + x[o, j, i], added in this order, or from the axis' end back
// to j if `reverse`. x and the result are row-major and dense, [outer, size, inner], of any dtype
// but bool. Integers wrap; 16-bit floats add up in f32, and each result is rounded once.
struct CumSum {
  DType dtype = DType::f32;
  bool reverse = false;
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

// The number of independent pieces: a function of the spec alone.
std::int64_t tiles(const CumSum& spec);

// Computes tiles [begin, end) on the calling thread; threads may run disjoint ranges at once.
void run(const CumSum& spec, const void* x, void* result, std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
