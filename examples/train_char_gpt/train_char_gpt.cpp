// Trains a small character-level GPT on text, data parallel over ranks.
//
//   tutti launch -n 2 -- train_char_gpt --steps 200   learns the licence texts of this machine
//   train_char_gpt --text FILE --json losses.json     learns any other text, on one rank
// The model and its training step are in char_gpt.h; compile() turns the step into one program,
// communication included.
#include <tutti/tutti.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <set>

#include "../char_gpt.h"
#include "options.h"
#include <unistd.h>

using namespace tutti;
namespace fs = std::filesystem;

constexpr float kRate = 1e-3F;

// Bytes above 127 count as 127.
std::vector<std::int32_t> read_text(const std::string& file, std::int64_t context) {
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
  if (std::ssize(text) < context + 2) throw std::runtime_error("shorter than the context");
  return text;
}

double tokens_of_step(const Options& options) {
  return double(options.sizes.batch * options.sizes.context);
}

void show_progress(int step, const Options& options, float loss, double seconds) {
  const int steps = options.steps;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (!terminal && step != 1 && step % 10 != 0 && step != steps) return;
  const std::string bar(static_cast<std::size_t>(30 * step / steps), '#');
  if (terminal) std::printf("\r[%-30s] ", bar.c_str());
  std::printf("step %d/%d  loss %.4f  %.0f tokens/s  %.0f s left ", step, steps, loss,
              step * tokens_of_step(options) / seconds, seconds / step * (steps - step));
  if (!terminal || step == steps) std::puts("");
  std::fflush(stdout);
}

void train(const Options& options, const std::vector<std::int32_t>& text, World& world) {
  const std::int64_t batch = options.sizes.batch, context = options.sizes.context;
  if (batch % world.size() != 0) {
    throw std::runtime_error("the ranks must divide the batch of " + std::to_string(batch));
  }
  if (options.device == "cuda") {
    set_default_device(world.gpu());  // each rank its own, as far as there are enough
  } else if (!options.device.empty()) {
    set_default_device(*Device::from_text(options.device));
  }
  // The same on every rank: types know it from here on.
  Gpt gpt = replicated(init_gpt(Key(42), options.sizes), world);
  const AdamW adamw;
  AdamW::State state = adamw.init(gpt);

  auto step = compile(training_step(world, adamw, options.sizes));

  std::mt19937 random(1);  // the same on every rank; each takes its rows of the global batch
  const std::int64_t rows = batch / world.size();
  std::vector<float> losses;
  const auto start = std::chrono::steady_clock::now();
  double seconds = 0;
  for (int i = 1; i <= options.steps; ++i) {
    std::vector<std::int32_t> x, y;
    for (std::int64_t row = 0; row < batch; ++row) {
      const auto at = static_cast<std::ptrdiff_t>(random() % (text.size() - context - 1));
      if (row / rows != world.rank()) continue;
      x.insert(x.end(), text.begin() + at, text.begin() + at + context);
      y.insert(y.end(), text.begin() + at + 1, text.begin() + at + 1 + context);
    }
    Tensor value;
    std::tie(gpt, state, value) = step(std::move(gpt), std::move(state), from(x, {rows, context}),
                                       from(y, {rows, context}), kRate);
    losses.push_back(value.item<float>());
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (world.rank() == 0) show_progress(i, options, losses.back(), seconds);
  }
  if (world.rank() != 0) return;

  // ---- A sample, one character at a time, by a second compiled function.
  auto next = compile(
      [&options](Gpt model, Tensor tokens) { return logits(model, tokens, options.sizes); });
  std::vector<std::int32_t> sample(static_cast<std::size_t>(context), ' ');
  for (int i = 0; i < options.sample; ++i) {
    const std::vector<std::int32_t> window(sample.end() - context, sample.end());
    const std::vector<float> scores = next(gpt, from(window, {1, context})).to_vector<float>();
    std::vector<double> weights;
    for (auto score = scores.end() - kVocabulary; score != scores.end(); ++score) {
      weights.push_back(std::exp(*score / 0.8));
    }
    std::discrete_distribution<std::int32_t> draw(weights.begin(), weights.end());
    sample.push_back(draw(random));
  }
  std::cout << "sample:\n" << std::string(sample.begin() + context, sample.end()) << "\n";
  if (!options.json.empty()) write_losses(options.json, losses);
  std::printf("final: step %d loss %.4f tokens_per_second %.0f\n", options.steps, losses.back(),
              options.steps * tokens_of_step(options) / seconds);
}

int main(int argc, char** argv) try {
  const Options options = options_of(argc, argv);
  const std::vector<std::int32_t> text = read_text(options.text, options.sizes.context);
  const auto run = [&](World& world) { train(options, text, world); };
  if (options.ranks > 0) return simulate(options.ranks, run), 0;
  World world = init();  // one of those that `tutti launch` starts
  run(world);
  world.close();
} catch (const std::exception& error) {
  std::cerr << "train_char_gpt: " << error.what() << "\n";
  return 1;
}
