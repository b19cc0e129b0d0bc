#pragma once

#include <tutti/lazy/collectives.h>
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
        std::vector<Tensor> wrt;
        for_each_leaf(inner, [&](auto& leaf) {
          wrt.push_back(detail::fresh_name(leaf, at));
          leaf = wrt.back();
        });
        const auto result = f(std::as_const(inner), rest...);
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

}  // namespace tutti
