#include <tutti/lazy/optim.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>
#include <bit>

namespace tutti {

namespace {

Tensor converted(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

}  // namespace

Tensor AdamW::zero_steps(const std::vector<Tensor>& leaves) {
  const auto replicated_over = [](const Tensor& leaf) {
    return std::popcount(leaf.state()->type.replication.dimensions);
  };
  return sum(cast(*std::ranges::max_element(leaves, {}, replicated_over), DType::f32));
}

Tensor AdamW::update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                          const Tensor& step, const Operand& rate) const {
  first = beta1 * first + (1.F - beta1) * gradient;
  second = beta2 * second + (1.F - beta2) * (gradient * gradient);
  // The averages start at zero; divided by their weight they are unbiased.
  const Tensor first_weight = converted(1.F - pow(beta1, step), leaf.dtype());
  const Tensor second_weight = converted(1.F - pow(beta2, step), leaf.dtype());
  const Tensor direction = (first / first_weight) / (sqrt(second / second_weight) + epsilon);
  return leaf - rate * (direction + weight_decay * leaf);
}

}  // namespace tutti
