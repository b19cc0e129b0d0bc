#pragma once

#include <tutti/ir/dtype.h>

#include <cstdint>

namespace tutti::kernels {

// Indexing by data, with the meaning of ir/table/index.def. A tensor is seen as [outer, size,
// inner] around the indexed axis; all tensors are row-major and dense. Indices may have any integer
// dtype.
//
// As for every kernel here, tiles() is the number of independent pieces, a function of the spec
// alone, and run() computes the pieces [begin, end) on the calling thread; threads may run disjoint
// ranges at once.

// result[o, j, i] = x[o, clamp(indices[j]), i]; indices [count], result [outer, count, inner].
struct Take {
  std::int64_t element_size = 4;  // bytes
  DType index_dtype = DType::i64;
  std::int64_t outer = 1;
  std::int64_t size = 0;
  std::int64_t inner = 1;
  std::int64_t count = 0;
};
std::int64_t tiles(const Take& spec);
void run(const Take& spec, const void* x, const void* indices, void* result, std::int64_t begin,
         std::int64_t end);

// result[o, j, i] = x[o, clamp(indices[o, j, i]), i]; indices and result [outer, count, inner].
// Elements have 1, 2, 4 or 8 bytes.
struct TakeAlongAxis {
  std::int64_t element_size = 4;
  DType index_dtype = DType::i64;
  std::int64_t outer = 1;
  std::int64_t size = 0;
  std::int64_t inner = 1;
  std::int64_t count = 0;
};
std::int64_t tiles(const TakeAlongAxis& spec);
void run(const TakeAlongAxis& spec, const void* x, const void* indices, void* result,
         std::int64_t begin, std::int64_t end);

// result = x, then result[o, indices[j], i] += updates[o, j, i] for j = 0, 1, ...; indices out of
// range are dropped. indices [count], updates [outer, count, inner]. Every addition rounds to the
// dtype (any but bool; integers wrap). `result` may be `x` itself: the updates then go into it.
struct ScatterAdd {
  DType dtype = DType::f32;
  DType index_dtype = DType::i64;
  std::int64_t outer = 1;
  std::int64_t size = 0;
  std::int64_t inner = 1;
  std::int64_t count = 0;
};
std::int64_t tiles(const ScatterAdd& spec);
void run(const ScatterAdd& spec, const void* x, const void* indices, const void* updates,
         void* result, std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
