#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/view.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::codegen {

// The points that the loop nest of a fused group goes over: those of one shape, of whose axes some
// are reduced. These become the inner axes of its kernel, the kept ones the outer axes.
class IterationSpace {
 public:
  // `reduced` in their order; none: nothing is reduced.
  IterationSpace(const Shape& shape, std::vector<std::int64_t> reduced);

  const Shape& shape() const { return shape_; }
  bool reduces() const { return !reduced_.empty(); }
  // Gives a kernel its axes, and says along which vectors lie.
  void set_axes(Kernel& kernel) const;

  // Addresses of these strides, one for each axis of the shape.
  Affine affine(std::int64_t offset, const std::vector<std::int64_t>& strides) const;
  // Row-major strides of a value of the whole shape.
  std::vector<std::int64_t> strides() const;
  // Strides of a row, a value that has one element for each point of the kept axes: of its shape,
  // which has all axes or the kept ones alone, laid out over all axes.
  std::vector<std::int64_t> row_strides(const Shape& row,
                                        std::span<const std::int64_t> strides) const;
  // The same of its row-major strides.
  std::vector<std::int64_t> row_strides(const Shape& row) const;

  // All axes, and those that the dimensions of a row's shape are.
  std::span<const int> axes() const { return axes_; }
  std::span<const int> row_axes(const Shape& row) const {
    return row.rank() == shape_.rank() ? axes_ : kept_;
  }
  // The bounds of a view whose last dimension is the last of these axes, and so on.
  std::vector<Bound> bounds(const View& view, std::span<const int> axes) const;

 private:
  bool is_reduced(std::int64_t axis) const;
  bool reduces_along_memory() const;

  Shape shape_;
  std::vector<std::int64_t> reduced_;
  std::vector<int> axes_;
  std::vector<int> kept_;
};

}  // namespace tutti::codegen
