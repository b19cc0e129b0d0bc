#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/shape.h>
#include <tutti/kernels/host/move_elements.h>
#include <tutti/kernels/host/row_tiling.h>

#include <cstdint>
#include <vector>

namespace tutti::kernels {

// Parts of a tensor that begin where data says. `starts` has an index of any integer dtype for each
// dimension; one at which the part would not fit is moved to the next at which it does. Tensors are
// row-major and dense, of elements of 1, 2, 4 or 8 bytes.
//
// As for every kernel here, tiles() is the number of independent pieces, a function of the spec
// alone, and run() computes the pieces [begin, end) on the calling thread; threads may run disjoint
// ranges at once.

// result = the part of x that begins at the starts.
struct DynamicSlice {
  std::int64_t element_size = 4;
  DType index_dtype = DType::i64;
  Shape x;
  Shape part;
};

// That, planned once for any number of runs.
class SliceMove {
 public:
  SliceMove(const DynamicSlice& spec);  // NOLINT(google-explicit-constructor): to run it once

 private:
  friend std::int64_t tiles(const SliceMove& move);
  friend void run(const SliceMove& move, const void* x, const void* starts, void* result,
                  std::int64_t begin, std::int64_t end);

  DynamicSlice spec_;
  MovePlan::Strides strides_;
  MovePlan plan_;
};
std::int64_t tiles(const SliceMove& move);
void run(const SliceMove& move, const void* x, const void* starts, void* result, std::int64_t begin,
         std::int64_t end);

// result = x with `update` in place of that part. `result` may be `x` itself; then there are only
// tiles_in_place() pieces, and the rest of x is not touched.
struct DynamicUpdateSlice {
  std::int64_t element_size = 4;
  DType index_dtype = DType::i64;
  Shape x;
  Shape part;
};

// A dimension of a tensor and of the part of it that begins at starts[axis] * scale.
struct PartDimension {
  std::int64_t size = 1;
  std::int64_t part = 1;
  std::int64_t scale = 1;
  int axis = 0;
};

// As few of them as possible, but at least one: a dimension of which the part has all joins the one
// before it. A scalar's axis is -1, and its start 0.
std::vector<PartDimension> part_dimensions(const Shape& x, const Shape& part);

// An update, planned once for any number of runs.
class UpdateMove {
 public:
  UpdateMove(const DynamicUpdateSlice& spec);  // NOLINT(google-explicit-constructor)

 private:
  friend std::int64_t tiles(const UpdateMove& move);
  friend std::int64_t tiles_in_place(const UpdateMove& move);  // tiles() or fewer
  friend void run(const UpdateMove& move, const void* x, const void* update, const void* starts,
                  void* result, std::int64_t begin, std::int64_t end);

  DynamicUpdateSlice spec_;
  std::vector<PartDimension> dimensions_;
  // Of x and of the part: all dimensions but the last one are rows.
  RowTiling whole_, part_;
};
std::int64_t tiles(const UpdateMove& move);
std::int64_t tiles_in_place(const UpdateMove& move);
void run(const UpdateMove& move, const void* x, const void* update, const void* starts,
         void* result, std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
