#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tutti::kernels {

// Working memory of one thread, kept between calls. What it held is lost when it grows.
class Scratch {
 public:
  // At least `count` elements, aligned to a cache line.
  template <class T>
  T* get(std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes > size_) {
      memory_.reset();  // not two at a time
      size_ = 0;
      memory_.reset(new (std::align_val_t{64}) std::byte[bytes]);
      size_ = bytes;
    }
    return reinterpret_cast<T*>(memory_.get());
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace tutti::kernels
