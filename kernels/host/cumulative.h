#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/scalar.h>

#include <cstdint>

namespace tutti::kernels {

// result[o, j, i] = x[o, 0, i], ..., x[o, j, i] combined in this order, or from the axis' end back
// to j if `reverse`. x and the result are row-major and dense, [outer, size, inner], of any dtype
// but bool. Integers wrap; narrow floats are combined in f32, and each result is rounded once. Of
// maximum and minimum a NaN wins, and -0 is less than 0.
struct Cumulative {
  DType dtype = DType::f32;
  ir::ScalarOp combine = ir::ScalarOp::add;  // or mul, maximum, minimum
  bool reverse = false;
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

// The number of independent pieces: a function of the spec alone.
std::int64_t tiles(const Cumulative& spec);

// Computes tiles [begin, end) on the calling thread; threads may run disjoint ranges at once.
// Throws InternalError for another combination, or bool.
void run(const Cumulative& spec, const void* x, void* result, std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
