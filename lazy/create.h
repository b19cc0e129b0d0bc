#pragma once

#include <tutti/lazy/axis.h>
#include <tutti/lazy/operand.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

// Tensors from C++ data, of its own dtype; numbers in full() give f32 and i64 if none is named.
// They lie on the rank's default device (device.h).
namespace tutti {

namespace detail {
// Throws TypeError unless there are as many values as the shape has elements.
void check_count(std::size_t values, const Shape& shape, std::source_location at);
}  // namespace detail

// A copy of an array.
Tensor from(const Array& array, std::source_location at = std::source_location::current());

// A copy of `values`, row-major, which must be as many as `shape` has elements.
template <class T>
Tensor from(std::span<const T> values, const Shape& shape,
            std::source_location at = std::source_location::current()) {
  detail::check_count(values.size(), shape, at);
  return from(Array::from(values, shape), at);
}
template <class T>
Tensor from(const std::vector<T>& values, const Shape& shape,
            std::source_location at = std::source_location::current()) {
  if constexpr (std::is_same_v<T, bool>) {  // packed into bits
    const auto unpacked = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), unpacked.get());
    return from(std::span<const bool>(unpacked.get(), values.size()), shape, at);
  } else {
    return from(std::span<const T>(values), shape, at);
  }
}

// tensor({1.f, 2.f}) and tensor({{1.f, 2.f}, {3.f, 4.f}}); tensor(3.f) is a scalar, and a vector's
// values stand along one axis.
template <class T>
  requires std::is_arithmetic_v<T>
Tensor tensor(T value, std::source_location at = std::source_location::current()) {
  return from(Array::scalar(value), at);
}
template <class T>
Tensor tensor(std::initializer_list<T> values,
              std::source_location at = std::source_location::current()) {
  return from(std::span<const T>(values.begin(), values.size()),
              {static_cast<std::int64_t>(values.size())}, at);
}
template <class T>
Tensor tensor(const std::vector<T>& values,
              std::source_location at = std::source_location::current()) {
  return from(values, {static_cast<std::int64_t>(values.size())}, at);
}
template <class T>
Tensor tensor(std::initializer_list<std::initializer_list<T>> rows,
              std::source_location at = std::source_location::current()) {
  const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  const std::size_t count = rows.size() * columns;
  const auto values = std::make_unique<T[]>(count);  // a vector would pack bool into bits
  T* next = values.get();
  for (const auto& row : rows) {
    if (row.size() != columns) throw TypeError("tensor: rows of different lengths", at);
    next = std::copy(row.begin(), row.end(), next);
  }
  return from(std::span<const T>(values.get(), count),
              {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)}, at);
}

// Looks at memory of the caller's, on the host: no copy. It must not change while tensors use it;
// `release(data)` is called when the last one is gone and no peer reads it any more: by the thread
// of a peer maybe, where ranks are threads, and after this rank's World has ended. It must not wait
// for a collective, nor start one or record anything; nor throw. While a program runs, to record or
// to evaluate something is a UsageError.
// Without `release` collectives copy the memory for peers. Throws UsageError for a pointer that is
// null or not aligned as the dtype's elements are, and for a bool that is neither 0 nor 1.
Tensor view(void* data, const Shape& shape, DType dtype, std::function<void(void*)> release = {},
            std::source_location at = std::source_location::current());

namespace detail {
Tensor arange_of(std::int64_t start, std::int64_t stop, std::int64_t step, DType dtype,
                 std::source_location at);
Tensor arange_of(double start, double stop, double step, DType dtype, std::source_location at);
// What the numbers of a sequence are computed in.
template <class... Given>
using SequenceNumber =
    std::conditional_t<(std::floating_point<Given> || ...), double, std::int64_t>;
}  // namespace detail

Tensor full(const Shape& shape, const Operand& value);
// A tensor's own dtype is the one, or it is a TypeError.
Tensor full(const Shape& shape, const Operand& value, DType dtype);
Tensor zeros(const Shape& shape, DType dtype = DType::f32,
             std::source_location at = std::source_location::current());
Tensor ones(const Shape& shape, DType dtype = DType::f32,
            std::source_location at = std::source_location::current());
// 0, 1, ..., count - 1. As the next ones and linspace, throws TypeError where the dtype does not
// reach as far.
Tensor arange(std::int64_t count, DType dtype = DType::i64,
              std::source_location at = std::source_location::current());
// start, start + step, ... before `stop`; a step below 0 counts down. If one of the three is
// floating-point, all are, and there are as many as double arithmetic says.
template <class Start, class Stop, class Step = int>
  requires(std::convertible_to<Start, double> && std::convertible_to<Stop, double> &&
           std::convertible_to<Step, double>)
Tensor arange(Start start, Stop stop, Step step = 1,
              DType dtype = std::same_as<detail::SequenceNumber<Start, Stop, Step>, double>
                                ? DType::f32
                                : DType::i64,
              std::source_location at = std::source_location::current()) {
  using Number = detail::SequenceNumber<Start, Stop, Step>;
  return detail::arange_of(static_cast<Number>(start), static_cast<Number>(stop),
                           static_cast<Number>(step), dtype, at);
}
// 0, 1, ... before `stop`, which need be no whole number.
template <std::floating_point Number>
Tensor arange(Number stop, DType dtype = DType::f32,
              std::source_location at = std::source_location::current()) {
  return detail::arange_of(0.0, static_cast<double>(stop), 1.0, dtype, at);
}
// `count` numbers from `start` to `stop`, both among them, at equal distances.
Tensor linspace(double start, double stop, std::int64_t count, DType dtype = DType::f32,
                std::source_location at = std::source_location::current());
// Ones where row and column agree, zeros elsewhere.
Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype = DType::f32,
           std::source_location at = std::source_location::current());
inline Tensor eye(std::int64_t size, DType dtype = DType::f32,
                  std::source_location at = std::source_location::current()) {
  return eye(size, size, dtype, at);
}
// The index along `axis` at every place of `shape`; modulo 2^8 of u8, and so on.
Tensor iota(const Shape& shape, Axis axis, DType dtype = DType::i64,
            std::source_location at = std::source_location::current());

// A tensor without data, for compile(f).lower(): a shape, a dtype and a device. Whatever needs its
// data throws UsageError. `replicated`: the same on all ranks, see replicated().
struct AbstractOptions {
  Device device = Device::cpu();
  bool replicated = false;
};
Tensor abstract(const Shape& shape, DType dtype = DType::f32, const AbstractOptions& options = {},
                std::source_location at = std::source_location::current());

// Lets a function that is being compiled use a tensor from outside on purpose: the same data in
// every call. Elsewhere the tensor itself.
Tensor constant(const Tensor& tensor, std::source_location at = std::source_location::current());

}  // namespace tutti
