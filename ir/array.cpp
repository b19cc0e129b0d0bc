#include <tutti/ir/array.h>
#include <tutti/ir/scalar.h>
#include <tutti/ir/support/recycled.h>

namespace tutti::ir {

ArrayPtr share(Array array) {
  return std::allocate_shared<const Array>(RecyclingAllocator<Array>(), std::move(array));
}

Array Array::scalar_of(DType dtype, double value) {
  Array out(dtype, {});
  store_cell(dtype, cell_of(compute_dtype(dtype), value), out.small_.data());
  return out;
}

double Array::at(std::int64_t n) const {
  return visit_dtype(dtype_, [&]<class T>(std::type_identity<T>) {
    return static_cast<double>(data<T>()[static_cast<std::size_t>(n)]);
  });
}

Array Array::reshaped(const Shape& shape) const {
  if (shape.elements() != elements()) {
    throw InternalError("cannot reshape " + shape_.text() + " to " + shape.text());
  }
  Array out = *this;
  out.shape_ = shape;
  return out;
}

void Array::expect(DType dtype) const {
  if (dtype != dtype_) {
    throw InternalError("data of dtype " + std::string(name_of(dtype_)) + " read as " +
                        std::string(name_of(dtype)));
  }
}

}  // namespace tutti::ir
