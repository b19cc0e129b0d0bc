// Trains a small character-level GPT on text, data parallel over ranks.
//
//   train_char_gpt --ranks 2 --steps 200            learns the licence texts of this machine
//   train_char_gpt --text FILE --json losses.json   learns any other text
// A model is a struct of tensors, its loss a plain function, and a training step a function that
// compile() turns into one program, communication included.
#include <tutti/tutti.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <set>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace tutti;
namespace fs = std::filesystem;

constexpr std::int64_t kLayers = 4, kWidth = 128, kHeads = 4, kContext = 128, kBatch = 16,
                       kVocabulary = 128;

// ---- The model: TUTTI_FIELDS makes a struct a tree, which gradients and optimisers take whole.
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

Gpt init_gpt(const Key& key) {
  const auto [token_key, head_key, block_key] = split<3>(key);
  Gpt gpt{.tokens = normal({kVocabulary, kWidth}, token_key),
          .positions = zeros({kContext, kWidth}),
          .blocks = {},
          .norm = nn::norm(kWidth),
          .head = nn::linear(head_key, kWidth, kVocabulary).weight};
  for (std::int64_t i = 0; i < kLayers; ++i) {
    const auto [k1, k2, k3, k4] = split<4>(fold_in(block_key, i));
    gpt.blocks.push_back({nn::norm(kWidth), nn::norm(kWidth), nn::linear(k1, kWidth, 3 * kWidth),
                          nn::linear(k2, kWidth, kWidth), nn::linear(k3, kWidth, 4 * kWidth),
                          nn::linear(k4, 4 * kWidth, kWidth)});
  }
  return gpt;
}

// Every place looks at itself and at what came before it. x: f32[batch, time, width].
Tensor attention(const Block& block, const Tensor& x) {
  const std::int64_t batch = x.size(0), time = x.size(1), size = kWidth / kHeads;
  const Tensor qkv = reshape(block.qkv(x), {batch, time, 3, kHeads, size});
  const auto part = [&](std::int64_t i) {  // [batch, heads, time, size]
    return transpose(squeeze(slice(qkv, {{}, {}, {i, i + 1}}), Axes{{2}}), {0, 2, 1, 3});
  };
  const Tensor scores =
      matmul(part(0), transpose(part(1), {0, 1, 3, 2})) * float(1 / std::sqrt(double(size)));
  const Tensor visible = iota({time, time}, 0) >= iota({time, time}, 1);
  const Tensor weights = softmax(select(visible, scores, -1e9F));
  const Tensor mixed = transpose(matmul(weights, part(2)), {0, 2, 1, 3});
  return block.out(reshape(mixed, {batch, time, kWidth}));
}

// tokens i32[batch, time] -> scores of the next token f32[batch, time, vocabulary].
Tensor logits(const Gpt& gpt, const Tensor& tokens) {
  Tensor x = take(gpt.tokens, tokens) + gpt.positions;
  for (const Block& block : gpt.blocks) {
    x = x + attention(block, block.norm1(x));
    x = x + block.down(gelu(block.up(block.norm2(x)), Gelu::tanh));
  }
  return matmul(gpt.norm(x), gpt.head);
}

// Bytes above 127 count as 127.
std::vector<std::int32_t> read_text(const std::string& file) {
  std::set<fs::path> files;  // sorted, each text once although links name some twice
  if (!file.empty()) files.insert(file);
  if (file.empty()) {
    for (const auto& entry : fs::directory_iterator("/usr/share/common-licenses")) {
      if (entry.is_regular_file()) files.insert(fs::canonical(entry.path()));
    }
  }
  std::vector<std::int32_t> text;
  for (const fs::path& path : files) {
    std::ifstream in(path, std::ios::binary);
    if (!in || fs::is_directory(path)) throw std::runtime_error("cannot read " + path.string());
    for (std::istreambuf_iterator<char> byte(in), end; byte != end; ++byte) {
      text.push_back(std::min<std::int32_t>(static_cast<unsigned char>(*byte), kVocabulary - 1));
    }
  }
  if (std::ssize(text) < kContext + 2) throw std::runtime_error("shorter than the context");
  return text;
}

struct Options {
  int ranks = 2, steps = 200, sample = 200;
  float rate = 1e-3F;
  std::string text, json;
};

void show_progress(int step, int steps, float loss, double seconds) {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (!terminal && step != 1 && step % 10 != 0 && step != steps) return;
  const std::string bar(static_cast<std::size_t>(30 * step / steps), '#');
  if (terminal) std::printf("\r[%-30s] ", bar.c_str());
  std::printf("step %d/%d  loss %.4f  %.0f tokens/s  %.0f s left ", step, steps, loss,
              step * kBatch * kContext / seconds, seconds / step * (steps - step));
  if (!terminal || step == steps) std::puts("");
  std::fflush(stdout);
}

void train(const Options& options, const std::vector<std::int32_t>& text, World& world) {
  // The same on every rank: types know it from here on.
  Gpt gpt = replicated(init_gpt(Key(42)), world);
  const AdamW adamw;
  AdamW::State state = adamw.init(gpt);

  // The mean over this rank's part of the batch, then over the ranks. Since the model is replicated
  // and the loss ends in all_reduce, the gradients are the global mean's with no further code.
  const auto loss = [&](const Gpt& model, const Tensor& x, const Tensor& y) -> Tensor {
    return all_reduce(nn::cross_entropy(logits(model, x), y), world, Reduce::mean);
  };
  auto step = compile([&](Gpt model, AdamW::State adam, Tensor x, Tensor y, float rate) {
    auto [value, grads] = value_and_grad(loss)(model, x, y);
    std::tie(model, adam) = adamw.update(model, grads, adam, rate);
    return std::tuple(model, adam, value);
  });

  std::mt19937 random(1);  // the same on every rank; each takes its rows of the global batch
  const std::int64_t rows = kBatch / world.size();
  std::vector<float> losses;
  const auto start = std::chrono::steady_clock::now();
  double seconds = 0;
  for (int i = 1; i <= options.steps; ++i) {
    std::vector<std::int32_t> x, y;
    for (std::int64_t row = 0; row < kBatch; ++row) {
      const auto at = static_cast<std::ptrdiff_t>(random() % (text.size() - kContext - 1));
      if (row / rows != world.rank()) continue;
      x.insert(x.end(), text.begin() + at, text.begin() + at + kContext);
      y.insert(y.end(), text.begin() + at + 1, text.begin() + at + 1 + kContext);
    }
    Tensor value;
    std::tie(gpt, state, value) = step(std::move(gpt), std::move(state), from(x, {rows, kContext}),
                                       from(y, {rows, kContext}), options.rate);
    losses.push_back(value.item<float>());
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (world.rank() == 0) show_progress(i, options.steps, losses.back(), seconds);
  }
  if (world.rank() != 0) return;

  // ---- A sample, one character at a time, by a second compiled function.
  auto next = compile([](Gpt model, Tensor tokens) { return logits(model, tokens); });
  std::vector<std::int32_t> sample(static_cast<std::size_t>(kContext), ' ');
  for (int i = 0; i < options.sample; ++i) {
    const std::vector<std::int32_t> window(sample.end() - kContext, sample.end());
    const std::vector<float> scores = next(gpt, from(window, {1, kContext})).to_vector<float>();
    std::vector<double> weights;
    for (auto score = scores.end() - kVocabulary; score != scores.end(); ++score) {
      weights.push_back(std::exp(*score / 0.8));
    }
    std::discrete_distribution<std::int32_t> draw(weights.begin(), weights.end());
    sample.push_back(draw(random));
  }
  std::cout << "sample:\n" << std::string(sample.begin() + kContext, sample.end()) << "\n";
  const nlohmann::json record = {{"loss", losses}};
  if (!options.json.empty() && !(std::ofstream(options.json) << record << std::endl)) {
    throw std::runtime_error("cannot write " + options.json);
  }
  std::printf("final: step %d loss %.4f tokens_per_second %.0f\n", options.steps, losses.back(),
              options.steps * kBatch * kContext / seconds);
}

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("Trains a character-level GPT, data parallel over ranks (threads of this process).");
  app.option_defaults()->always_capture_default();
  app.add_option("--ranks", options.ranks, "how many")->check(CLI::IsMember({1, 2, 4, 8, 16}));
  app.add_option("--steps", options.steps, "training steps")->check(CLI::Range(1, 1'000'000));
  app.add_option("--rate", options.rate, "the learning rate");
  app.add_option("--text", options.text, "the file to learn (else the system's licence texts)");
  app.add_option("--sample", options.sample, "characters to write")->check(CLI::Range(0, 100'000));
  app.add_option("--json", options.json, "the file to write the loss of every step to");
  CLI11_PARSE(app, argc, argv);
  const std::vector<std::int32_t> text = read_text(options.text);
  simulate(options.ranks, [&](World& world) { train(options, text, world); });
} catch (const std::exception& error) {
  std::cerr << "train_char_gpt: " << error.what() << "\n";
  return 1;
}
