#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/scalar.h>

#include <cstdint>

namespace tutti::kernels {

// result[o, j, i] = x[o, 0, i], ..., x[o, j, i] combined in this order, or from the axis' end back
// to j if `reverse`. x and the result are row-major and dense, [outer, size, inner], of any dtype
// but bool. Integers wrap. Sums of floats are combined in f64, what else there is of narrow ones in
// f32, and each result is rounded from there. Of maximum and minimum a NaN wins, and -0 is less
// than 0.
struct Cumulative {
  DType dtype = DType::f32;
  ir::ScalarOp combine = ir::ScalarOp::add;  // or mul, maximum, minimum
  bool reverse = false;
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

// What comes before where sequences are few and long, so that threads share each of them: the
// combinations of parts of the sequences. A part's results begin with those of the parts before it,
// put together; only the bits of f64 sums depend on that, within the bound of their rounding, and
// whether sums of f64 near its largest numbers become infinite.
// Products of floats are never divided: those behind a zero may be infinite, and the zero would
// come too late.
struct CumulativeParts {
  Cumulative cumulative;
};

// The bytes that CumulativeParts writes; 0 if each sequence is gone through by one tile. A function
// of the spec alone.
std::int64_t cumulative_parts_bytes(const Cumulative& spec);

// The number of independent pieces: a function of the spec alone.
std::int64_t tiles(const CumulativeParts& spec);
std::int64_t tiles(const Cumulative& spec);

// Compute tiles [begin, end) on the calling thread; threads may run disjoint ranges at once.
// `parts` are cumulative_parts_bytes bytes, aligned as f64 are; all tiles of CumulativeParts come
// first. Throw InternalError for another combination, or bool.
void run(const CumulativeParts& spec, const void* x, void* parts, std::int64_t begin,
         std::int64_t end);
void run(const Cumulative& spec, const void* x, const void* parts, void* result, std::int64_t begin,
         std::int64_t end);

}  // namespace tutti::kernels
