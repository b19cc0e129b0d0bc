// How long start and wait of an all_reduce take (f32, sum), without the front end: the operand lies
// in memory that peers can reach, the runtime says where the result is.
//
//   tutti launch -n 2 -- bench_all_reduce 16:2000 1048576:10
//
// An argument is a size in bytes and how many calls a batch has. Rank 0 prints a line of JSON a
// size: the median over the batches of the seconds a call takes.
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/launch_environment.h>
#include <tutti/runtime/comm/shm/shm.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;
using namespace tutti::runtime;

struct Size {
  std::int64_t bytes;
  int calls;
};

Size read_size(const std::string& text) {
  std::size_t end = 0;
  const std::int64_t bytes = std::stoll(text, &end);
  if (end >= text.size() || text[end] != ':') throw std::invalid_argument(text);
  return {bytes, std::stoi(text.substr(end + 1))};
}

// This process's rank among all.
class Rank {
 public:
  Rank() {
    const LaunchEnvironment launched = read_launch_environment();
    if (launched.ranks < 2) throw UsageError("start this as ranks: tutti launch -n 2 -- ...");
    fabric_ = std::make_shared<ShmFabric>(ShmOptions{
        .rendezvous = launched.rendezvous, .rank = launched.rank, .ranks = launched.ranks});
    backend_ = std::make_unique<HostBackend>(fabric_, launched.rank);
    std::vector<std::int64_t> everybody(static_cast<std::size_t>(launched.ranks));
    std::iota(everybody.begin(), everybody.end(), 0);
    world_ = backend_->communicator(everybody, "world");
  }

  bool prints() const { return backend_->rank() == 0; }
  void barrier() { world_->start({.kind = CollectiveKind::barrier})->wait(); }

  // The seconds that a call takes, batch by batch.
  std::vector<double> measure(const Size& size, int batches) {
    const std::int64_t elements = size.bytes / static_cast<std::int64_t>(sizeof(float));
    const std::shared_ptr<Buffer> operand =
        backend_->allocate(static_cast<std::size_t>(size.bytes));
    auto* const values = reinterpret_cast<float*>(operand->data());
    std::fill_n(values, elements, static_cast<float>(backend_->rank() + 1));
    const std::shared_ptr<const PreparedCall> call =
        world_->prepare({.kind = CollectiveKind::all_reduce, .parts = {{.elements = elements}}});
    const auto all_reduce = [&] {
      const std::shared_ptr<Work> work = world_->start(call, {&operand, 1});
      work->wait();
      return work->result(0);
    };

    const auto ranks = static_cast<float>(backend_->ranks());
    const std::shared_ptr<Buffer> sum = all_reduce();
    const auto* const sums = reinterpret_cast<const float*>(sum->data());
    if (std::count(sums, sums + elements, ranks * (ranks + 1) / 2) != elements) {
      throw InternalError("the sum is wrong");
    }
    std::vector<double> seconds;
    for (int batch = -1; batch < batches; ++batch) {  // the first warms up
      barrier();
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < size.calls; ++i) all_reduce();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (batch >= 0) seconds.push_back(taken.count() / size.calls);
    }
    barrier();
    return seconds;
  }

 private:
  std::shared_ptr<ShmFabric> fabric_;
  std::unique_ptr<HostBackend> backend_;
  std::shared_ptr<Communicator> world_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures all_reduce between the processes of one host.");
  std::vector<std::string> sizes;
  int batches = 15;
  app.add_option("sizes", sizes, "BYTES:CALLS")->required();
  app.add_option("--batches", batches, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    Rank rank;
    for (const std::string& text : sizes) {
      const Size size = read_size(text);
      std::vector<double> seconds = rank.measure(size, batches);
      const auto median = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
      std::nth_element(seconds.begin(), median, seconds.end());
      if (rank.prints()) {
        std::cout << "{\"key\": \"" << size.bytes << "\", \"seconds\": " << *median << "}\n";
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "bench_all_reduce: " << error.what() << "\n";
    return 1;
  }
}
