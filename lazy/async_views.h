#pragma once

#include <tutti/lazy/tensor.h>

#include <functional>
#include <memory>

namespace tutti::detail {

// Views of results that are still under way: what a compiled function may leave to its caller.
class AsyncViews {
 public:
  // A view, as then() makes it.
  static AsyncTensor view(const AsyncTensor& x, std::function<Tensor(const Tensor&)> f,
                          Location at);
  // The views that x is of its collective's result, if it is nothing else, and nobody waited for
  // it; otherwise null.
  static std::shared_ptr<Deferred> of(const AsyncTensor& x);
  // The same views of another result.
  static AsyncTensor again(StatePtr collective, const std::shared_ptr<Deferred>& views);
};

}  // namespace tutti::detail
