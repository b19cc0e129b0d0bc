#pragma once

#include <tutti/ir/support/recycled.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tutti {

// A list that grows at its end and whose elements stay where they are: in chunks of recycled
// memory.
template <class T>
class StableVector {
 public:
  StableVector() = default;
  // Once delegated, it is destroyed if a copy throws.
  StableVector(const StableVector& other) : StableVector() {
    for (std::size_t i = 0; i < other.size(); ++i) emplace_back(other[i]);
  }
  StableVector(StableVector&& other) noexcept
      : chunks_(std::move(other.chunks_)), size_(std::exchange(other.size_, 0)) {}
  StableVector& operator=(StableVector other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~StableVector() {
    for (std::size_t i = 0; i < size_; ++i) std::destroy_at(&(*this)[i]);
    for (T* const chunk : chunks_) Chunks::give(chunk);
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / kChunk][i % kChunk]; }

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == chunks_.size() * kChunk) {
      chunks_.push_back(nullptr);  // first, since it may throw
      try {
        chunks_.back() = static_cast<T*>(Chunks::take());
      } catch (...) {
        chunks_.pop_back();
        throw;
      }
    }
    T* const element = std::construct_at(&(*this)[size_], std::forward<Arguments>(arguments)...);
    ++size_;
    return *element;
  }

 private:
  static constexpr std::size_t kChunk = 64;
  using Chunks = RecycledBlocks<kChunk * sizeof(T)>;

  std::vector<T*> chunks_;
  std::size_t size_ = 0;
};

}  // namespace tutti
