#pragma once

#include <tutti/ir/shape.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

namespace tutti {

// The elements of a tensor or an array in the host's memory, row-major, to be looked at without a
// copy:
//   const auto scores = model(x).host<float>();
//   std::ranges::max_element(scores);
// While it lives they stay as they are: no result takes over their memory. It converts to a span
// only where it has a name, since a span of a temporary one would outlive them.
template <class T>
class HostData {
 public:
  using value_type = T;
  // No pointer: of a range of pointers a span is made whether it has a name or not.
  using const_iterator = std::reverse_iterator<std::reverse_iterator<const T*>>;
  using iterator = const_iterator;

  // `owner` holds the memory.
  HostData(std::shared_ptr<const void> owner, const T* data, const Shape& shape)
      : owner_(std::move(owner)), data_(data), shape_(shape) {}

  const Shape& shape() const& { return shape_; }
  Shape shape() const&& { return shape_; }
  std::size_t size() const { return static_cast<std::size_t>(shape_.elements()); }
  bool empty() const { return size() == 0; }
  // Element n, row-major; not checked.
  T operator[](std::size_t n) const { return data_[n]; }

  const T* data() const& { return data_; }
  const T* data() const&& = delete;
  const_iterator begin() const& { return iterator_at(data_); }
  const_iterator begin() const&& = delete;
  const_iterator end() const& { return iterator_at(data_ + size()); }
  const_iterator end() const&& = delete;
  operator std::span<const T>() const& {  // NOLINT(google-explicit-constructor)
    return {data_, size()};
  }
  operator std::span<const T>() const&& = delete;  // NOLINT(google-explicit-constructor)

 private:
  static const_iterator iterator_at(const T* place) {
    return const_iterator(std::reverse_iterator(place));
  }

  std::shared_ptr<const void> owner_;
  const T* data_;
  Shape shape_;
};

}  // namespace tutti
