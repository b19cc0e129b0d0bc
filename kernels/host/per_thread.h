#pragma once

#include <memory>
#include <utility>

namespace tutti::kernels {

// Has `free(object)` called when the calling thread ends; not at all once it does.
void free_at_thread_end(void* object, void (*free)(void* object));

// A T of each thread's, made at its first use and freed when the thread ends. Where one is used
// after that it is made anew and stays: the main thread's variables go before static ones, of which
// one may be a World that computes to its end. For `constinit thread_local` variables.
template <class T>
class PerThread {
 public:
  constexpr PerThread() = default;
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  T& get() { return own_ != nullptr ? *own_ : make(); }

 private:
  T& make() {
    auto made = std::make_unique<T>();
    free_at_thread_end(this, [](void* object) {
      delete std::exchange(static_cast<PerThread*>(object)->own_, nullptr);
    });
    own_ = made.release();
    return *own_;
  }

  T* own_ = nullptr;  // no destructor: it is there as long as the thread
};

}  // namespace tutti::kernels
