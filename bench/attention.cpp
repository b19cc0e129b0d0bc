// Causal attention on the host: 8 heads of size 64, f32.
//
//   bench_attention whole 1024 2048_gradient
//   bench_attention parts 1024
//
// A key is the number of queries and keys; with _gradient also the gradients of q, k and v are
// made. whole: the op; parts: what it decomposes into. Prints a line of JSON each: the median over
// the batches of the seconds a call takes.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;
using Attend = std::function<Tensor(const std::vector<Tensor>&)>;

constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kSize = 64;

Tensor whole(const std::vector<Tensor>& x) { return attention(x[0], x[1], x[2], {.causal = true}); }

Tensor parts(const std::vector<Tensor>& x) {
  const std::int64_t time = x[0].size(-2);
  const Tensor scores = matmul(x[0], transpose(x[1], {0, 2, 1})) * 0.125F;  // 1 / sqrt(kSize)
  const Tensor seen = iota({time, time}, 0) >= iota({time, time}, 1);
  return matmul(softmax(select(seen, scores, -std::numeric_limits<float>::infinity())), x[2]);
}

double measure(const Attend& attend, const std::string& key, int batches) {
  const std::int64_t time = std::stoll(key);
  std::vector<Tensor> x;
  for (const Key& part : split<3>(Key(1))) x.push_back(normal({kHeads, time, kSize}, part));
  const Tensor weight = normal({kHeads, time, kSize}, Key(2));
  eval(x);
  eval(weight);
  auto forward = compile([&](const std::vector<Tensor>& operands) { return attend(operands); });
  auto backward = compile([&](const std::vector<Tensor>& operands, const Tensor& cotangent) {
    return value_and_grad(
        [&](const std::vector<Tensor>& wrt) { return sum(attend(wrt) * cotangent); })(operands);
  });
  std::vector<double> seconds;
  for (int batch = -2; batch < batches; ++batch) {  // the first two warm up
    const auto begin = Clock::now();
    if (key.ends_with("_gradient")) {
      backward(x, weight);
    } else {
      forward(x);
    }
    synchronize();
    if (batch >= 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  const auto middle = seconds.begin() + batches / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures attention on the host.");
  std::string how;
  std::vector<std::string> keys;
  int batches = 15;
  app.add_option("how", how)->required()->check(CLI::IsMember({"whole", "parts"}));
  app.add_option("keys", keys, "2048, 1024_gradient, ...")->required();
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const std::string& key : keys) {
    const double seconds = measure(how == "whole" ? whole : parts, key, batches);
    std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << seconds << "}" << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << "bench_attention: " << error.what() << "\n";
  return 1;
}
