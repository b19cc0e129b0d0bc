#include <tutti/ir/array_part.h>

#include <algorithm>
#include <cstring>

namespace tutti::ir {

namespace {

// Dimensions from `dimension` on.
void copy_box(const std::byte* from, const Shape& from_shape, std::byte* to, const Shape& to_shape,
              const Shape& box, int dimension, std::int64_t element_size) {
  // What is whole in both from here on is copied at once.
  bool whole = true;
  std::int64_t inner = element_size;
  for (int d = dimension + 1; d < box.rank(); ++d) {
    whole = whole && box[d] == from_shape[d] && box[d] == to_shape[d];
    inner *= box[d];
  }
  if (dimension == box.rank() || whole) {
    const std::int64_t count = dimension == box.rank() ? 1 : box[dimension];
    std::memcpy(to, from, static_cast<std::size_t>(count * inner));
    return;
  }
  const std::int64_t from_step =
      from_shape.strides()[static_cast<std::size_t>(dimension)] * element_size;
  const std::int64_t to_step =
      to_shape.strides()[static_cast<std::size_t>(dimension)] * element_size;
  for (std::int64_t i = 0; i < box[dimension]; ++i) {
    copy_box(from + i * from_step, from_shape, to + i * to_step, to_shape, box, dimension + 1,
             element_size);
  }
}

}  // namespace

void copy_front(const std::byte* from, const Shape& from_shape, std::byte* to,
                const Shape& to_shape, const Shape& box, std::int64_t element_size) {
  if (box.elements() == 0) return;
  copy_box(from, from_shape, to, to_shape, box, 0, element_size);
}

Array enlarged(const Array& array, const Shape& shape, const Array& fill) {
  Array out(array.dtype(), shape);
  const std::int64_t size = size_of(array.dtype());
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    std::memcpy(out.bytes().data() + i * size, fill.bytes().data(), static_cast<std::size_t>(size));
  }
  copy_front(array.bytes().data(), array.shape(), out.bytes().data(), shape, array.shape(), size);
  return out;
}

Array front(const Array& array, const Shape& shape) {
  Array out(array.dtype(), shape);
  copy_front(array.bytes().data(), array.shape(), out.bytes().data(), shape, shape,
             size_of(array.dtype()));
  return out;
}

}  // namespace tutti::ir
