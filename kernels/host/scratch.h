#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tutti::kernels {

// Working memory of one thread, kept between calls: a program that runs again asks nobody for it.
// Every function that has one keeps the most it ever needed on every thread, so what is large is
// kept only while all threads keep little of it together. Else it goes back at once, and the next
// call gets it anew, page by page, which takes less than what it does with so much.
class Scratch {
 public:
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes; more is large
  // By a process, in what is large.
  static constexpr std::size_t kMostLarge = std::size_t{512} << 20;

  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { clear(); }

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
      clear();  // not two at a time
      memory_.reset(new (std::align_val_t{64}) std::byte[bytes]);
      size_ = bytes;
    }
    return {*this, reinterpret_cast<T*>(memory_.get())};
  }

  // What it has now.
  std::size_t bytes() const { return size_; }

 private:
  void trim() {
    if (size_ <= kMostKept || is_counted_) return;
    is_counted_ = large_.fetch_add(size_) + size_ <= kMostLarge;
    if (is_counted_) return;
    large_.fetch_sub(size_);
    clear();
  }
  void clear() {
    memory_.reset();
    if (is_counted_) large_.fetch_sub(size_);
    is_counted_ = false;
    size_ = 0;
  }

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t size_ = 0;
  bool is_counted_ = false;  // in large_

  static inline constinit std::atomic<std::size_t> large_{0};  // bytes that are kept
};

}  // namespace tutti::kernels
