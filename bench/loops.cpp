// What loops cost.
//
//   bench_loops step_16 gpt gpt_compile
//   bench_loops --unrolled gpt gpt_compile
//
// step_16: a step of a compiled for_loop that computes the tanh of 16 elements. gpt: a training
// step of a GPT of 12 layers, which a scan goes through or, unrolled, which stand one after
// another; gpt_compile: what its first call takes longer than the next ones, which is recording and
// compiling. Prints a line of JSON each: seconds.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "../examples/char_gpt.h"
#include <CLI/CLI.hpp>

namespace {

constexpr int kLayersOfLoop = 12;

double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

template <class F>
double seconds_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double measure_step(int batches) {
  constexpr std::int64_t kSteps = 100'000;
  auto f = compile([](Tensor x) {
    return for_loop(kSteps, [](const Tensor&, const Tensor& h) { return tanh(h); }, x);
  });
  const Tensor x = ones({16});
  eval(f(x));
  std::vector<double> seconds;
  for (int i = 0; i < batches; ++i) {
    seconds.push_back(seconds_of([&] { eval(f(x)); }) / kSteps);
  }
  return median(seconds);
}

// A model whose blocks are one, with a layer more in front of each tensor.
struct ScannedGpt {
  Tensor tokens, positions;
  Block blocks;
  nn::Norm norm;
  Tensor head;
  TUTTI_FIELDS(tokens, positions, blocks, norm, head)
};

Gpt make_gpt() {
  Gpt gpt = init_gpt(Key(42));
  while (gpt.blocks.size() < kLayersOfLoop) gpt.blocks.push_back(gpt.blocks[gpt.blocks.size() % 4]);
  return gpt;
}

ScannedGpt scanned(const Gpt& gpt) {
  std::vector<std::vector<Tensor>> columns;  // by tensor of a block, by layer
  for (const Block& block : gpt.blocks) {
    std::size_t next = 0;
    for_each_leaf(block, [&](const Tensor& leaf) {
      if (next == columns.size()) columns.emplace_back();
      columns[next++].push_back(leaf);
    });
  }
  Block blocks = gpt.blocks[0];
  std::size_t next = 0;
  for_each_leaf(blocks, [&](Tensor& leaf) { leaf = stack(columns[next++]); });
  return {gpt.tokens, gpt.positions, blocks, gpt.norm, gpt.head};
}

Tensor layer(const Block& block, const Tensor& before) {
  const Tensor x = before + attention(block, block.norm1(before));
  return x + block.down(gelu(block.up(block.norm2(x)), Gelu::tanh));
}

Tensor through_blocks(const Gpt& gpt, Tensor x) {
  for (const Block& block : gpt.blocks) x = layer(block, x);
  return x;
}
Tensor through_blocks(const ScannedGpt& gpt, const Tensor& before) {
  return scan([](const Tensor& x,
                 const Block& block) { return std::pair(layer(block, x), Tensor(x)); },
              before, gpt.blocks)
      .first;
}

template <class Model>
double measure_gpt(Model gpt, bool compile_only, int steps) {
  const AdamW adamw;
  AdamW::State state = adamw.init(gpt);
  auto step = compile([adamw](Model model, AdamW::State adam, Tensor x, Tensor y) {
    const auto loss = [](const Model& of, const Tensor& in, const Tensor& out) -> Tensor {
      const Tensor last = through_blocks(of, take(of.tokens, in) + of.positions);
      return nn::cross_entropy(matmul(of.norm(last), of.head), out);
    };
    auto [value, grads] = value_and_grad(loss)(model, x, y);
    std::tie(model, adam) = adamw.update(model, grads, adam, 1e-3F);
    return std::tuple(model, adam, value);
  });
  const GptSizes sizes;
  std::vector<std::int32_t> text(static_cast<std::size_t>(sizes.batch * sizes.context));
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::int32_t>(i * i % 97);
  const Tensor tokens = from(text, {sizes.batch, sizes.context});
  eval(tokens);
  eval(gpt);
  eval(state);
  const auto run = [&] {
    Tensor value;
    std::tie(gpt, state, value) = step(std::move(gpt), std::move(state), tokens, tokens);
    if (!(value.item<float>() < 100)) throw std::runtime_error("it does not learn");
  };
  const double first = seconds_of(run);
  run();
  std::vector<double> seconds;
  for (int i = 0; i < steps; ++i) seconds.push_back(seconds_of(run));
  return compile_only ? first - median(seconds) : median(seconds);
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures loops.");
  std::vector<std::string> keys;
  int steps = 11;
  bool unrolled = false;
  app.add_option("keys", keys)->required()->check(CLI::IsMember({"step_16", "gpt", "gpt_compile"}));
  app.add_option("--steps", steps, "how many are measured")->check(CLI::PositiveNumber);
  app.add_flag("--unrolled", unrolled, "layers one after another, in place of a scan");
  CLI11_PARSE(app, argc, argv);
  setenv("TUTTI_CACHE", "off", 1);  // compiling is measured
  for (const std::string& key : keys) {
    const bool compile_only = key == "gpt_compile";
    const double seconds = key == "step_16" ? measure_step(steps)
                           : unrolled       ? measure_gpt(make_gpt(), compile_only, steps)
                                            : measure_gpt(scanned(make_gpt()), compile_only, steps);
    std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << seconds << "}\n";
  }
} catch (const std::exception& error) {
  std::cerr << "bench_loops: " << error.what() << "\n";
  return 1;
}
