// What a GPU is kept busy with, or waits for, in compiled functions.
//
//   bench_cuda chain softmax layer_norm replay
//
// chain: gelu(x * 1.01 + 0.1) * x over 64 Mi numbers; softmax and layer_norm: of 32 Ki rows of
// 2048. All f32: each reads and writes 256 MiB. replay: the host's share of a call of two kernels
// on 16 elements. Prints a line of JSON each: the median over the batches of the seconds a call
// takes.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kRows = 32 << 10;
constexpr std::int64_t kColumns = 2048;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Calls in a row, which the device works off one after another.
double measure_calls(int batches, const std::function<Tensor(const Tensor&)>& body) {
  constexpr int kCalls = 20;
  auto f = compile(body);
  const Tensor x = normal({kRows, kColumns}, Key(1));
  eval(x);
  std::vector<double> seconds;
  for (int batch = -2; batch < batches; ++batch) {  // the first two warm up
    synchronize();
    const auto begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) f(x);
    synchronize();
    if (batch >= 0) seconds.push_back(seconds_since(begin) / kCalls);
  }
  return median(std::move(seconds));
}

double measure_replay(int batches) {
  constexpr int kCalls = 100;
  auto f = compile([](Tensor a) { return softmax(sum(a, {0}, true) * a); });
  const Tensor a = ones({16, 16});
  eval(a);
  std::vector<double> seconds;
  for (int batch = -2; batch < batches; ++batch) {
    synchronize();
    const auto begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) f(a);
    if (batch >= 0) seconds.push_back(seconds_since(begin) / kCalls);
  }
  return median(std::move(seconds));
}

double measure(const std::string& key, int batches) {
  if (key == "replay") return measure_replay(batches);
  if (key == "softmax") return measure_calls(batches, [](const Tensor& x) { return softmax(x); });
  if (key == "layer_norm") {
    return measure_calls(batches, [](const Tensor& x) { return nn::norm(kColumns)(x); });
  }
  return measure_calls(batches,
                       [](const Tensor& x) { return gelu(x * 1.01F + 0.1F, Gelu::tanh) * x; });
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures compiled functions on a GPU.");
  std::vector<std::string> keys;
  int batches = 15;
  app.add_option("keys", keys)
      ->required()
      ->check(CLI::IsMember({"chain", "softmax", "layer_norm", "replay"}));
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  set_default_device(Device::cuda());
  for (const std::string& key : keys) {
    std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << measure(key, batches) << "}"
              << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << "bench_cuda: " << error.what() << "\n";
  return 1;
}
