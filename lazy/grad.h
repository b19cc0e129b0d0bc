#pragma once

#include <tutti/lazy/collectives.h>
#include <tutti/lazy/linear_map.h>
#include <tutti/lazy/tree.h>

#include <source_location>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

// Gives a tree's leaves new names, so that gradients are taken of what goes through the argument
// alone, and returns them.
std::vector<Tensor> rename_leaves(TreeRef tree, Location where);

// d value / d wrt, recorded into the current trace. Throws TypeError unless `value` is a
// floating-point scalar and `wrt` is floating-point.
std::vector<Tensor> gradients(const Tensor& value, const std::vector<Tensor>& wrt, Location where);

// While it lives nothing is evaluated by itself: a gradient needs its whole function recorded.
class KeepRecording {
 public:
  KeepRecording();
  KeepRecording(const KeepRecording&) = delete;
  KeepRecording& operator=(const KeepRecording&) = delete;
  ~KeepRecording();
};

// An AsyncTensor waits.
template <class T>
using Waited = std::conditional_t<std::same_as<T, AsyncTensor>, Tensor, T>;

}  // namespace detail

// A function that returns f's value and its gradient with respect to f's first argument, a tree of
// floating-point tensors: value_and_grad(loss)(model, x, y) gives a pair (Tensor, tree like model).
// f returns a floating-point scalar. Of a scalar that differs between ranks it is the derivative of
// the sum over ranks, of a replicated one of that scalar. Nests.
template <class F>
auto value_and_grad(F f, std::source_location at = std::source_location::current()) {
  return
      [f = std::move(f), at]<class T>(const T& tree, const auto&... rest) -> std::pair<Tensor, T> {
        const detail::KeepRecording keep;
        T inner = tree;
        const std::vector<Tensor> wrt = detail::rename_leaves(detail::tree_ref(inner), at);
        const auto result = f(std::as_const(inner), rest...);
        Tensor value;
        if constexpr (std::same_as<std::remove_const_t<decltype(result)>, AsyncTensor>) {
          value = result.wait(at);
        } else {
          value = result;
        }
        T out = tree;
        detail::set_tensors(detail::tree_ref(out), detail::gradients(value, wrt, at));
        return {value, std::move(out)};
      };
}

// The gradient alone.
template <class F>
auto grad(F f, std::source_location at = std::source_location::current()) {
  return [inner = value_and_grad(std::move(f), at)](const auto& tree, const auto&... rest) {
    return inner(tree, rest...).second;
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
    detail::set_tensors(detail::tree_ref(out),
                        map_(detail::floating_tensors_of(detail::tree_ref(cotangent), at), at));
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
  return [f = std::move(f), at]<class T>(const T& tree, const auto&... rest) {
    const detail::KeepRecording keep;
    T inner = tree;
    const std::vector<Tensor> wrt = detail::rename_leaves(detail::tree_ref(inner), at);
    using Result = detail::Waited<std::decay_t<decltype(f(std::as_const(inner), rest...))>>;
    Result value = f(std::as_const(inner), rest...);
    const std::vector<Tensor> outputs = detail::floating_tensors_of(detail::tree_ref(value), at);
    auto map = detail::LinearMap::pullback(outputs, wrt, at);
    return std::pair<Result, Pullback<Result, T>>(std::move(value), {std::move(map), tree});
  };
}

// Forward mode: jvp(f)(x, tangent, rest...) gives a pair (value, its derivative along `tangent`),
// two trees like f's value; x and tangent are trees of floating-point tensors of the same shapes.
// Leaves of the value that are not floating-point stand in the derivative as they are. Computes no
// more than the value and the derivative.
template <class F>
auto jvp(F f, std::source_location at = std::source_location::current()) {
  return [f = std::move(f), at]<class T>(const T& tree, const T& tangent, const auto&... rest) {
    const detail::KeepRecording keep;
    T inner = tree;
    const std::vector<Tensor> wrt = detail::rename_leaves(detail::tree_ref(inner), at);
    using Result = detail::Waited<std::decay_t<decltype(f(std::as_const(inner), rest...))>>;
    Result value = f(std::as_const(inner), rest...);
    const std::vector<Tensor> outputs = detail::floating_tensors_of(detail::tree_ref(value), at);
    const auto map = detail::LinearMap::pushforward(outputs, wrt, at);
    Result derivative = value;
    detail::set_floating_tensors(
        detail::tree_ref(derivative),
        map(detail::floating_tensors_of(detail::tree_ref(tangent), at), at));
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
  std::uint32_t begin_;
};

}  // namespace detail

// The same function, of which gradients keep only what it is given: the values inside are computed
// again when a gradient needs them, collectives among them. Less memory for more time.
template <class F>
auto checkpoint(F f) {
  return [f = std::move(f)](const auto&... arguments) {
    const detail::CheckpointScope scope;
    return f(arguments...);
  };
}

}  // namespace tutti
