#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::runtime {

// A queue in one piece of memory, which grows to what is needed and stays. T() stands in for
// elements that left.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[first_]; }
  const T& front() const { return slots_[first_]; }
  T& operator[](std::size_t i) { return slots_[(first_ + i) & (slots_.size() - 1)]; }

  // So many more elements will need no memory.
  void reserve_more(std::size_t count) {
    while (size_ + count > slots_.size()) grow();
  }
  // The new last element, to be assigned.
  T& push_back() {
    if (size_ == slots_.size()) grow();
    return (*this)[size_++];
  }
  void pop_front() {
    [[maybe_unused]] const T gone = std::exchange(slots_[first_], T());
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;  // before what goes with it may look at this queue
  }
  void erase(std::size_t i) {
    for (; i > 0; --i) std::swap((*this)[i], (*this)[i - 1]);
    pop_front();
  }
  void clear() {
    while (!empty()) pop_front();
  }

 private:
  void grow() {
    std::vector<T> larger(std::max<std::size_t>(8, 2 * slots_.size()));  // a power of two
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tutti::runtime
