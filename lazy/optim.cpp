#include <tutti/lazy/optim.h>

namespace tutti {

Tensor AdamW::update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                          const Tensor& step, const Tensor& rate) const {
  first = beta1 * first + (1.F - beta1) * gradient;
  second = beta2 * second + (1.F - beta2) * (gradient * gradient);
  // The averages start at zero; divided by their weight they are unbiased.
  const Tensor first_weight = cast(1.F - pow(beta1, step), leaf.dtype());
  const Tensor second_weight = cast(1.F - pow(beta2, step), leaf.dtype());
  const Tensor direction = (first / first_weight) / (sqrt(second / second_weight) + epsilon);
  return leaf - cast(rate, leaf.dtype()) * (direction + weight_decay * leaf);
}

}  // namespace tutti
