// An encoder of BERT's family (Devlin et al. 2018, arXiv 1810.04805) that gives a vector for each
// sentence, as sentence-transformers do: the mean over the tokens, of length 1.
#pragma once

#include <tutti/tutti.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using namespace tutti;

struct BertConfig {
  std::int64_t vocabulary = 30522;
  std::int64_t places = 128;  // the longest text
  std::int64_t width = 64;
  std::int64_t layers = 2;
  std::int64_t heads = 4;
  std::int64_t hidden = 256;
  double epsilon = 1e-12;
};

struct BertBlock {
  nn::Linear query, key, value, out;
  nn::Norm after_attention;
  nn::Linear up, down;
  nn::Norm after_mlp;
  TUTTI_FIELDS(query, key, value, out, after_attention, up, down, after_mlp)
};

struct Bert {
  Tensor tokens, places, kinds;
  nn::Norm norm;
  std::vector<BertBlock> blocks;
  TUTTI_FIELDS(tokens, places, kinds, norm, blocks)
};

// A model of random weights.
inline Bert make_bert(const BertConfig& config, const Key& key) {
  const auto [of_tokens, of_places, of_kinds, of_blocks] = split<4>(key);
  const std::int64_t width = config.width;
  Bert bert = {.tokens = normal({config.vocabulary, width}, of_tokens),
               .places = normal({config.places, width}, of_places) * 0.1F,
               .kinds = normal({2, width}, of_kinds) * 0.1F,
               .norm = nn::norm(width),
               .blocks = {}};
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const auto [q, k, v, o, up, down] = split<6>(fold_in(of_blocks, i));
    bert.blocks.push_back({.query = nn::linear(q, width, width),
                           .key = nn::linear(k, width, width),
                           .value = nn::linear(v, width, width),
                           .out = nn::linear(o, width, width),
                           .after_attention = nn::norm(width),
                           .up = nn::linear(up, width, config.hidden),
                           .down = nn::linear(down, config.hidden, width),
                           .after_mlp = nn::norm(width)});
  }
  return bert;
}

inline BertConfig read_bert_config(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + " can't be read");
  const nlohmann::json json = nlohmann::json::parse(file);
  if (json.value("hidden_act", "gelu") != "gelu") {
    throw std::runtime_error(path.string() + ": another activation than gelu");
  }
  return {.vocabulary = json.at("vocab_size"),
          .places = json.at("max_position_embeddings"),
          .width = json.at("hidden_size"),
          .layers = json.at("num_hidden_layers"),
          .heads = json.at("num_attention_heads"),
          .hidden = json.at("intermediate_size"),
          .epsilon = json.value("layer_norm_eps", 1e-12)};
}

// Of a folder with Hugging Face's config.json and model.safetensors.
inline Bert load_bert(const BertConfig& config, const std::filesystem::path& folder) {
  // Where a block's parts are in Hugging Face's models.
  const std::vector<std::pair<std::string, std::string>> linears = {
      {"attention.self.query", "query"}, {"attention.self.key", "key"},
      {"attention.self.value", "value"}, {"attention.output.dense", "out"},
      {"intermediate.dense", "up"},      {"output.dense", "down"}};
  const std::vector<std::pair<std::string, std::string>> norms = {
      {"encoder.layer.*.attention.output", "blocks.*.after_attention"},
      {"encoder.layer.*.output", "blocks.*.after_mlp"},
      {"embeddings", "norm"}};
  std::vector<Renaming> rules = {{.from = "embeddings.word_embeddings.weight", .to = "tokens"},
                                 {.from = "embeddings.position_embeddings.weight", .to = "places"},
                                 {.from = "embeddings.token_type_embeddings.weight", .to = "kinds"},
                                 {.from = "embeddings.position_ids", .to = ""},
                                 {.from = "pooler.**", .to = ""}};
  for (const auto& [theirs, ours] : linears) {
    const std::string from = "encoder.layer.*." + theirs, to = "blocks.*." + ours;
    rules.push_back({.from = from + ".weight", .to = to + ".weight", .transpose = true});
    rules.push_back({.from = from + ".bias", .to = to + ".bias"});
  }
  for (const auto& [theirs, ours] : norms) {
    rules.push_back({.from = theirs + ".LayerNorm.weight", .to = ours + ".scale"});
    rules.push_back({.from = theirs + ".LayerNorm.bias", .to = ours + ".shift"});
  }
  const TensorMap tensors =
      renamed(load_tensors(folder / "model.safetensors", {.mmap = true}), rules);
  return with_tensors(make_bert(config, Key(0)), tensors, true);
}

// Sentences of different lengths, filled up to one.
struct Sentences {
  Tensor tokens;   // i32[batch, time]
  Tensor lengths;  // i32[batch]
  TUTTI_FIELDS(tokens, lengths)
};

inline Sentences sentences_of(const std::vector<std::vector<std::int32_t>>& texts,
                              std::size_t time) {
  std::vector<std::int32_t> tokens, lengths;
  for (const std::vector<std::int32_t>& text : texts) {
    lengths.push_back(static_cast<std::int32_t>(text.size()));
    tokens.insert(tokens.end(), text.begin(), text.end());
    tokens.resize(lengths.size() * time);
  }
  const std::int64_t batch = std::ssize(texts);
  return {.tokens = from(tokens, {batch, static_cast<std::int64_t>(time)}),
          .lengths = from(lengths, {batch})};
}

// f32[batch, width], of length 1 each.
inline Tensor embed(const BertConfig& config, const Bert& bert, const Sentences& sentences) {
  const std::int64_t batch = sentences.tokens.size(0), time = sentences.tokens.size(1);
  const auto norm = [&](const nn::Norm& with, const Tensor& x) {
    return layer_norm(x, with.scale, with.shift, config.epsilon);
  };
  const Tensor is_there =  // bool[batch, time]
      arange(time, DType::i32) < expand_dims(sentences.lengths, {1});

  Tensor x = take(bert.tokens, sentences.tokens) + slice(bert.places, {{0, time}}) + bert.kinds[0];
  x = norm(bert.norm, x);
  for (const BertBlock& block : bert.blocks) {
    const auto heads = [&](const nn::Linear& linear) {  // [batch, heads, time, size]
      return transpose(reshape(linear(x), {batch, time, config.heads, -1}), {0, 2, 1, 3});
    };
    const Tensor mixed = attention(heads(block.query), heads(block.key), heads(block.value),
                                   expand_dims(is_there, {1, 2}));
    const Tensor rows = reshape(transpose(mixed, {0, 2, 1, 3}), {batch, time, config.width});
    x = norm(block.after_attention, x + block.out(rows));
    x = norm(block.after_mlp, x + block.down(gelu(block.up(x))));
  }
  const Tensor share = expand_dims(cast(is_there, x.dtype()), {2});
  const Tensor total = sum(x * share, 1);
  return total / tutti::norm(total, {1}, 2, true);  // of the mean, whose direction is the same
}
