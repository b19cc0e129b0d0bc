#pragma once

#include <tutti/lazy/apart_from_gradients.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/empty_function.h>
#include <tutti/lazy/linear_map.h>
#include <tutti/lazy/recorder.h>
#include <tutti/lazy/tree.h>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

// Gives a tree's leaves new names, so that gradients are taken of what goes through the argument
// alone, and returns them.
std::vector<Tensor> rename_leaves(TreeRef tree, Location where);
// The same of what a derivative is with respect to. Throws TypeError with the name of a leaf that
// is not floating-point, and where there are numbers and no tensor.
std::vector<Tensor> rename_floating_leaves(TreeRef tree, Location where);
// Makes the floating-point numbers of a tree of derivatives NaN: none was taken of them.
void forget_numbers(TreeRef tree);
// Makes a tree one of gradients, of which those from `next` on are its own.
void set_gradients(TreeRef tree, const std::vector<Tensor>& gradients, std::size_t& next);

// While it lives nothing is evaluated by itself: a derivative needs its whole function recorded. It
// is one operation of the thread's.
class KeepRecording {
 public:
  KeepRecording();
  KeepRecording(const KeepRecording&) = delete;
  KeepRecording& operator=(const KeepRecording&) = delete;
  ~KeepRecording();

 private:
  const Recorder::Claim claim_;
  const bool lazily_;  // in no function that is recorded itself
};

// The same for a function whose gradient is taken as soon as it is recorded.
class GradientScope {
 public:
  GradientScope();
  GradientScope(const GradientScope&) = delete;
  GradientScope& operator=(const GradientScope&) = delete;
  ~GradientScope();

  // d value / d wrt, recorded into the current trace, and the end of the function. Throws TypeError
  // unless `value` is a floating-point scalar and `wrt` is floating-point.
  std::vector<Tensor> gradients(const Tensor& value, const std::vector<Tensor>& wrt,
                                Location where);

 private:
  void end();

  const KeepRecording keep_;
  std::vector<std::uint32_t> messages_;  // nodes
  bool ended_ = false;
};

// An AsyncTensor waits.
template <class T>
using Waited = std::conditional_t<std::same_as<T, AsyncTensor>, Tensor, T>;

// What a function to differentiate gives: a scalar, or a pair of one and anything.
template <class T>
inline constexpr bool is_with_extra = false;
template <class Value, class Extra>
inline constexpr bool is_with_extra<std::pair<Value, Extra>> = true;

template <std::size_t I, std::size_t... Index>
inline constexpr bool is_one_of = ((I == Index) || ...);

template <std::size_t I, std::size_t... Index>
inline constexpr bool is_once = (static_cast<int>(I == Index) + ... + 0) == 1;

template <class T>
Tensor as_tensor(const T& result, [[maybe_unused]] std::source_location at) {
  if constexpr (std::same_as<T, AsyncTensor>) {
    return result.wait(at);
  } else {
    return result;
  }
}

// f's value, what it gives beside it, and the gradients of the arguments `Index`.
template <std::size_t... Index, class F, class... Arguments>
auto take_gradients(const F& f, std::source_location at, const Arguments&... arguments) {
  static_assert(((Index < sizeof...(Arguments)) && ...), "there is no argument of that number");
  static_assert((is_once<Index, Index...> && ...), "an argument is named twice");
  GradientScope scope;
  auto inner = [&]<std::size_t... I>(std::index_sequence<I...>) {
    using Inner =
        std::tuple<std::conditional_t<is_one_of<I, Index...>, Arguments, const Arguments&>...>;
    return Inner(arguments...);
  }(std::index_sequence_for<Arguments...>());
  std::vector<Tensor> wrt;
  const auto rename = [&](auto& tree) {
    const std::vector<Tensor> leaves = rename_floating_leaves(tree_ref(tree), at);
    wrt.insert(wrt.end(), leaves.begin(), leaves.end());
  };
  (rename(std::get<Index>(inner)), ...);
  auto result = std::apply([&](const auto&... each) { return f(each...); }, inner);
  const auto gradients_of = [&](const Tensor& value) {
    const std::vector<Tensor> found = scope.gradients(value, wrt, at);
    std::size_t next = 0;
    (set_gradients(tree_ref(std::get<Index>(inner)), found, next), ...);
    if constexpr (sizeof...(Index) == 1) {
      return (std::move(std::get<Index>(inner)), ...);
    } else {
      return std::tuple(std::move(std::get<Index>(inner))...);
    }
  };
  if constexpr (is_with_extra<decltype(result)>) {
    const Tensor value = as_tensor(result.first, at);
    auto out = gradients_of(value);
    return std::tuple(value, std::move(result.second), std::move(out));
  } else {
    const Tensor value = as_tensor(result, at);
    auto out = gradients_of(value);
    return std::pair(value, std::move(out));
  }
}

}  // namespace detail

// A function that returns f's value and its gradient with respect to f's first argument, a tree of
// floating-point tensors: value_and_grad(loss)(model, x, y) gives a pair (Tensor, tree like model).
// C++ numbers in it are no variables: floats are NaN in the gradient, integers what they were; of
// numbers alone it is an error.
// f returns a floating-point scalar. Of a scalar that differs between ranks it is the derivative of
// the sum over ranks, of a replicated one of that scalar. Nests.
//
// With other arguments named by number, from 0 on, their gradients; of several a tuple of trees:
//   auto [loss, gradients] = value_and_grad<0, 2>(f)(encoder, x, decoder);
// If f returns a pair of the scalar and anything else, that is given too, between the two:
//   auto [loss, logits, gradients] = value_and_grad(f)(model, x, y);
template <std::size_t... Index, class F>
auto value_and_grad(F f, std::source_location at = std::source_location::current()) {
  detail::check_function(f, "grad", at);
  return [f = std::move(f), at]<class... Arguments>(const Arguments&... arguments) {
    constexpr bool kTakes = std::is_invocable_v<const F&, const Arguments&...>;
    static_assert(kTakes, "the function to differentiate takes other arguments, or another number");
    if constexpr (!kTakes) {
      return std::pair<Tensor, std::tuple_element_t<0, std::tuple<Arguments..., Tensor>>>();
    } else if constexpr (sizeof...(Index) == 0) {
      return detail::take_gradients<0>(f, at, arguments...);
    } else {
      return detail::take_gradients<Index...>(f, at, arguments...);
    }
  };
}

// The gradient alone; with what f gives beside its value, a pair of the gradient and that.
template <std::size_t... Index, class F>
auto grad(F f, std::source_location at = std::source_location::current()) {
  return [inner = value_and_grad<Index...>(std::move(f), at)](const auto&... arguments) {
    auto all = inner(arguments...);
    if constexpr (std::tuple_size_v<decltype(all)> == 2) {
      return std::get<1>(std::move(all));
    } else {
      return std::pair(std::get<2>(std::move(all)), std::get<1>(std::move(all)));
    }
  };
}

// What vjp gives beside the value: from a tree like the value (its cotangents; leaves that are not
// floating-point are not looked at) to the cotangents of the argument. It may be called whenever it
// is needed, after evaluations too, and more than once; it keeps the tensors in between that it
// needs. Throws TypeError for cotangents of other shapes or dtypes than the value's, and for one
// that differs between ranks where the value does not.
template <class Result, class T>
class Pullback {
 public:
  Pullback(detail::LinearMap map, T argument)
      : map_(std::move(map)), argument_(std::move(argument)) {
    detail::clear_tensors(detail::tree_ref(argument_));  // its form is all that is needed
  }

  T operator()(const Result& cotangent,
               std::source_location at = std::source_location::current()) const {
    T out = argument_;
    std::size_t next = 0;
    detail::set_gradients(detail::tree_ref(out),
                          map_(detail::floating_tensors_of(detail::tree_ref(cotangent), at), at),
                          next);
    return out;
  }

 private:
  detail::LinearMap map_;
  T argument_;
};

// Reverse mode for functions whose value is any tree: vjp(f)(x, rest...) gives a pair (value,
// Pullback) for f's first argument, a tree of floating-point tensors.
//   auto [y, pullback] = vjp(f)(x);
//   Tensor dx = pullback(dy);
template <class F>
auto vjp(F f, std::source_location at = std::source_location::current()) {
  detail::check_function(f, "vjp", at);
  return [f = std::move(f), at]<class T>(const T& tree, const auto&... rest) {
    const detail::KeepRecording keep;
    const detail::ApartFromGradients apart;
    T inner = tree;
    const std::vector<Tensor> wrt = detail::rename_floating_leaves(detail::tree_ref(inner), at);
    using Result = detail::Waited<std::decay_t<decltype(f(std::as_const(inner), rest...))>>;
    Result value = f(std::as_const(inner), rest...);
    const std::vector<Tensor> outputs = detail::floating_tensors_of(detail::tree_ref(value), at);
    auto map = detail::LinearMap::pullback(outputs, wrt, at);
    return std::pair<Result, Pullback<Result, T>>(std::move(value), {std::move(map), tree});
  };
}

// Forward mode: jvp(f)(x, tangent, rest...) gives a pair (value, its derivative along `tangent`),
// two trees like f's value; x and tangent are trees of floating-point tensors of the same shapes.
// Leaves of the value that are not floating-point stand in the derivative as they are, and C++
// floats are NaN there. Computes no more than the value and the derivative.
template <class F>
auto jvp(F f, std::source_location at = std::source_location::current()) {
  detail::check_function(f, "jvp", at);
  return [f = std::move(f), at]<class T>(const T& tree, const T& tangent, const auto&... rest) {
    const detail::KeepRecording keep;
    const detail::ApartFromGradients apart;
    T inner = tree;
    const std::vector<Tensor> wrt = detail::rename_floating_leaves(detail::tree_ref(inner), at);
    using Result = detail::Waited<std::decay_t<decltype(f(std::as_const(inner), rest...))>>;
    Result value = f(std::as_const(inner), rest...);
    const std::vector<Tensor> outputs = detail::floating_tensors_of(detail::tree_ref(value), at);
    const auto map = detail::LinearMap::pushforward(outputs, wrt, at);
    Result derivative = value;
    detail::set_floating_tensors(
        detail::tree_ref(derivative),
        map(detail::floating_tensors_of(detail::tree_ref(tangent), at), at));
    detail::forget_numbers(detail::tree_ref(derivative));
    return std::pair<Result, Result>(std::move(value), std::move(derivative));
  };
}

namespace detail {

// What is recorded while it lives is computed again by gradients.
class CheckpointScope {
 public:
  CheckpointScope();
  CheckpointScope(const CheckpointScope&) = delete;
  CheckpointScope& operator=(const CheckpointScope&) = delete;
  ~CheckpointScope();

 private:
  const ApartFromGradients apart_;
  std::uint32_t begin_;
};

}  // namespace detail

// The same function, of which gradients keep only what it is given: the values inside are computed
// again when a gradient needs them, collectives among them. Less memory for more time.
template <class F>
auto checkpoint(F f, std::source_location at = std::source_location::current()) {
  detail::check_function(f, "checkpoint", at);
  return [f = std::move(f)](const auto&... arguments) {
    const detail::CheckpointScope scope;
    return f(arguments...);
  };
}

}  // namespace tutti
