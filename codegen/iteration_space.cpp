#include <tutti/codegen/iteration_space.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tutti::codegen {

IterationSpace::IterationSpace(const Shape& shape, std::vector<std::int64_t> reduced)
    : shape_(shape), reduced_(std::move(reduced)) {
  for (int d = 0; d < shape_.rank(); ++d) {
    axes_.push_back(d);
    if (!is_reduced(d)) kept_.push_back(d);
  }
}

bool IterationSpace::is_reduced(std::int64_t axis) const {
  return std::ranges::find(reduced_, axis) != reduced_.end();
}

void IterationSpace::set_axes(Kernel& kernel) const {
  for (const int d : axes_) (is_reduced(d) ? kernel.inner : kernel.outer).push_back(shape_[d]);
  kernel.vector_axis = reduces_along_memory() ? VectorAxis::inner : VectorAxis::outer;
}

// Whether neighbours in memory go into one sum: all of a row, or pieces of it long enough for a
// vector, as where axes {0, 2, 3} of images are reduced.
bool IterationSpace::reduces_along_memory() const {
  constexpr std::int64_t kLongPiece = 16;
  std::int64_t piece = 1;
  auto axis = static_cast<std::int64_t>(shape_.rank());
  auto reduced = reduced_.rbegin();
  for (; reduced != reduced_.rend() && *reduced == axis - 1; ++reduced) {
    piece *= shape_[static_cast<int>(--axis)];
  }
  if (reduced == reduced_.rbegin()) return false;  // the last axis is kept, or there are none
  return reduced == reduced_.rend() || piece >= kLongPiece;
}

Affine IterationSpace::affine(std::int64_t offset, const std::vector<std::int64_t>& strides) const {
  Affine out{.offset = offset, .outer = {}, .inner = {}};
  for (std::size_t d = 0; d < strides.size(); ++d) {
    (is_reduced(static_cast<std::int64_t>(d)) ? out.inner : out.outer).push_back(strides[d]);
  }
  return out;
}

std::vector<std::int64_t> IterationSpace::strides() const {
  const auto strides = shape_.strides();
  return {strides.begin(), strides.begin() + shape_.rank()};
}

std::vector<std::int64_t> IterationSpace::row_strides(const Shape& row,
                                                      std::span<const std::int64_t> strides) const {
  std::vector<std::int64_t> out(static_cast<std::size_t>(shape_.rank()), 0);
  if (row.rank() == shape_.rank()) {
    for (const int d : kept_) {
      out[static_cast<std::size_t>(d)] = strides[static_cast<std::size_t>(d)];
    }
  } else if (row.rank() == static_cast<int>(kept_.size())) {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      out[static_cast<std::size_t>(kept_[i])] = strides[i];
    }
  } else {
    throw InternalError("a fused row of shape " + row.text() + " does not fit " + shape_.text());
  }
  return out;
}

std::vector<std::int64_t> IterationSpace::row_strides(const Shape& row) const {
  const auto strides = row.strides();
  return row_strides(row, std::span(strides.data(), static_cast<std::size_t>(row.rank())));
}

std::vector<Bound> IterationSpace::bounds(const View& view, std::span<const int> axes) const {
  std::vector<Bound> out;
  axes = axes.last(static_cast<std::size_t>(view.shape.rank()));
  for (int d = 0; d < view.shape.rank(); ++d) {
    if (!view.is_bounded(d)) continue;
    const View::Range inside = view.inside[static_cast<std::size_t>(d)];
    const int own = axes[static_cast<std::size_t>(d)];
    const bool inner = is_reduced(own);
    int axis = 0;
    for (int other = 0; other < own; ++other) {
      if (is_reduced(other) == inner) ++axis;
    }
    out.push_back({.inner = inner, .axis = axis, .begin = inside.begin, .end = inside.end});
  }
  return out;
}

}  // namespace tutti::codegen
