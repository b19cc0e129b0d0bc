// What launching 64 tensors together saves: the in-place all_reduce of the front end on two ranks,
// as `together` (a Coalesce around all), `each` (one after another, as c10d's calls are launched),
// or `flat` (one tensor of all their elements).
//
//   tutti launch -n 2 -- bench_coalesced together 256_cpu 1048576
//
// A key is a tensor's size in bytes, for the median seconds of a round; "_cpu" counts the
// processor's time of this rank instead. Rank 0 prints a line of JSON a key.
#include <tutti/tutti.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;

constexpr std::int64_t kTensors = 64;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Rounds {
 public:
  Rounds(World& world, const std::string& how, std::int64_t bytes) : world_(world), how_(how) {
    const std::int64_t elements = bytes / static_cast<std::int64_t>(sizeof(float));
    const bool flat = how == "flat";
    for (std::int64_t i = 0; i < (flat ? 1 : kTensors); ++i) {
      own_.push_back(from(full({flat ? kTensors * elements : elements}, 1.F).array()));
    }
  }

  void round() const {
    std::vector<Tensor> tensors = own_;
    if (how_ == "together") {
      Coalesce all(world_);
      for (Tensor& tensor : tensors) all_reduce_(tensor, world_);
      all.wait();
    } else {
      for (Tensor& tensor : tensors) {
        all_reduce_(tensor, world_);
        if (how_ == "each") eval(tensor);
      }
      eval(tensors);
    }
  }

 private:
  World& world_;
  std::string how_;
  std::vector<Tensor> own_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures in-place collectives that are launched together.");
  std::string how;
  std::vector<std::string> keys;
  int batches = 11;
  app.add_option("how", how)->required()->check(CLI::IsMember({"together", "each", "flat"}));
  app.add_option("keys", keys, "BYTES or BYTES_cpu")->required();
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    World world = init();
    for (const std::string& key : keys) {
      const std::int64_t bytes = std::stoll(key);
      const bool processor = key.ends_with("_cpu");
      const Rounds rounds(world, how, bytes);
      const int count = bytes < 100'000 ? 50 : 3;
      std::vector<double> taken;
      for (int batch = -2; batch < batches; ++batch) {  // the first ones warm up
        barrier(world);
        const double begin = processor ? processor_seconds() : seconds();
        for (int i = 0; i < count; ++i) rounds.round();
        const double end = processor ? processor_seconds() : seconds();
        if (batch >= 0) taken.push_back((end - begin) / count);
      }
      const auto median = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
      std::nth_element(taken.begin(), median, taken.end());
      if (world.rank() == 0) {
        std::cout << "{\"key\": \"" << key << "\", \"seconds\": " << *median << "}\n";
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "bench_coalesced: " << error.what() << "\n";
    return 1;
  }
}
