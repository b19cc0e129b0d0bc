#pragma once

#include <tutti/lazy/create.h>
#include <tutti/lazy/group.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/random.h>
#include <tutti/lazy/tree.h>

#include <cstdint>
#include <optional>
#include <source_location>
#include <utility>

// The layers most models start from: plain trees of tensors and plain functions.
namespace tutti::nn {

// x [..., in] -> [..., out]; weight [in, out], bias [out].
struct Linear {
  Tensor weight;
  Tensor bias;
  TUTTI_FIELDS(weight, bias)

  Tensor operator()(const Operand& x) const;
};

// Weights uniform in +-1/sqrt(in), zero bias.
Linear linear(const Key& key, std::int64_t in, std::int64_t out,
              std::source_location at = std::source_location::current());

// Layer normalisation over the last dimension; scale and shift [size].
struct Norm {
  Tensor scale;
  Tensor shift;
  TUTTI_FIELDS(scale, shift)

  Tensor operator()(const Operand& x) const;
};

Norm norm(std::int64_t size, std::source_location at = std::source_location::current());

// Group normalisation: x [n, channels, ...] less its mean, over its deviation, both over a group of
// channels and all places; scale and shift [channels]. Wu and He 2018, arXiv 1803.08494.
struct GroupNorm {
  Tensor scale;
  Tensor shift;
  std::int64_t groups = 1;
  TUTTI_FIELDS(scale, shift, groups)

  Tensor operator()(const Operand& x, double epsilon = 1e-5) const;
};

GroupNorm group_norm(std::int64_t groups, std::int64_t channels,
                     std::source_location at = std::source_location::current());

// What batch normalisation has seen of its inputs: no parameters, so apart from them.
struct BatchStatistics {
  Tensor mean;      // [channels]
  Tensor variance;  // [channels]
  TUTTI_FIELDS(mean, variance)
};

struct BatchNormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;            // of the new batch in the statistics, as PyTorch has it
  std::optional<Group> group = {};  // the statistics are of all its ranks' batches
};

// Batch normalisation: x [n, channels, ...], scale and shift [channels]. Ioffe and Szegedy 2015,
// arXiv 1502.03167.
struct BatchNorm {
  Tensor scale;
  Tensor shift;
  TUTTI_FIELDS(scale, shift)

  // With the statistics that training has left.
  Tensor operator()(const Operand& x, const BatchStatistics& statistics,
                    double epsilon = 1e-5) const;
  // With those of the batch, which go into the ones given:
  //   auto [y, next] = norm.train(x, statistics);
  // Throws TypeError for fewer than two elements a channel, which have no variance; among the ranks
  // of a group it is not looked at, nor in each call where sizes vary.
  std::pair<Tensor, BatchStatistics> train(const Operand& x, const BatchStatistics& statistics,
                                           const BatchNormOptions& options = {}) const;
};

BatchNorm batch_norm(std::int64_t channels,
                     std::source_location at = std::source_location::current());
BatchStatistics batch_statistics(
    std::int64_t channels,
    std::source_location at = std::source_location::current());  // mean 0, variance 1

// A row of weight [count, size] for each index [...], which are integers; out of range: clamped.
struct Embedding {
  Tensor weight;
  TUTTI_FIELDS(weight)

  Tensor operator()(const Operand& indices) const;
};

// Weights normal, of variance 1.
Embedding embedding(const Key& key, std::int64_t count, std::int64_t size,
                    std::source_location at = std::source_location::current());

// Rotary positions (Su et al. 2021, arXiv 2104.09864) as Llama has them: x [..., t, d], in which
// elements i and i + d / 2 are turned by position * base^(-2i / d); positions [t], integers or
// floating point. In f32, rounded once. d is even.
Tensor rotary(const Operand& x, const Operand& positions, double base = 10000);

struct CrossEntropyOptions {
  // Places of this label do not count; it may be a number that the labels' dtype does not have.
  std::optional<std::int64_t> ignore = {};
  double label_smoothing = 0;  // this share of the label goes to all classes alike
};
// The mean over all places of -log softmax(logits)[label]; logits [..., classes], labels [...] of
// integers. NaN if no place counts.
Tensor cross_entropy(const Operand& logits, const Operand& labels,
                     const CrossEntropyOptions& options = {});

}  // namespace tutti::nn
