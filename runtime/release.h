#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tutti::runtime {

// What is to be done with memory when its last holder goes: a callable that takes the address, or
// nothing. Small callables lie in the object itself.
class Release {
 public:
  Release() = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Release> && std::invocable<F&, void*>)
  Release(F callable) {
    if constexpr (requires { callable == nullptr; }) {
      if (callable == nullptr) return;  // a std::function may be
    }
    if constexpr (kFits<F>) {
      std::construct_at(reinterpret_cast<F*>(space_), std::move(callable));
      kind_ = &kSmall<F>;
    } else {
      std::construct_at(reinterpret_cast<F**>(space_), new F(std::move(callable)));
      kind_ = &kLarge<F>;
    }
  }
  Release(Release&& other) noexcept : kind_(std::exchange(other.kind_, nullptr)) {
    if (kind_ != nullptr) kind_->move(other.space_, space_);
  }
  Release& operator=(Release&& other) noexcept {
    if (this == &other) return *this;
    if (kind_ != nullptr) kind_->destroy(space_);
    kind_ = std::exchange(other.kind_, nullptr);
    if (kind_ != nullptr) kind_->move(other.space_, space_);
    return *this;
  }
  ~Release() {
    if (kind_ != nullptr) kind_->destroy(space_);
  }

  explicit operator bool() const { return kind_ != nullptr; }
  void operator()(void* data) { kind_->call(space_, data); }

 private:
  static constexpr std::size_t kSpace = 4 * sizeof(void*);

  struct Kind {
    void (*call)(std::byte* space, void* data);
    void (*move)(std::byte* from, std::byte* to);  // and destroys what was moved from
    void (*destroy)(std::byte* space);
  };

  template <class F>
  static constexpr bool kFits = sizeof(F) <= kSpace && alignof(F) <= alignof(std::max_align_t) &&
                                std::is_nothrow_move_constructible_v<F>;
  template <class F>
  static F& at(std::byte* space) {
    return *std::launder(reinterpret_cast<F*>(space));
  }
  template <class F>
  static constexpr Kind kSmall = {[](std::byte* space, void* data) { at<F>(space)(data); },
                                  [](std::byte* from, std::byte* to) {
                                    std::construct_at(reinterpret_cast<F*>(to),
                                                      std::move(at<F>(from)));
                                    std::destroy_at(&at<F>(from));
                                  },
                                  [](std::byte* space) { std::destroy_at(&at<F>(space)); }};
  template <class F>
  static constexpr Kind kLarge = {[](std::byte* space, void* data) { (*at<F*>(space))(data); },
                                  [](std::byte* from, std::byte* to) {
                                    std::construct_at(reinterpret_cast<F**>(to), at<F*>(from));
                                  },
                                  [](std::byte* space) { delete at<F*>(space); }};

  const Kind* kind_ = nullptr;
  alignas(std::max_align_t) std::byte space_[kSpace];
};

}  // namespace tutti::runtime
