// Single ops and their gradients on the host, f32, at sizes that models have.
//
//   bench_ops convolution sort_rows normal
//
// Prints a line of JSON for each key: the median over the batches of the seconds a call takes.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;
using Tensors = std::vector<Tensor>;

struct Case {
  std::vector<Shape> operands;  // of normal numbers
  std::function<Tensors(const Tensors&)> compute;
};

// The gradients of sum(f(x) * cotangent) with respect to the operand of that number, the cotangent
// being the last.
Case gradient_case(std::vector<Shape> operands, std::size_t operand,
                   const std::function<Tensor(const Tensor& x, const Tensor& weight)>& f) {
  return {std::move(operands), [=](const Tensors& x) {
            const auto loss = [&](const Tensor& wrt) {
              return sum((operand == 0 ? f(wrt, x[1]) : f(x[0], wrt)) * x[2]);
            };
            return Tensors{grad(loss)(x[operand])};
          }};
}

Tensor convolution(const Tensor& x, const Tensor& weight) {
  return conv(x, weight, {.padding = {1}});
}

Tensor depthwise(const Tensor& x, const Tensor& weight) {
  return conv(x, weight, {.padding = {1}, .groups = x.size(1)});
}

constexpr std::int64_t kGroups = 32;

Tensor grouped(const Tensor& x, const Tensor& weight) {
  return conv(x, weight, {.padding = {1}, .groups = kGroups});
}

// As in ResNeXt, without norms: x, and the weights that make it narrow, look around, and make it
// wide again.
Tensor grouped_block(const Tensors& of) {
  const Tensor around = relu(grouped(relu(conv(of[0], of[1])), of[2]));
  return relu(of[0] + conv(around, of[3]));
}

const std::map<std::string, Case>& cases() {
  static const Shape images = {32, 64, 56, 56};
  static const Shape weight = {128, 64, 3, 3};
  static const Shape outputs = {32, 128, 56, 56};
  static const Shape small = {64, 32, 32, 32};
  static const Shape each = {32, 1, 3, 3};
  static const Shape wide = {32, 256, 28, 28};
  static const Shape narrow = {32, 128, 28, 28};
  static const Shape of_groups = {128, 128 / kGroups, 3, 3};
  static const std::map<std::string, Case> all = {
      {"convolution",
       {{images, weight}, [](const Tensors& x) { return Tensors{convolution(x[0], x[1])}; }}},
      {"convolution_input_gradient", gradient_case({images, weight, outputs}, 0, convolution)},
      {"convolution_weight_gradient", gradient_case({images, weight, outputs}, 1, convolution)},
      {"depthwise",
       {{small, each}, [](const Tensors& x) { return Tensors{depthwise(x[0], x[1])}; }}},
      {"depthwise_input_gradient", gradient_case({small, each, small}, 0, depthwise)},
      {"depthwise_weight_gradient", gradient_case({small, each, small}, 1, depthwise)},
      {"grouped_weight_gradient", gradient_case({narrow, of_groups, narrow}, 1, grouped)},
      {"grouped_block_gradient",
       {{wide, {128, 256, 1, 1}, of_groups, {256, 128, 1, 1}},
        [](const Tensors& x) {
          return grad([](const Tensors& of) { return sum(grouped_block(of)); })(x);
        }}},
      {"channel_sums", {{small}, [](const Tensors& x) { return Tensors{sum(x[0], {0, 2, 3})}; }}},
      {"channel_variances",
       {{small}, [](const Tensors& x) { return Tensors{var(x[0], {0, 2, 3}, 0)}; }}},
      {"max_pool", {{small}, [](const Tensors& x) { return Tensors{max_pool(x[0], {2, 2})}; }}},
      {"split_gradient",
       {{{32, 2048}},
        [](const Tensors& x) {
          return Tensors{grad([](const Tensor& gates) {
            const Tensors part = split(gates, 4, 1);
            return sum(tanh(part[0]) * sigmoid(part[1]) + part[2] * part[3]);
          })(x[0])};
        }}},
      {"sort_rows",
       {{{256, 4096}},
        [](const Tensors& x) {
          const Sorted sorted = sort(x[0]);
          return Tensors{sorted.values, sorted.indices};
        }}},
      {"sort_one_row",
       {{{1 << 20}},
        [](const Tensors& x) {
          const Sorted sorted = sort(x[0]);
          return Tensors{sorted.values, sorted.indices};
        }}},
      {"topk_rows",
       {{{64, 32000}},
        [](const Tensors& x) {
          const Sorted largest = topk(x[0], 50);
          return Tensors{largest.values, largest.indices};
        }}},
      {"topk_one_row",
       {{{1 << 20}},
        [](const Tensors& x) {
          const Sorted largest = topk(x[0], 50);
          return Tensors{largest.values, largest.indices};
        }}},
      {"cumsum_rows", {{{1024, 4096}}, [](const Tensors& x) { return Tensors{cumsum(x[0], 1)}; }}},
      {"cumsum_one_row", {{{1 << 20}}, [](const Tensors& x) { return Tensors{cumsum(x[0], 0)}; }}},
      {"normal", {{}, [](const Tensors&) { return Tensors{normal({1 << 20}, Key(3))}; }}},
      {"scatter_rows",
       {{{32000, 64}, {8192, 64}},
        [](const Tensors& x) {
          const Tensor rows = randint({8192}, Key(5), 0, 32000);
          return Tensors{scatter_add(x[0], rows, x[1])};
        }}},
  };
  return all;
}

double measure(const Case& each, int batches) {
  Tensors operands;
  for (const Shape& shape : each.operands) {
    operands.push_back(normal(shape, Key(operands.size() + 1)));
  }
  eval(operands);
  auto compiled = compile([&](const Tensors& x) { return each.compute(x); });
  std::vector<double> seconds;
  for (int batch = -3; batch < batches; ++batch) {  // the first ones warm up
    const auto begin = Clock::now();
    compiled(operands);
    synchronize();
    if (batch >= 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  const auto middle = seconds.begin() + batches / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures single ops on the host.");
  std::vector<std::string> names;
  for (const auto& [name, each] : cases()) names.push_back(name);
  std::vector<std::string> keys;
  int batches = 25;
  app.add_option("keys", keys, "which; all without any")->check(CLI::IsMember(names));
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const std::string& key : keys.empty() ? names : keys) {
    const double seconds = measure(cases().at(key), batches);
    std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << seconds << "}" << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
