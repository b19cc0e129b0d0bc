#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::detail {

struct TensorState;

void retain(TensorState& state) noexcept;
void release(TensorState& state) noexcept;  // the last one deletes it

// Shared ownership of a TensorState, which counts its own holders: a handle is one word, making a
// state is one allocation, and whoever meets a state may hold it. As with shared_ptr, the count is
// thread-safe, the pointer itself is not.
class StatePtr {
 public:
  StatePtr() = default;
  StatePtr(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): like any pointer
  // A new state.
  static StatePtr make();
  explicit StatePtr(TensorState* state) : state_(state) {
    if (state_ != nullptr) retain(*state_);
  }
  StatePtr(const StatePtr& other) : state_(other.state_) {
    if (*this) retain(*state_);
  }
  StatePtr(StatePtr&& other) noexcept : state_(std::exchange(other.state_, moved())) {}
  StatePtr& operator=(StatePtr other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~StatePtr() {
    if (*this) release(*state_);
  }

  // How many hold the state; 0 of a null pointer.
  long use_count() const noexcept;
  TensorState* get() const { return *this ? state_ : nullptr; }
  TensorState& operator*() const { return *state_; }
  TensorState* operator->() const { return state_; }
  explicit operator bool() const { return reinterpret_cast<std::uintptr_t>(state_) > kMoved; }
  // Null, since it was moved from.
  bool was_moved() const { return reinterpret_cast<std::uintptr_t>(state_) == kMoved; }
  friend bool operator==(const StatePtr& a, const StatePtr& b) { return a.get() == b.get(); }
  friend bool operator==(const StatePtr& state, std::nullptr_t) { return !state; }

 private:
  static constexpr std::uintptr_t kMoved = 1;  // no address of a state
  static TensorState* moved() {
    return reinterpret_cast<TensorState*>(kMoved);  // NOLINT(performance-no-int-to-ptr)
  }

  TensorState* state_ = nullptr;
};

}  // namespace tutti::detail
