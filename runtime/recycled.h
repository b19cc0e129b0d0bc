#pragma once

#include <tutti/runtime/spin_lock.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

// Objects that are used again and again, each time held by shared_ptrs, without a call of malloc.
namespace tutti::runtime {

// The base of such an object T. It has room for the shared_ptr's control block; when the last
// shared_ptr is gone T::let_go() drops what the object holds, and when nothing looks at the control
// block any more the object goes home.
template <class T>
class Recycled {
 public:
  class Home {
   public:
    // From any thread.
    virtual void take_back(T& object) noexcept = 0;

   protected:
    ~Home() = default;
  };

  Recycled(const Recycled&) = delete;
  Recycled& operator=(const Recycled&) = delete;

  // The first of the shared_ptrs that will hold the object; to be called while none does.
  std::shared_ptr<T> share() {
    T* const object = static_cast<T*>(this);
    return std::shared_ptr<T>(object, LetGo{}, Space<T>{this});
  }

  T* next = nullptr;  // for the home, in a list of objects that nobody holds

 protected:
  ~Recycled() = default;

 private:
  friend T;
  // Without a home it is deleted instead.
  explicit Recycled(Home* home) : home_(home) {}

  static constexpr std::size_t kControlBytes = 64;

  struct LetGo {
    void operator()(T* object) const noexcept { object->let_go(); }
  };

  // Allocates the control block in the object itself.
  template <class U>
  struct Space {
    using value_type = U;

    explicit Space(Recycled* of) : object(of) {}
    template <class V>
    Space(const Space<V>& other) : object(other.object) {}

    U* allocate(std::size_t /*one*/) {
      static_assert(sizeof(U) <= kControlBytes && alignof(U) <= alignof(std::max_align_t));
      return reinterpret_cast<U*>(object->control_);
    }
    void deallocate(U* /*in the object*/, std::size_t /*one*/) noexcept {
      T* const back = static_cast<T*>(object);
      if (object->home_ != nullptr) {
        object->home_->take_back(*back);
      } else {
        delete back;
      }
    }
    template <class V>
    friend bool operator==(const Space& a, const Space<V>& b) {
      return a.object == b.object;
    }

    Recycled* object;
  };

  Home* const home_;
  alignas(std::max_align_t) std::byte control_[kControlBytes];
};

// Makes objects T(Home*) and hands them out again when they come back. Thread-safe. The objects may
// outlive the owner's handle.
template <class T>
class RecycledPool final : private Recycled<T>::Home {
 public:
  struct Close {
    void operator()(RecycledPool* pool) const { pool->close(); }
  };
  using Handle = std::unique_ptr<RecycledPool, Close>;
  static Handle make() { return Handle(new RecycledPool); }

  // As it was let go, or new.
  std::shared_ptr<T> take() {
    T* object = take_free();
    if (object == nullptr) {
      auto made = std::unique_ptr<T>(new T(this));
      const std::scoped_lock lock(lock_);
      ++held_;
      object = made.release();
    }
    return object->share();
  }

 private:
  RecycledPool() = default;
  ~RecycledPool() {
    while (free_ != nullptr) delete std::exchange(free_, free_->next);
  }

  T* take_free() {
    const std::scoped_lock lock(lock_);
    if (free_ == nullptr) return nullptr;
    ++held_;
    return std::exchange(free_, free_->next);
  }
  void take_back(T& object) noexcept override {
    std::unique_lock lock(lock_);
    object.next = std::exchange(free_, &object);
    if (--held_ > 0 || !closed_) return;
    lock.unlock();
    delete this;
  }
  void close() {
    std::unique_lock lock(lock_);
    closed_ = true;
    if (held_ > 0) return;
    lock.unlock();
    delete this;
  }

  SpinLock lock_;
  T* free_ = nullptr;
  std::size_t held_ = 0;
  bool closed_ = false;
};

}  // namespace tutti::runtime
