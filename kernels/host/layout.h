#pragma once

#include <tutti/ir/shape.h>
#include <tutti/kernels/host/move_elements.h>
#include <tutti/kernels/host/row_tiling.h>

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

// result[low + i * (interior + 1)] = source[i], and *fill elsewhere; one low, high and interior per
// dimension, none negative. The result's sizes are low + high + size + (size - 1) * interior.
struct Pad {
  std::int64_t element_size = 4;
  StridedView source;
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  std::vector<std::int64_t> interior;
};

// A pad, planned once for any number of runs: with as few dimensions as possible, at least one.
class PadMove {
 public:
  // Throws InternalError where there is not a low, a high and an interior for each dimension.
  PadMove(const Pad& spec);  // NOLINT(google-explicit-constructor): to run it once

 private:
  friend std::int64_t tiles(const PadMove& move);
  friend void run(const PadMove& move, const void* source, const void* fill, void* result,
                  std::int64_t begin, std::int64_t end);

  struct Dimension {
    std::int64_t size, stride;     // of the source
    std::int64_t low, high, step;  // step: from one source element to the next, in the result

    std::int64_t result_size() const { return low + high + (size > 0 ? (size - 1) * step + 1 : 0); }
  };
  class Rows;
  template <class Element>
  static void write_elements(const Dimension& last, const Element* source, Element* row);
  template <class Element>
  static void write_row(const Dimension& last, const Element* source, Element value, Element* row,
                        std::int64_t begin, std::int64_t end);

  const Dimension& last() const { return dimensions_[rank_ - 1]; }
  RowTiling tiling() const;

  std::int64_t element_size_;
  std::int64_t offset_;  // of the source
  std::array<Dimension, Shape::kMaxRank> dimensions_{};
  std::size_t rank_ = 0;
};
std::int64_t tiles(const PadMove& move);
void run(const PadMove& move, const void* source, const void* fill, void* result,
         std::int64_t begin, std::int64_t end);

// The sources one after another along `axis`; they agree in every other dimension.
struct Concat {
  std::int64_t element_size = 4;
  int axis = 0;
  std::vector<StridedView> sources;
};

// Either of the two, planned once for any number of runs.
class Moves {
 public:
  // Throw InternalError where the sources do not fit.
  Moves(const StridedCopy& spec);  // NOLINT(google-explicit-constructor): to run it once
  Moves(const Concat& spec);       // NOLINT(google-explicit-constructor)

 private:
  friend std::int64_t tiles(const Moves& moves);
  friend void run(const Moves& moves, const void* const* sources, void* result, std::int64_t begin,
                  std::int64_t end);

  std::vector<MovePlan> plans_;  // one a source
  std::vector<std::int64_t> first_tiles_;
  std::int64_t tiles_ = 0;
};
std::int64_t tiles(const Moves& moves);
// `sources` are as many as the spec has.
void run(const Moves& moves, const void* const* sources, void* result, std::int64_t begin,
         std::int64_t end);

}  // namespace tutti::kernels
