#pragma once

#include <cstddef>
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
  StatePtr(const StatePtr& other) : StatePtr(other.state_) {}
  StatePtr(StatePtr&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  StatePtr& operator=(StatePtr other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~StatePtr() {
    if (state_ != nullptr) release(*state_);
  }

  // How many hold the state; 0 of a null pointer.
  long use_count() const noexcept;
  TensorState* get() const { return state_; }
  TensorState& operator*() const { return *state_; }
  TensorState* operator->() const { return state_; }
  explicit operator bool() const { return state_ != nullptr; }
  friend bool operator==(const StatePtr&, const StatePtr&) = default;
  friend bool operator==(const StatePtr& state, std::nullptr_t) { return state.state_ == nullptr; }

 private:
  TensorState* state_ = nullptr;
};

}  // namespace tutti::detail
