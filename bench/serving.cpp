// What clients wait for that call one compiled function, each a thread and a World of its own with
// one compute thread, over weights that they have in common.
//
//   bench_serving [--clients N] [--calls N] [--largest N]
//
// A call takes a batch: of one size all the time (half the largest), then of sizes from 1 to the
// largest at random. All calls count, those that compile among them. Prints a line of JSON for the
// median of each and the time that 99 of 100 calls take at most, then the same of the processor's
// time that the client's thread took (..._cpu), which other programs of the machine change little;
// and a line of text with the ratio of the latter for random sizes to the median for the fixed one,
// of both, and the memory of the process after a tenth of the calls and after all.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
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

// Of each call, sorted.
class Times {
 public:
  void add(const std::vector<double>& more) {
    seconds_.insert(seconds_.end(), more.begin(), more.end());
    std::sort(seconds_.begin(), seconds_.end());
  }
  // What that part of the calls takes at most.
  double at(double part) const {
    return seconds_[static_cast<std::size_t>(part * static_cast<double>(seconds_.size() - 1))];
  }

 private:
  std::vector<double> seconds_;
};

struct Measured {
  Times wall;
  Times processor;
  double memory_early = 0;
  double memory = 0;
};

// Of the calling thread.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

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
    std::vector<double> wall;
    std::vector<double> processor;
    for (int i = 0; i < calls; ++i) {
      const std::int64_t rows = load.random ? any(random) : (load.largest + 1) / 2;
      const std::vector<float> numbers(static_cast<std::size_t>(rows * kWidth), 0.5F);
      const auto begin = Clock::now();
      const double begin_of_processor = processor_seconds();
      const Tensor y = own(model, from(numbers, {rows, kWidth}));
      if (y.host<float>().size() != numbers.size()) throw std::runtime_error("another size");
      processor.push_back(processor_seconds() - begin_of_processor);
      wall.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      if (number == 0 && i == calls / 10) out.memory_early = resident();
    }
    return std::pair(wall, processor);
  };
  std::vector<std::future<std::pair<std::vector<double>, std::vector<double>>>> clients;
  for (int i = 0; i < load.clients; ++i) {
    clients.push_back(std::async(std::launch::async, client, i));
  }
  for (auto& each : clients) {
    const auto [wall, processor] = each.get();
    out.wall.add(wall);
    out.processor.add(processor);
  }
  out.memory = resident();
  return out;
}

void print(const std::string& key, double seconds) {
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
  for (const auto& [times, of] : {std::pair(&Measured::wall, ""), {&Measured::processor, "_cpu"}}) {
    print(std::string("fixed_median") + of, (fixed.*times).at(0.5));
    print(std::string("fixed_p99") + of, (fixed.*times).at(0.99));
    print(std::string("random_median") + of, (random.*times).at(0.5));
    print(std::string("random_p99") + of, (random.*times).at(0.99));
  }
  std::printf(
      "p99 of random sizes / median of the fixed one: %.2f, of the processor's time %.2f; memory "
      "after a tenth %.0f MiB, after all %.0f MiB\n",
      random.wall.at(0.99) / fixed.wall.at(0.5),
      random.processor.at(0.99) / fixed.processor.at(0.5), random.memory_early, random.memory);
} catch (const std::exception& error) {
  std::cerr << "bench_serving: " << error.what() << "\n";
  return 1;
}
