#include <tutti/ir/array.h>

namespace tutti::ir {

Array Array::scalar_of(DType dtype, double value) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      return scalar(T(static_cast<float>(value)));
    } else {
      return scalar(static_cast<T>(value));
    }
  });
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
