#pragma once

#include <tutti/ir/array.h>

#include <cstddef>

namespace tutti::ir {

// Copies a box of elements at the front of all dimensions, of shape `box`, from one row-major
// tensor to another, both of box.rank() dimensions that hold it.
void copy_front(const std::byte* from, const Shape& from_shape, std::byte* to,
                const Shape& to_shape, const Shape& box, std::int64_t element_size);

// The array at the front of a larger one, which is `fill` elsewhere, an element of its dtype.
Array enlarged(const Array& array, const Shape& shape, const Array& fill);
// The elements at the front of all dimensions.
Array front(const Array& array, const Shape& shape);

}  // namespace tutti::ir
