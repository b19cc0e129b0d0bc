#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace tutti::runtime {

template <class Signature>
class FunctionRef;

// Refers to a callable that somebody else keeps alive: a function parameter that costs no
// allocation.
template <class R, class... Arguments>
class FunctionRef<R(Arguments...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<R, F&, Arguments...> &&
             !std::is_function_v<std::remove_reference_t<F>>)
  FunctionRef(F&& callable)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  R operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  R (*call_)(void*, Arguments...);
};

}  // namespace tutti::runtime
