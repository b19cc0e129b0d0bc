// A training step of examples/train_char_gpt: a batch of 16 times 128 tokens, shared among ranks.
//
//   bench_gpt step            one rank
//   tutti launch -n 2 -- bench_gpt step
//   bench_gpt step --device cuda
//
// Rank 0 prints a line of JSON: the median over the steps of the seconds one takes.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "../examples/char_gpt.h"
#include <CLI/CLI.hpp>

namespace {

// Tokens that follow each other by a rule, with some noise, so that there is something to learn.
std::vector<std::int32_t> make_text() {
  std::mt19937 random(1);
  std::vector<std::int32_t> text(1 << 15);
  for (std::size_t i = 2; i < text.size(); ++i) {
    text[i] =
        static_cast<std::int32_t>((text[i - 1] * 5 + text[i - 2] + random() % 4) % kVocabulary);
  }
  return text;
}

std::vector<double> measure(const World& world, int steps) {
  const std::int64_t batch = GptSizes().batch;
  const std::int64_t context = GptSizes().context;
  const std::vector<std::int32_t> text = make_text();
  Gpt gpt = replicated(init_gpt(Key(42)), world);
  const AdamW adamw;
  AdamW::State state = adamw.init(gpt);
  auto step = compile(training_step(world, adamw));

  std::mt19937 random(2);  // the same on every rank; each takes its rows of the batch
  const std::int64_t rows = batch / world.size();
  constexpr int kFirst = 3;  // that warm up: they compile and fill caches
  std::vector<double> seconds;
  float first = 0;
  float last = 0;
  for (int i = 0; i < kFirst + steps; ++i) {
    std::vector<std::int32_t> x;
    std::vector<std::int32_t> y;
    for (std::int64_t row = 0; row < batch; ++row) {
      const auto at = static_cast<std::ptrdiff_t>(random() % (text.size() - context - 1));
      if (row / rows != world.rank()) continue;
      x.insert(x.end(), text.begin() + at, text.begin() + at + context);
      y.insert(y.end(), text.begin() + at + 1, text.begin() + at + 1 + context);
    }
    const Tensor tokens = from(x, {rows, context});
    const Tensor targets = from(y, {rows, context});
    const auto begin = std::chrono::steady_clock::now();
    Tensor value;
    std::tie(gpt, state, value) = step(std::move(gpt), std::move(state), tokens, targets, 1e-3F);
    last = value.item<float>();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (i == 0) first = last;
    if (i >= kFirst) seconds.push_back(taken.count());
  }
  if (!(last < first)) throw std::runtime_error("it does not learn");
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures a training step of a small GPT.");
  std::vector<std::string> keys;
  int steps = 15;
  std::string device;
  app.add_option("keys", keys)->required()->check(CLI::IsMember({"step"}));
  app.add_option("--steps", steps, "how many are measured")->check(CLI::PositiveNumber);
  app.add_option("--device", device, "cpu, or a GPU: cuda, cuda:1")
      ->check([](const std::string& text) {
        return Device::from_text(text) ? "" : text + " is no device; write cpu, cuda or cuda:1";
      });
  CLI11_PARSE(app, argc, argv);
  try {
    World world = init();
    if (!device.empty()) set_default_device(*Device::from_text(device));
    std::vector<double> seconds = measure(world, steps);
    const auto median = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), median, seconds.end());
    if (world.rank() == 0) {
      std::cout << "{\"key\": \"step\", \"seconds\": " << *median << "}\n";
    }
    world.close();
  } catch (const std::exception& error) {
    std::cerr << "bench_gpt: " << error.what() << "\n";
    return 1;
  }
}
