// What it saves that a kernel reads its peers' operands: the sum over two ranks of what each
// computed, a residual, and the norm of each row (RMS), [256, 1024] of f32, as in a transformer
// whose products are split. As `one` compiled function, as `two` (the sum, and what follows), or as
// `three` (residual and norm apart, too).
//
//   tutti launch -n 2 -- bench_norm_of_sum one 256
//
// A key is a number of rows, for the median seconds of a call. Rank 0 prints a line of JSON a key.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Tensor norm(const Tensor& x) { return x * rsqrt(mean(x * x, {-1}, true) + 1e-5F); }

// Calls step(partial, residual) again and again; gives the median seconds of a call.
template <class Step>
double measure(World& world, std::int64_t rows, int batches, Step&& step) {
  constexpr int kCalls = 20;
  const std::int64_t columns = 1024;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) / 97;
  const Tensor partial = from(values, {rows, columns});
  const Tensor residual = from(values, {rows, columns});
  std::vector<double> taken;
  for (int batch = -2; batch < batches; ++batch) {  // the first ones warm up
    barrier(world);
    const double begin = seconds();
    for (int i = 0; i < kCalls; ++i) step(partial, residual);
    if (batch >= 0) taken.push_back((seconds() - begin) / kCalls);
  }
  const auto median = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
  std::nth_element(taken.begin(), median, taken.end());
  return *median;
}

double measure(World& world, const std::string& how, std::int64_t rows, int batches) {
  const auto sum_of = [&](const Tensor& partial) {
    return Tensor(all_reduce(partial * 0.5F, world, Reduce::sum));
  };
  if (how == "one") {
    auto all = compile([&](const Tensor& partial, const Tensor& residual) {
      return norm(residual + sum_of(partial));
    });
    return measure(world, rows, batches, [&](const Tensor& partial, const Tensor& residual) {
      eval(all(partial, residual));
    });
  }
  auto sum = compile(sum_of);
  if (how == "two") {
    auto rest = compile([](const Tensor& x, const Tensor& residual) { return norm(residual + x); });
    return measure(world, rows, batches, [&](const Tensor& partial, const Tensor& residual) {
      eval(rest(sum(partial), residual));
    });
  }
  auto add = compile([](const Tensor& x, const Tensor& residual) { return residual + x; });
  auto normed = compile(norm);
  return measure(world, rows, batches, [&](const Tensor& partial, const Tensor& residual) {
    eval(normed(add(sum(partial), residual)));
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures a sum over ranks with what follows it.");
  std::string how;
  std::vector<std::string> keys;
  int batches = 15;
  app.add_option("how", how)->required()->check(CLI::IsMember({"one", "two", "three"}));
  app.add_option("keys", keys, "ROWS")->required();
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    World world = init();
    for (const std::string& key : keys) {
      const double taken = measure(world, how, std::stoll(key), batches);
      if (world.rank() == 0) {
        std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << taken << "}\n";
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "bench_norm_of_sum: " << error.what() << "\n";
    return 1;
  }
}
