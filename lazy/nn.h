#pragma once

#include <tutti/lazy/create.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/random.h>
#include <tutti/lazy/tree.h>

#include <cmath>
#include <cstdint>

// The layers most models start from: plain trees of tensors and plain functions.
namespace tutti::nn {

// x [..., in] -> [..., out]; weight [in, out], bias [out].
struct Linear {
  Tensor weight;
  Tensor bias;
  TUTTI_FIELDS(weight, bias)

  Tensor operator()(const Operand& x) const { return matmul(x, weight) + bias; }
};

// Weights uniform in +-1/sqrt(in), zero bias.
inline Linear linear(const Key& key, std::int64_t in, std::int64_t out) {
  const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
  return {.weight = (uniform({in, out}, key) * 2.F - 1.F) * bound, .bias = zeros({out})};
}

// Layer normalisation over the last dimension; scale and shift [size].
struct Norm {
  Tensor scale;
  Tensor shift;
  TUTTI_FIELDS(scale, shift)

  Tensor operator()(const Operand& x) const { return layer_norm(x, scale, shift); }
};

inline Norm norm(std::int64_t size) { return {.scale = ones({size}), .shift = zeros({size})}; }

// The mean over all places of -log softmax(logits)[label]; logits [..., classes], labels [...] of
// integers.
inline Tensor cross_entropy(const Operand& logits, const Operand& labels) {
  return mean(tutti::cross_entropy(logits, labels));
}

}  // namespace tutti::nn
