// A small character-level GPT: a model is a struct of tensors, its loss a plain function, a
// training step a function that compile() turns into one program.
#pragma once

#include <tutti/tutti.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "gpt_sizes.h"

using namespace tutti;

// TUTTI_FIELDS makes a struct a tree, which gradients and optimisers take whole.
struct Block {
  nn::Norm norm1, norm2;
  nn::Linear qkv, out, up, down;
  TUTTI_FIELDS(norm1, norm2, qkv, out, up, down)
};

struct Gpt {
  Tensor tokens, positions;
  std::vector<Block> blocks;
  nn::Norm norm;
  Tensor head;
  TUTTI_FIELDS(tokens, positions, blocks, norm, head)
};

inline Gpt init_gpt(const Key& key, const GptSizes& sizes = {}) {
  const std::int64_t width = sizes.width;
  const auto [token_key, head_key, block_key] = split<3>(key);
  Gpt gpt{.tokens = normal({kVocabulary, width}, token_key),
          .positions = zeros({sizes.context, width}),
          .blocks = {},
          .norm = nn::norm(width),
          .head = nn::linear(head_key, width, kVocabulary).weight};
  for (std::int64_t i = 0; i < sizes.layers; ++i) {
    const auto [k1, k2, k3, k4] = split<4>(fold_in(block_key, i));
    gpt.blocks.push_back({nn::norm(width), nn::norm(width), nn::linear(k1, width, 3 * width),
                          nn::linear(k2, width, width), nn::linear(k3, width, 4 * width),
                          nn::linear(k4, 4 * width, width)});
  }
  return gpt;
}

// Every place looks at itself and at what came before it. x: f32[batch, time, width].
inline Tensor attention(const Block& block, const Tensor& x, const GptSizes& sizes = {}) {
  const std::int64_t batch = x.size(0), time = x.size(1), size = sizes.width / sizes.heads;
  const Tensor qkv = reshape(block.qkv(x), {batch, time, 3, sizes.heads, size});
  const auto part = [&](std::int64_t i) {  // [batch, heads, time, size]
    return transpose(squeeze(slice(qkv, {{}, {}, {i, i + 1}}), {2}), {0, 2, 1, 3});
  };
  const Tensor scores =
      matmul(part(0), transpose(part(1), {0, 1, 3, 2})) * float(1 / std::sqrt(double(size)));
  const Tensor visible = iota({time, time}, 0) >= iota({time, time}, 1);
  const Tensor weights = softmax(select(visible, scores, -1e9F));
  const Tensor mixed = transpose(matmul(weights, part(2)), {0, 2, 1, 3});
  return block.out(reshape(mixed, {batch, time, sizes.width}));
}

// tokens i32[batch, time] -> scores of the next token f32[batch, time, vocabulary].
inline Tensor logits(const Gpt& gpt, const Tensor& tokens, const GptSizes& sizes = {}) {
  Tensor x = take(gpt.tokens, tokens) + gpt.positions;
  for (const Block& block : gpt.blocks) {
    x = x + attention(block, block.norm1(x), sizes);
    x = x + block.down(gelu(block.up(block.norm2(x)), Gelu::tanh));
  }
  return matmul(gpt.norm(x), gpt.head);
}

// One step of training on this rank's part of the batch, tokens and the ones that follow them
// (i32[batch, time]): the model, the optimiser's state and the loss after it.
inline auto training_step(const World& world, const AdamW& adamw, const GptSizes& sizes = {}) {
  // The mean over this rank's part of the batch, then over the ranks. Since the model is replicated
  // and the loss ends in all_reduce, the gradients are the global mean's with no further code.
  const auto loss = [world, sizes](const Gpt& model, const Tensor& x, const Tensor& y) -> Tensor {
    return all_reduce(nn::cross_entropy(logits(model, x, sizes), y), world, Reduce::mean);
  };
  return [loss, adamw](Gpt model, AdamW::State adam, Tensor x, Tensor y, float rate) {
    auto [value, grads] = value_and_grad(loss)(model, x, y);
    std::tie(model, adam) = adamw.update(model, grads, adam, rate);
    return std::tuple(model, adam, value);
  };
}
