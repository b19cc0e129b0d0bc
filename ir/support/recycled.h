#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace tutti {

// Memory for objects that are made and dropped all the time: a thread keeps the blocks of dropped
// ones, up to a bound, for the next ones of that size. An object may be dropped on another thread
// than it was made on, and after its thread has ended.
template <std::size_t bytes>
class RecycledBlocks {
 public:
  static void* take() {
    Free& free = list;
    if (free.first == nullptr) return ::operator new(bytes);
    --free.count;
    return std::exchange(free.first, free.first->next);
  }

  static void give(void* block) {
    Free& free = list;
    if (free.count == kMost || free.closed) {
      ::operator delete(block);
      return;
    }
    if (free.first == nullptr) closer.touch();
    ++free.count;
    free.first = new (block) Block{free.first};
  }

 private:
#ifdef __SANITIZE_ADDRESS__
  static constexpr std::size_t kMost = 0;  // a use after the end has to be seen
#else
  static constexpr std::size_t kMost = (std::size_t{1} << 20) / bytes;  // a megabyte
#endif

  struct Block {
    Block* next;
  };
  struct Free {
    Block* first = nullptr;
    std::size_t count = 0;
    bool closed = false;  // the thread has ended, and static variables go
  };
  // Returns the blocks when the thread ends.
  struct Closer {
    Closer() = default;
    Closer(const Closer&) = delete;
    Closer& operator=(const Closer&) = delete;
    ~Closer() {
      list.closed = true;
      while (list.first != nullptr) {
        ::operator delete(std::exchange(list.first, list.first->next));
      }
    }
    void touch() const {}  // the first use makes it
  };

  static_assert(bytes >= sizeof(Block));
  inline static constinit thread_local Free list = {};
  inline static thread_local Closer closer;
};

// For std::allocate_shared.
template <class T>
struct RecyclingAllocator {
  using value_type = T;

  RecyclingAllocator() = default;
  template <class U>
  RecyclingAllocator(const RecyclingAllocator<U>&) {}

  T* allocate(std::size_t) { return static_cast<T*>(RecycledBlocks<sizeof(T)>::take()); }
  void deallocate(T* memory, std::size_t) { RecycledBlocks<sizeof(T)>::give(memory); }
  friend bool operator==(const RecyclingAllocator&, const RecyclingAllocator&) { return true; }
};

}  // namespace tutti
