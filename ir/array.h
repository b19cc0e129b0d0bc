#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/host_data.h>
#include <tutti/ir/shape.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::ir {

// Dense row-major data in ordinary memory: what constants hold and what the interpreter computes.
class Array {
 public:
  Array() = default;
  // All zeros.
  Array(DType dtype, Shape shape)
      : dtype_(dtype), shape_(shape), large_(count() > sizeof(small_) ? count() : 0) {}
  // A copy of `values`, which must be as many as the shape has elements.
  template <class T>
  static Array from(std::span<const T> values, const Shape& shape);
  template <class T>
  static Array scalar(T value);
  // One element of any dtype from a double, converted like a cast (scalar.h).
  static Array scalar_of(DType dtype, double value);

  DType dtype() const { return dtype_; }
  const Shape& shape() const& { return shape_; }
  Shape shape() const&& { return shape_; }
  std::int64_t elements() const { return shape_.elements(); }
  std::span<std::byte> bytes() { return {large_.empty() ? small_.data() : large_.data(), count()}; }
  std::span<const std::byte> bytes() const {
    return {large_.empty() ? small_.data() : large_.data(), count()};
  }

  // The elements as C++ values; throws InternalError if T is not the dtype's type. They go with an
  // array that has a name; what a temporary one gives holds them.
  template <class T>
  std::span<T> data() &;
  template <class T>
  std::span<const T> data() const&;
  template <class T>
  HostData<T> data() &&;
  template <class T>
  std::span<const T> data() const&& = delete;
  // Element n (row-major) as a double; exact for everything but 64-bit integers beyond 2^53.
  double at(std::int64_t n) const;

  // The same elements in another shape of the same size.
  Array reshaped(const Shape& shape) const;

  // Bitwise: NaN equals itself, -0 differs from 0.
  friend bool operator==(const Array&, const Array&) = default;

 private:
  void expect(DType dtype) const;
  std::size_t count() const { return static_cast<std::size_t>(elements() * size_of(dtype_)); }

  DType dtype_ = DType::f32;
  Shape shape_ = {0};
  alignas(8) std::array<std::byte, 8> small_{};  // the bytes, if they fit
  std::vector<std::byte> large_;                 // else
};
using ArrayPtr = std::shared_ptr<const Array>;

// For constants, of which programs have many: in recycled memory.
ArrayPtr share(Array array);

template <class T>
std::span<T> Array::data() & {
  expect(dtype_of<T>);
  return {reinterpret_cast<T*>(bytes().data()), static_cast<std::size_t>(elements())};
}

template <class T>
std::span<const T> Array::data() const& {
  expect(dtype_of<T>);
  return {reinterpret_cast<const T*>(bytes().data()), static_cast<std::size_t>(elements())};
}

template <class T>
HostData<T> Array::data() && {
  expect(dtype_of<T>);
  const auto owner = std::make_shared<const Array>(std::move(*this));
  return {owner, owner->data<T>().data(), owner->shape()};
}

template <class T>
Array Array::from(std::span<const T> values, const Shape& shape) {
  Array out(dtype_of<T>, shape);
  if (static_cast<std::int64_t>(values.size()) != shape.elements()) {
    throw TypeError(std::to_string(values.size()) + " values do not fill shape " + shape.text());
  }
  std::copy(values.begin(), values.end(), out.data<T>().begin());
  return out;
}

template <class T>
Array Array::scalar(T value) {
  return from(std::span<const T>(&value, 1), {});
}

}  // namespace tutti::ir
