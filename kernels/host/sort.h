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

// What comes before a sort of few long rows, so that threads share each of them: it divides them
// into parts, of which it collects the first elements, or which it divides by splitters.
struct SortParts {
  Sort sort;
};

// The bytes that SortParts writes for a sort; 0 if rows are sorted whole, each by one tile. A
// function of the spec alone.
std::int64_t sort_parts_bytes(const Sort& spec);

// The number of independent pieces: a function of the spec alone.
std::int64_t tiles(const SortParts& spec);
std::int64_t tiles(const Sort& spec);

// Compute tiles [begin, end) on the calling thread; threads may run disjoint ranges at once.
// `parts` are sort_parts_bytes bytes, aligned as i64 are; all tiles of SortParts come first.
void run(const SortParts& spec, const void* x, void* parts, std::int64_t begin, std::int64_t end);
void run(const Sort& spec, const void* x, const void* parts, void* values, std::int64_t* indices,
         std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
