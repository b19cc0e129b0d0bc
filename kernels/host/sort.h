#pragma once

#include <tutti/ir/dtype.h>

#include <cstdint>

namespace tutti::kernels {

// values[o, j, i] = x[o, indices[o, j, i], i], in ascending order of j (or descending). Equal
// elements keep their order; NaN counts as the largest, whatever its sign, and -0 as equal to 0.
// x is row-major and dense, [outer, size, inner], of any dtype but bool. Of each row the first
// `count` are kept: values and i64 indices are [outer, count, inner].
struct Sort {
  DType dtype = DType::f32;
  bool descending = false;
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
  std::int64_t count = size;
};

// The number of independent pieces: a function of the spec alone. Each row is sorted by one.
std::int64_t tiles(const Sort& spec);

// Computes tiles [begin, end) on the calling thread; threads may run disjoint ranges at once.
void run(const Sort& spec, const void* x, void* values, std::int64_t* indices, std::int64_t begin,
         std::int64_t end);

}  // namespace tutti::kernels
