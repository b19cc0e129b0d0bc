// Programs whose loops communicate, trained: on any number of ranks they have the losses of the
// program of one.

#include <cmath>
#include <utility>
#include <vector>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::parallel_training_test {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

constexpr int kSteps = 10;

// The losses of some steps of gradient descent. Model: a tree of tensors.
template <class Model, class Loss>
std::vector<double> train(Model model, double rate, const Loss& loss) {
  auto step = compile([&](const Model& now) {
    auto [value, gradient] = value_and_grad(loss)(now);
    return std::pair(
        value, map([&](const Tensor& w, const Tensor& g) { return w - rate * g; }, now, gradient));
  });
  std::vector<double> out;
  for (int i = 0; i < kSteps; ++i) {
    auto [value, next] = step(model);
    out.push_back(value.template item<double>());
    model = std::move(next);
  }
  return out;
}

void expect_falling(const std::vector<double>& losses) {
  for (std::size_t i = 1; i < losses.size(); ++i) EXPECT_LT(losses[i], losses[i - 1]);
}

// The same losses, with sums in another order.
void expect_curve(const std::vector<double>& actual, const std::vector<double>& expected) {
  EXPECT_THAT(actual, Pointwise(DoubleNear(1e-9), expected));
}

Tensor numbers(const Shape& shape, std::uint64_t seed, double scale = 1) {
  return normal(shape, Key(seed), DType::f64) * scale;
}

// This rank's part of the given axis.
Tensor part(const Tensor& all, int axis, const World& world) {
  return split_evenly(all, world.size(), axis)[static_cast<std::size_t>(world.rank())];
}

Tensor add_up(const Tensor& x, const World* world) {
  return world == nullptr ? x : Tensor(all_reduce(x, *world, Reduce::sum));
}

// ---- A transformer as a scan over its layers, heads and hidden units spread over the ranks

constexpr std::int64_t kLayers = 3;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kHeadSize = 2;
constexpr std::int64_t kWidth = kHeads * kHeadSize;
constexpr std::int64_t kTokens = 6;

// The weights of all layers; heads or hidden units are axis 2 of `query`, `key`, `value` and `up`,
// axis 1 of `out` and `down`.
struct Transformer {
  Tensor norm;
  Tensor query;
  Tensor key;
  Tensor value;
  Tensor out;
  Tensor up;
  Tensor down;
  TUTTI_FIELDS(norm, query, key, value, out, up, down)
};

Transformer transformer() {
  constexpr std::int64_t kHidden = 16;
  const Shape square{kLayers, kWidth, kWidth};
  return {ones({kLayers, kWidth}, DType::f64),
          numbers(square, 1, 0.4),
          numbers(square, 2, 0.4),
          numbers(square, 3, 0.4),
          numbers(square, 4, 0.4),
          numbers({kLayers, kWidth, kHidden}, 5, 0.3),
          numbers({kLayers, kHidden, kWidth}, 6, 0.3)};
}

Transformer part(const Transformer& whole, const World& world) {
  return {replicated(whole.norm, world), part(whole.query, 2, world), part(whole.key, 2, world),
          part(whole.value, 2, world),   part(whole.out, 1, world),   part(whole.up, 2, world),
          part(whole.down, 1, world)};
}

Tensor heads(const Tensor& x) {
  return transpose(reshape(x, {x.size(0), x.size(1) / kHeadSize, kHeadSize}), {1, 0, 2});
}

Tensor transformer_loss(const Transformer& model, const Tensor& x, const Tensor& target,
                        const World* world) {
  const auto layer = [&](const Tensor& h, const Transformer& w) {
    const Tensor normed = rms_norm(h, w.norm);
    const Tensor mixed =
        attention(heads(matmul(normed, w.query)), heads(matmul(normed, w.key)),
                  heads(matmul(normed, w.value)), AttentionOptions{.causal = true});
    const Tensor joined = reshape(transpose(mixed, {1, 0, 2}), {kTokens, w.out.size(0)});
    const Tensor between = h + add_up(matmul(joined, w.out), world);
    const Tensor hidden = gelu(matmul(rms_norm(between, w.norm), w.up));
    return between + add_up(matmul(hidden, w.down), world);
  };
  const auto [last, sums] = scan(
      [&](const Tensor& h, const Transformer& w) {
        const Tensor next = layer(h, w);
        return std::pair(next, mean(next));
      },
      x, model);
  const Tensor error = last - target;
  return mean(error * error) + 0.01 * sum(sums * sums);
}

TEST(ParallelTraining, AScannedTransformerOfSplitHeadsHasTheLossesOfAWholeOne) {
  const auto x = [] { return numbers({kTokens, kWidth}, 7); };
  const auto target = [] { return numbers({kTokens, kWidth}, 8); };
  const std::vector<double> expected = train(transformer(), 0.005, [&](const Transformer& model) {
    return transformer_loss(model, constant(x()), constant(target()), nullptr);
  });
  expect_falling(expected);
  for (const int ranks : {2, 4}) {
    simulate(ranks, [&](World& world) {
      const Tensor own_x = replicated(x(), world);
      const Tensor own_target = replicated(target(), world);
      const std::vector<double> losses =
          train(part(transformer(), world), 0.005, [&](const Transformer& model) {
            return transformer_loss(model, constant(own_x), constant(own_target), &world);
          });
      expect_curve(losses, expected);
    });
  }
}

// ---- A pipeline: each rank has one layer, and hands what it made of a microbatch to the next rank

struct Stage {
  Tensor weight;
  Tensor bias;
  TUTTI_FIELDS(weight, bias)
};

Tensor layer(const Tensor& all, std::int64_t i) {
  return squeeze(slice(all, {Range{i, i + 1}}), {0});
}

TEST(ParallelTraining, APipelineOfMicrobatchesHasTheLossesOfItsLayersInARow) {
  constexpr std::int64_t kMicrobatches = 5;
  constexpr std::int64_t kRows = 3;
  constexpr std::int64_t kColumns = 4;
  const auto stage = [](const Stage& s, const Tensor& h) {
    return tanh(matmul(h, s.weight) + s.bias);
  };
  const auto x = [] { return numbers({kMicrobatches, kRows, kColumns}, 1); };
  const auto target = [] { return tanh(numbers({kMicrobatches, kRows, kColumns}, 2)); };
  for (const int ranks : {2, 4}) {
    const auto weights = [&] { return numbers({ranks, kColumns, kColumns}, 3, 0.7); };
    const auto biases = [&] { return numbers({ranks, kColumns}, 4, 0.1); };
    const std::vector<double> expected =
        train(Stage{weights(), biases()}, 0.5, [&](const Stage& all) {
          Tensor h = constant(x());
          for (int rank = 0; rank < ranks; ++rank) {
            h = stage({layer(all.weight, rank), layer(all.bias, rank)}, h);
          }
          const Tensor error = h - constant(target());
          return mean(error * error);
        });
    expect_falling(expected);
    simulate(ranks, [&](World& world) {
      Pairs next;
      for (int rank = 0; rank + 1 < ranks; ++rank) next.emplace_back(rank, rank + 1);
      const bool is_first = world.rank() == 0;
      const bool is_last = world.rank() == ranks - 1;
      const auto loss = [&](const Stage& own) {
        // Microbatch m comes out of the last stage in step m + ranks - 1.
        const Tensor in = pad(constant(x()), {0, 0, 0}, {ranks - 1, 0, 0}, 0.0);
        const auto [left, made] = scan(
            [&](const Tensor& arrived, const Tensor& fresh) {
              const Tensor y = stage(own, is_first ? fresh : arrived);
              return std::pair(Tensor(collective_permute(y, world, next)), y);
            },
            zeros({kRows, kColumns}, DType::f64), in);
        const Tensor error =
            slice(made, {Range{ranks - 1, ranks - 1 + kMicrobatches}}) - constant(target());
        const Tensor own_loss = mean(error * error);
        return Tensor(all_reduce(is_last ? own_loss : own_loss * 0.0, world, Reduce::sum));
      };
      const Stage own{layer(weights(), world.rank()), layer(biases(), world.rank())};
      expect_curve(train(own, 0.5, loss), expected);
    });
  }
}

// ---- Ring attention: queries stay, keys and values go round (Liu et al. 2023, arXiv 2310.01889)

struct Projections {
  Tensor query;
  Tensor key;
  Tensor value;
  TUTTI_FIELDS(query, key, value)
};

// What has been seen of the keys so far, and those that are here.
struct Ring {
  Tensor total;    // weighted values
  Tensor weight;   // the sum of the weights, by query
  Tensor highest;  // the highest score, by query
  Tensor key;
  Tensor value;
  TUTTI_FIELDS(total, weight, highest, key, value)
};

TEST(ParallelTraining, RingAttentionHasTheLossesOfAttention) {
  constexpr std::int64_t kSequence = 8;
  constexpr std::int64_t kSize = 4;
  const auto x = [] { return numbers({kSequence, kSize}, 1); };
  const auto target = [] { return numbers({kSequence, kSize}, 2); };
  const auto model = [] {
    return Projections{numbers({kSize, kSize}, 3), numbers({kSize, kSize}, 4),
                       numbers({kSize, kSize}, 5)};
  };
  const double scale = 1 / std::sqrt(static_cast<double>(kSize));
  const std::vector<double> expected = train(model(), 0.01, [&](const Projections& w) {
    const Tensor in = constant(x());
    const Tensor scores = matmul(matmul(in, w.query), transpose(matmul(in, w.key))) * scale;
    const Tensor error = matmul(softmax(scores), matmul(in, w.value)) - constant(target());
    return sum(error * error);
  });
  expect_falling(expected);
  for (const int ranks : {2, 4}) {
    simulate(ranks, [&](World& world) {
      Pairs next;
      for (int rank = 0; rank < ranks; ++rank) next.emplace_back(rank, (rank + 1) % ranks);
      const Tensor own_x = part(x(), 0, world);
      const Tensor own_target = part(target(), 0, world);
      const auto loss = [&](const Projections& w) {
        const Tensor in = constant(own_x);
        const Tensor query = matmul(in, w.query) * scale;
        const std::int64_t rows = kSequence / ranks;
        const Ring start{zeros({rows, kSize}, DType::f64), zeros({rows, 1}, DType::f64),
                         full({rows, 1}, -1e30, DType::f64), matmul(in, w.key),
                         matmul(in, w.value)};
        const Ring end = for_loop(
            ranks,
            [&](const Tensor&, const Ring& s) {
              const Tensor scores = matmul(query, transpose(s.key));
              const Tensor highest = maximum(s.highest, max(scores, {1}, true));
              const Tensor keep = exp(s.highest - highest);
              const Tensor weights = exp(scores - highest);
              return Ring{s.total * keep + matmul(weights, s.value),
                          s.weight * keep + sum(weights, {1}, true), highest,
                          collective_permute(s.key, world, next),
                          collective_permute(s.value, world, next)};
            },
            start);
        const Tensor error = end.total / end.weight - constant(own_target);
        return Tensor(all_reduce(sum(error * error), world, Reduce::sum));
      };
      expect_curve(train(replicated(model(), world), 0.01, loss), expected);
    });
  }
}

}  // namespace
}  // namespace tutti::test::parallel_training_test
