#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tutti::kernels {

// Working memory of one thread, kept between calls unless it is large: every function that has one
// would keep the most it ever needed on every thread.
class Scratch {
 public:
  // More is given back to the system at once: what takes so much takes longer than getting it.
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes

  // Memory for one call, which ends before the next one of this Scratch begins.
  template <class T>
  class Use {
   public:
    Use(Scratch& scratch, T* memory) : scratch_(scratch), memory_(memory) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { scratch_.trim(); }

    T* get() const { return memory_; }

   private:
    Scratch& scratch_;
    T* const memory_;
  };

  // At least `count` elements, aligned to a cache line, with anything in them.
  template <class T>
  [[nodiscard]] Use<T> use(std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes > size_) {
      memory_.reset();  // not two at a time
      size_ = 0;
      memory_.reset(new (std::align_val_t{64}) std::byte[bytes]);
      size_ = bytes;
    }
    return {*this, reinterpret_cast<T*>(memory_.get())};
  }

  // What it has now.
  std::size_t bytes() const { return size_; }

 private:
  void trim() {
    if (size_ <= kMostKept) return;
    memory_.reset();
    size_ = 0;
  }

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace tutti::kernels
