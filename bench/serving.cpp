// What clients wait for that call one compiled function, each a thread and a World of its own with
// one compute thread, over weights that they have in common.
//
//   bench_serving [--clients N] [--calls N] [--largest N]
//
// A call takes a batch: of one size all the time (half the largest), then of sizes from 1 to the
// largest at random. All calls count, those that compile among them. Prints a line of JSON for the
// median of each and the time that 99 of 100 calls take at most, and a line of text with the ratio
// of the latter for random sizes to the median for the fixed one, and the memory of the process
// after a tenth of the calls and after all.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWidth = 128;
constexpr int kLayers = 4;

struct Block {
  nn::Norm norm;
  nn::Linear in;
  nn::Linear out;
  TUTTI_FIELDS(norm, in, out)
};
using Model = std::vector<Block>;

Model make_model() {
  Model model;
  Key key(1);
  for (int i = 0; i < kLayers; ++i) {
    const auto [first, second, next] = split<3>(key);
    model.push_back({nn::norm(kWidth), nn::linear(first, kWidth, 2 * kWidth),
                     nn::linear(second, 2 * kWidth, kWidth)});
    key = next;
  }
  return model;
}

Tensor apply(const Model& model, Tensor x) {
  for (const Block& block : model) x = x + block.out(gelu(block.in(block.norm(x))));
  return softmax(x);
}

// In MiB.
double resident() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double here = 0;
  file >> all >> here;
  return here * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

struct Load {
  int clients = 1;
  int calls = 1;  // of all clients
  std::int64_t largest = 1;
  bool random = false;
};

struct Measured {
  std::vector<double> seconds;  // of each call, sorted
  double memory_early = 0;
  double memory = 0;

  double at(double part) const {
    return seconds[static_cast<std::size_t>(part * static_cast<double>(seconds.size() - 1))];
  }
};

Measured measure(const Load& load) {
  const Shared<Model> weights = share(make_model());
  const auto f = compile(apply);
  Measured out;
  const auto client = [&](int number) {
    const World world = init({.threads = 1});
    const Model model = weights.on(world);
    auto own = f.on(world);
    std::minstd_rand random(static_cast<unsigned>(number) + 1);
    std::uniform_int_distribution<std::int64_t> any(1, load.largest);
    const int calls = load.calls / load.clients;
    std::vector<double> seconds;
    for (int i = 0; i < calls; ++i) {
      const std::int64_t rows = load.random ? any(random) : (load.largest + 1) / 2;
      const std::vector<float> numbers(static_cast<std::size_t>(rows * kWidth), 0.5F);
      const auto begin = Clock::now();
      const Tensor y = own(model, from(numbers, {rows, kWidth}));
      if (y.host<float>().size() != numbers.size()) throw std::runtime_error("another size");
      seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      if (number == 0 && i == calls / 10) out.memory_early = resident();
    }
    return seconds;
  };
  std::vector<std::future<std::vector<double>>> clients;
  for (int i = 0; i < load.clients; ++i) {
    clients.push_back(std::async(std::launch::async, client, i));
  }
  for (auto& each : clients) {
    const std::vector<double> seconds = each.get();
    out.seconds.insert(out.seconds.end(), seconds.begin(), seconds.end());
  }
  out.memory = resident();
  std::sort(out.seconds.begin(), out.seconds.end());
  return out;
}

void print(const char* key, double seconds) {
  std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << seconds << "}\n";
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures calls of one compiled function from several threads.");
  Load load = {.clients = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
               .calls = 100'000,
               .largest = 256};
  app.add_option("--clients", load.clients, "threads; as many as cores if not said")
      ->check(CLI::PositiveNumber);
  app.add_option("--calls", load.calls, "of all clients")->check(CLI::PositiveNumber);
  app.add_option("--largest", load.largest, "rows of a batch")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  load.calls = std::max(load.calls, load.clients);
  const Measured fixed = measure(load);
  load.random = true;
  const Measured random = measure(load);
  print("fixed_median", fixed.at(0.5));
  print("fixed_p99", fixed.at(0.99));
  print("random_median", random.at(0.5));
  print("random_p99", random.at(0.99));
  print("random_p999", random.at(0.999));
  std::printf(
      "p99 of random sizes / median of the fixed one: %.2f; memory after a tenth %.0f MiB, "
      "after all %.0f MiB\n",
      random.at(0.99) / fixed.at(0.5), random.memory_early, random.memory);
} catch (const std::exception& error) {
  std::cerr << "bench_serving: " << error.what() << "\n";
  return 1;
}
