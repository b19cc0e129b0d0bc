#include <tutti/lazy/nn.h>

#include <cmath>

namespace tutti::nn {

Linear linear(const Key& key, std::int64_t in, std::int64_t out) {
  const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
  return {.weight = (uniform({in, out}, key) * 2.F - 1.F) * bound, .bias = zeros({out})};
}

Norm norm(std::int64_t size) { return {.scale = ones({size}), .shift = zeros({size})}; }

Tensor cross_entropy(const Operand& logits, const Operand& labels) {
  return mean(tutti::cross_entropy(logits, labels));
}

}  // namespace tutti::nn
