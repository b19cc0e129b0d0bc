#pragma once

#include <tutti/lazy/create.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/random.h>
#include <tutti/lazy/tree.h>

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
Linear linear(const Key& key, std::int64_t in, std::int64_t out);

// Layer normalisation over the last dimension; scale and shift [size].
struct Norm {
  Tensor scale;
  Tensor shift;
  TUTTI_FIELDS(scale, shift)

  Tensor operator()(const Operand& x) const { return layer_norm(x, scale, shift); }
};

Norm norm(std::int64_t size);

// The mean over all places of -log softmax(logits)[label]; logits [..., classes], labels [...] of
// integers.
Tensor cross_entropy(const Operand& logits, const Operand& labels);

}  // namespace tutti::nn
