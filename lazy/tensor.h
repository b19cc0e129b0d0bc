#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/device.h>
#include <tutti/ir/dtype.h>
#include <tutti/ir/host_data.h>
#include <tutti/ir/shape.h>
#include <tutti/ir/support/location.h>
#include <tutti/lazy/axis.h>
#include <tutti/lazy/state_ptr.h>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace tutti {

using ir::Array;

class AsyncTensor;
class Selector;

// A lazy n-dimensional array: a handle to a value that is recorded now and computed when somebody
// looks at it. Copying copies the handle; values are immutable. A handle belongs to the rank (and
// thread) that made it. Reading one that lies on a GPU copies it to the host.
class Tensor {
 public:
  // No value; every use but assignment throws UsageError.
  Tensor() = default;
  explicit Tensor(detail::StatePtr state) : state_(std::move(state)) {}
  // Using an AsyncTensor as a Tensor is the wait.
  Tensor(const AsyncTensor& async,  // NOLINT(google-explicit-constructor)
         std::source_location at = std::source_location::current());
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  // Another value for this handle, which has to be a variable: x[0] = y would change nothing, and
  // set_at(x, y, 0) is x with y in that place.
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & = default;
  ~Tensor() = default;

  bool defined() const { return state_ != nullptr; }
  // Whether it has none because it was moved from.
  bool was_moved() const { return state_.was_moved(); }

  // Metadata never computes and never waits.
  const Shape& shape(std::source_location at = std::source_location::current()) const&;
  Shape shape(std::source_location at = std::source_location::current()) const&& {
    return shape(at);
  }
  DType dtype(std::source_location at = std::source_location::current()) const;
  int rank(std::source_location at = std::source_location::current()) const {
    return shape(at).rank();
  }
  // Negative dimensions count from the end.
  std::int64_t size(Axis dimension,
                    std::source_location at = std::source_location::current()) const;
  std::int64_t elements(std::source_location at = std::source_location::current()) const {
    return shape(at).elements();
  }
  // Where it lies, or will.
  Device device(std::source_location at = std::source_location::current()) const;

  // The one element of a tensor with one element; computes it. Throws TypeError if T is not the
  // dtype's C++ type or if there is not exactly one element.
  template <class T>
  T item(std::source_location at = std::source_location::current()) const;
  // A copy of the elements, row-major; computes them. Throws TypeError if T is not the dtype's
  // type.
  template <class T>
  std::vector<T> to_vector(std::source_location at = std::source_location::current()) const;
  // A copy of the data with its dtype and shape; computes it.
  Array array(std::source_location at = std::source_location::current()) const;
  // The elements themselves, without a copy where the tensor lies on the host; computes them.
  // Throws TypeError if T is not the dtype's type.
  template <class T>
  HostData<T> host(std::source_location at = std::source_location::current()) const;

  // Element i along the first axis, which goes; see Selector in indexing.h.
  Tensor operator[](const Selector& i) const;

  // Throws UsageError, naming the line, if there is no value.
  const detail::StatePtr& state(Location where = {}) const;

 private:
  detail::StatePtr state_;
};

namespace detail {

// The elements of a tensor, computed and on the host, in memory that the pointer holds.
std::shared_ptr<const std::byte> host_bytes(const Tensor& tensor, Location where);
// A copy of them.
Array array_of(const Tensor& tensor, Location where);
// Throws TypeError unless the tensor has that dtype.
void check_read_as(const Tensor& tensor, DType dtype, Location where);

// What is to be computed of a collective's result once somebody waits for it; views of a result
// that is still under way, for instance.
struct Deferred {
  Deferred() = default;
  Deferred(const Deferred&) = default;
  Deferred& operator=(const Deferred&) = delete;
  ~Deferred();  // of a long chain without recursion

  std::shared_ptr<Deferred> before;  // of whose result; null: of the collective's
  std::function<Tensor(const Tensor&)> compute;
  StatePtr type;         // without a value
  StatePtr computed;     // what the first wait gave
  bool is_view = false;  // and uses no other tensors
  // How many functions were being recorded where it was asked for: it is recorded there, since what
  // is recorded further inside is of no use outside.
  std::size_t depth = 0;
};
class AsyncViews;

}  // namespace detail

// The result of a collective that may still be under way. Using it in an op, reading or printing it
// waits by itself: the conversion to Tensor records the wait and never blocks; what blocks is the
// evaluation that needs the data. Views (reshape, transpose, expand_dims, squeeze, slice) of one do
// not wait. Dropping it is legal: the collective takes place all the same.
class AsyncTensor {
 public:
  AsyncTensor() = default;
  explicit AsyncTensor(detail::StatePtr state) : state_(std::move(state)) {}
  AsyncTensor(const AsyncTensor&) = default;
  AsyncTensor(AsyncTensor&&) = default;
  // Another value for this variable, as Tensor's.
  AsyncTensor& operator=(const AsyncTensor&) & = default;
  AsyncTensor& operator=(AsyncTensor&&) & = default;
  ~AsyncTensor() = default;

  bool defined() const { return state_ != nullptr; }
  // Whether it has none because it was moved from.
  bool was_moved() const { return state_.was_moved(); }
  // Metadata never waits.
  const Shape& shape(std::source_location at = std::source_location::current()) const&;
  Shape shape(std::source_location at = std::source_location::current()) const&& {
    return shape(at);
  }
  DType dtype(std::source_location at = std::source_location::current()) const;
  int rank(std::source_location at = std::source_location::current()) const {
    return shape(at).rank();
  }
  std::int64_t size(Axis dimension,
                    std::source_location at = std::source_location::current()) const;
  std::int64_t elements(std::source_location at = std::source_location::current()) const {
    return shape(at).elements();
  }
  Device device(std::source_location at = std::source_location::current()) const;

  // The tensor. Records the wait and blocks nobody; the second wait is free and gives the same one.
  Tensor wait(Location at = std::source_location::current()) const;

  // Whether its collective was issued and is complete, so that reading it waits for no peer. Never
  // waits, but does work that is ready to be done. Throws CommError as reading it would.
  bool is_ready(std::source_location at = std::source_location::current()) const;
  // Calls f(the tensor) once its collective is complete, or has failed: then reading throws. It is
  // called on the thread that records for this rank, when that notices: when something is read or
  // evaluated, at is_ready(), or when the World closes; at once if it is complete already. What f
  // throws, that call throws. f may record and read, but call no collective: ranks notice at
  // different times.
  void on_ready(std::function<void(const Tensor&)> f,
                std::source_location at = std::source_location::current()) const;

  template <class T>
  T item(std::source_location at = std::source_location::current()) const {
    return wait(at).item<T>(at);
  }
  template <class T>
  std::vector<T> to_vector(std::source_location at = std::source_location::current()) const {
    return wait(at).to_vector<T>(at);
  }
  Array array(std::source_location at = std::source_location::current()) const {
    return wait(at).array(at);
  }
  template <class T>
  HostData<T> host(std::source_location at = std::source_location::current()) const {
    return wait(at).host<T>(at);
  }
  // Of the tensor, as Tensor's.
  Tensor operator[](const Selector& i) const;

  // The value; of what is computed of a collective's result, that of wait().
  const detail::StatePtr& state(Location where = {}) const;
  // The collective's result.
  const detail::StatePtr& collective(Location where = {}) const;

  // f(the tensor), to be recorded when somebody waits for it; its type is found out now. f must be
  // free of side effects. Throws what f throws.
  AsyncTensor then(std::function<Tensor(const Tensor&)> f,
                   Location at = std::source_location::current()) const;

 private:
  friend class detail::AsyncViews;

  detail::StatePtr state_;
  std::shared_ptr<detail::Deferred> deferred_;
};

// What it is: "async f32[4] from all_reduce over world, recorded, line hello.cpp:7"; never waits.
std::string describe(const AsyncTensor& async,
                     std::source_location at = std::source_location::current());

// A tensor that is printed, and the line that does so.
class Printed {
 public:
  Printed(const Tensor& tensor, std::source_location at = std::source_location::current())
      : tensor_(&tensor), where_(at) {}
  Printed(const AsyncTensor& async, std::source_location at = std::source_location::current())
      : async_(&async), where_(at) {}

 private:
  friend std::ostream& operator<<(std::ostream& out, const Printed& printed);

  const Tensor* tensor_ = nullptr;
  const AsyncTensor* async_ = nullptr;
  std::source_location where_;
};

// Prints shape and elements, long dimensions shortened; computes the tensor.
std::ostream& operator<<(std::ostream& out, const Printed& printed);

// Computes the tensors in one go. Trees have an overload in tree.h.
void eval(std::span<const Tensor> tensors,
          std::source_location at = std::source_location::current());
inline void eval(const Tensor& tensor, std::source_location at = std::source_location::current()) {
  eval(std::span(&tensor, 1), at);
}

// The recorded program that computes the tensor, as IR text with the lines of the user's program.
std::string dump_ir(const Tensor& tensor,
                    std::source_location at = std::source_location::current());

template <class T>
T Tensor::item(std::source_location at) const {
  state(at);  // throws if there is no value
  if (elements() != 1) {
    throw TypeError(
        "item() of a tensor of shape " + shape().text() + ": it needs exactly one element",
        Location(at));
  }
  return to_vector<T>(at)[0];
}

template <class T>
std::vector<T> Tensor::to_vector(std::source_location at) const {
  const HostData<T> elements = host<T>(at);
  return std::vector<T>(elements.data(), elements.data() + elements.size());
}

template <class T>
HostData<T> Tensor::host(std::source_location at) const {
  detail::check_read_as(*this, dtype_of<T>, at);
  const Tensor read = *this;  // a callback of on_ready() may give this handle another value
  std::shared_ptr<const std::byte> bytes = detail::host_bytes(read, at);
  const T* const data = reinterpret_cast<const T*>(bytes.get());
  return {std::move(bytes), data, read.shape()};
}

}  // namespace tutti
