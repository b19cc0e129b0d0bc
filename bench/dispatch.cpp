// What the front end costs by itself, where the data is so small that nothing else counts.
//
//   bench_dispatch call_30 trace_30 trace_1000
//
// call_30: a call of a compiled function of 30 ops on 16 elements, its result there. trace_N: an op
// of a function of about N ops, recorded as compile() records it, the trace and all handles
// dropped. Prints a line of JSON each: the median over the batches of the seconds it takes.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "small_function.h"
#include <CLI/CLI.hpp>

namespace {

using namespace tutti;
using namespace tutti::bench;

// The seconds that one of `count` operations takes, which f() does.
double measure(int batches, int count, const std::function<void()>& f) {
  std::vector<double> seconds;
  for (int batch = -1; batch < batches; ++batch) {  // the first warms up
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (batch >= 0) seconds.push_back(taken.count() / count);
  }
  const auto median = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), median, seconds.end());
  return *median;
}

double measure_calls(int batches) {
  constexpr int kCalls = 1000;
  auto f = compile([](Tensor a) { return small_function(a, 10); });
  const Tensor a = ones({16});
  eval(a);
  return measure(batches, kCalls, [&] {
    for (int i = 0; i < kCalls; ++i) f(a);
  });
}

double measure_tracing(int batches, int rounds) {
  const int traces = 20'000 / (kOpsOfRound * rounds);
  return measure(batches, traces * kOpsOfRound * rounds, [&] {
    for (int i = 0; i < traces; ++i) trace_small_function(rounds);
  });
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures calls of compiled functions and tracing.");
  std::vector<std::string> keys;
  int batches = 21;
  app.add_option("keys", keys)
      ->required()
      ->check(CLI::IsMember({"call_30", "trace_30", "trace_1000"}));
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const std::string& key : keys) {
    const double seconds = key == "call_30"
                               ? measure_calls(batches)
                               : measure_tracing(batches, key == "trace_30" ? 10 : 333);
    std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << seconds << "}\n";
  }
} catch (const std::exception& error) {
  std::cerr << "bench_dispatch: " << error.what() << "\n";
  return 1;
}
