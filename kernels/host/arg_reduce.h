#pragma once

#include <tutti/ir/dtype.h>

#include <cstdint>

namespace tutti::kernels {

// result[o, i] = the index along the axis of the largest (or smallest) of x[o, ..., i]; the first
// of equal ones, and the first NaN if there is one. x is row-major and dense, [outer, size, inner]
// with size > 0, of any dtype but bool; the result is i64 [outer, inner].
struct ArgReduce {
  DType dtype = DType::f32;
  bool largest = true;  // argmax; else argmin
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

// The number of independent pieces: a function of the spec alone.
std::int64_t tiles(const ArgReduce& spec);

// Computes tiles [begin, end) on the calling thread; threads may run disjoint ranges at once.
void run(const ArgReduce& spec, const void* x, std::int64_t* result, std::int64_t begin,
         std::int64_t end);

}  // namespace tutti::kernels
