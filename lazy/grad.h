#pragma once

#include <tutti/lazy/collectives.h>
#include <tutti/lazy/linear_map.h>
#include <tutti/lazy/tree.h>

#include <source_location>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

// Renames the leaves, so that gradients are taken of what goes through the argument alone.
Tensor fresh_name(const Tensor& tensor, Location where);

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

// The tensors of a tree that floating-point derivatives are made of; AsyncTensors wait.
template <class T>
std::vector<Tensor> floating_leaves(const T& tree, Location where) {
  std::vector<Tensor> out;
  for_each_leaf(tree, [&](const auto& leaf) {
    leaf.state(where);  // throws if there is no value
    if (is_floating(leaf.dtype())) out.push_back(leaf);
  });
  return out;
}

// The tree with other tensors in the places of its floating-point leaves.
template <class T>
T with_floating_leaves(T tree, const std::vector<Tensor>& leaves) {
  std::size_t next = 0;
  for_each_leaf(tree, [&](auto& leaf) {
    if (is_floating(leaf.dtype())) leaf = leaves[next++];
  });
  return tree;
}

// An AsyncTensor waits.
template <class T>
using Waited = std::conditional_t<std::same_as<T, AsyncTensor>, Tensor, T>;

// A tree whose leaves have fresh names, which go to `wrt`.
template <class T>
T rename_leaves(T tree, std::vector<Tensor>& wrt, Location where) {
  for_each_leaf(tree, [&](auto& leaf) {
    wrt.push_back(fresh_name(leaf, where));
    leaf = wrt.back();
  });
  return tree;
}

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
        std::vector<Tensor> wrt;
        const T inner = detail::rename_leaves(tree, wrt, at);
        const auto result = f(inner, rest...);
        Tensor value;
        if constexpr (std::same_as<std::remove_const_t<decltype(result)>, AsyncTensor>) {
          value = result.wait(at);
        } else {
          value = result;
        }
        const std::vector<Tensor> gradients = detail::gradients(value, wrt, at);
        T out = tree;
        std::size_t next = 0;
        for_each_leaf(out, [&](auto& leaf) { leaf = gradients[next++]; });
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
    for_each_leaf(argument_, [](auto& leaf) { leaf = {}; });  // its form is all that is needed
  }

  T operator()(const Result& cotangent,
               std::source_location at = std::source_location::current()) const {
    const std::vector<Tensor> cotangents = map_(detail::floating_leaves(cotangent, at), at);
    T out = argument_;
    std::size_t next = 0;
    for_each_leaf(out, [&](auto& leaf) { leaf = cotangents[next++]; });
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
    std::vector<Tensor> wrt;
    const T inner = detail::rename_leaves(tree, wrt, at);
    using Result = detail::Waited<std::decay_t<decltype(f(inner, rest...))>>;
    Result value = f(inner, rest...);
    auto map = detail::LinearMap::pullback(detail::floating_leaves(value, at), wrt, at);
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
    std::vector<Tensor> wrt;
    const T inner = detail::rename_leaves(tree, wrt, at);
    using Result = detail::Waited<std::decay_t<decltype(f(inner, rest...))>>;
    Result value = f(inner, rest...);
    const auto map = detail::LinearMap::pushforward(detail::floating_leaves(value, at), wrt, at);
    Result derivative =
        detail::with_floating_leaves(value, map(detail::floating_leaves(tangent, at), at));
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
