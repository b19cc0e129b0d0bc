#pragma once

#include <tutti/ir/shape.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::kernels {

// Moving elements of 1, 2, 4 or 8 bytes, whatever their dtype. Results are row-major and dense and
// overlap no operand. Where elements have another size, or numbers of sizes differ, tiles() throws
// InternalError.
//
// As for every kernel here, tiles() is the number of independent pieces, a function of the spec
// alone, and run() computes the pieces [begin, end) on the calling thread; threads may run disjoint
// ranges at once.

// Where the elements of an operand are: index i is at offset + sum of i[d] * strides[d], counted in
// elements from the operand's pointer. Strides may be 0 (broadcast) or negative (reversed).
struct StridedView {
  Shape shape;
  std::array<std::int64_t, Shape::kMaxRank> strides{};
  std::int64_t offset = 0;
};

// The view of a row-major, dense operand.
StridedView dense_view(const Shape& shape);

// result[i] = source[i].
struct StridedCopy {
  std::int64_t element_size = 4;
  StridedView source;
};
std::int64_t tiles(const StridedCopy& spec);
void run(const StridedCopy& spec, const void* source, void* result, std::int64_t begin,
         std::int64_t end);

// result[low + i * (interior + 1)] = source[i], and *fill elsewhere; one low, high and interior per
// dimension, none negative. The result's sizes are low + high + size + (size - 1) * interior.
struct Pad {
  std::int64_t element_size = 4;
  StridedView source;
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  std::vector<std::int64_t> interior;
};
std::int64_t tiles(const Pad& spec);
void run(const Pad& spec, const void* source, const void* fill, void* result, std::int64_t begin,
         std::int64_t end);

// The sources one after another along `axis`; they agree in every other dimension.
struct Concat {
  std::int64_t element_size = 4;
  int axis = 0;
  std::vector<StridedView> sources;
};
std::int64_t tiles(const Concat& spec);
void run(const Concat& spec, std::span<const void* const> sources, void* result, std::int64_t begin,
         std::int64_t end);

}  // namespace tutti::kernels
