#include "tools/comm_test/rank.h"

#include <tutti/codegen/time_text.h>
#include <tutti/lazy/context.h>
#include <tutti/runtime/comm/nccl_calls.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tools/comm_test/tested_call.h"
#include <nlohmann/json.hpp>

namespace tutti::tools {

namespace {

using runtime::Buffer;
using runtime::CollectiveKind;
using runtime::Reduction;

constexpr int kBatches = 5;
constexpr std::int64_t kMostCalls = 1'000'000;

struct Row {
  TestedCollective what;
  TestedWay way;
  bool usual = true;  // of several algorithms: the one that is taken where nobody asks
  std::int64_t bytes = 0;
  double seconds = 0;  // of a call
  std::int64_t wrong = 0;

  double algorithm_bandwidth() const { return static_cast<double>(bytes) / seconds / 1e9; }
  double bus_bandwidth() const {
    return algorithm_bandwidth() * bus_factor(what.kind, what.members);
  }
};

// What the ranks agree on beside what is measured, always through the host's memory.
class Talk {
 public:
  explicit Talk(runtime::Context& context) : context_(context) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(context.ranks()));
    std::iota(all.begin(), all.end(), 0);
    group_ = context.backend->communicator(all, "comm-test talk");
  }

  void barrier() { group_->start({.kind = CollectiveKind::barrier})->wait(); }
  template <class T>
  T combined(T own, CollectiveKind kind, Reduction reduction) {
    const std::shared_ptr<Buffer> operand = context_.backend->allocate(sizeof(T));
    std::memcpy(operand->data(), &own, sizeof(T));
    const auto call = group_->prepare(
        {.kind = kind, .reduction = reduction, .dtype = dtype_of<T>, .parts = {{.elements = 1}}});
    const auto work = group_->start(call, std::span(&operand, 1));
    work->wait();
    T out;
    std::memcpy(&out, work->result(0)->data(), sizeof(T));
    return out;
  }
  std::int64_t sum(std::int64_t own) {
    return combined(own, CollectiveKind::all_reduce, Reduction::sum);
  }
  double mean(double own) { return combined(own, CollectiveKind::all_reduce, Reduction::mean); }
  std::int64_t of_rank_0(std::int64_t own) {
    return combined(own, CollectiveKind::broadcast, Reduction::sum);
  }

 private:
  runtime::Context& context_;
  std::shared_ptr<runtime::Communicator> group_;
};

// Elements so that each member's part is as large; one each at least.
std::int64_t elements_of(std::int64_t bytes, DType dtype, std::int64_t members) {
  const std::int64_t each = std::max<std::int64_t>(1, bytes / size_of(dtype) / members);
  return each * members;
}

// Those of the algorithms that there may be for the collective between GPUs. Which there are for
// these GPUs and this size is seen when they are called.
void add_rows_between_gpus(std::vector<Row>& out, Row row, const CommTest& test) {
  const CollectiveKind kind = row.what.kind;
  const bool has_kernels = kind == CollectiveKind::all_reduce ||
                           kind == CollectiveKind::all_gather ||
                           kind == CollectiveKind::reduce_scatter;
  const std::int64_t usual = runtime::CollectiveCall{}.one_shot_up_to;  // as programs have it there
  row.usual = false;                                                    // as far as is known before
  for (const std::string& algorithm : test.algorithms) {
    const bool two_shot = algorithm == "two_shot";
    row.way.own_kernels = two_shot || algorithm == "one_shot" || algorithm == "multimem";
    if (row.way.own_kernels && !has_kernels) continue;
    if (two_shot && kind != CollectiveKind::all_reduce) continue;
    row.way.algorithm = algorithm;
    row.way.group_memory = algorithm == "nccl" ? 0 : 1;  // how much, all rows say together
    row.way.one_shot_up_to = usual;
    if (two_shot) row.way.one_shot_up_to = -1;
    if (algorithm == "one_shot" && kind == CollectiveKind::all_reduce) {
      row.way.one_shot_up_to = std::numeric_limits<std::int64_t>::max();
    }
    out.push_back(row);
  }
}

std::vector<Row> rows_of(runtime::Context& context, const CommTest& test, Device device) {
  std::vector<Row> out;
  const std::string& engine = test.backends.engine(device);
  const auto members = static_cast<int>(context.ranks());
  for (const CollectiveKind kind : test.collectives) {
    for (const std::int64_t size : test.sizes) {
      Row row;
      row.what = {.kind = kind,
                  .dtype = test.dtype,
                  .members = members,
                  .elements = elements_of(size, test.dtype, members)};
      row.bytes = row.what.elements * size_of(test.dtype);
      row.way = {.engine = engine, .algorithm = "", .device = device};
      runtime::CollectiveCall call;
      call.kind = kind;
      call.dtype = test.dtype;
      call.parts.push_back({.elements = row.what.operand_elements()});
      if (engine == "nccl" && !runtime::nccl_serves(call, members)) row.way.engine = "shm";
      const std::int64_t usual = context.backend->algorithms()
                                     .rule(kind, Reduction::sum, test.dtype, members)
                                     .one_shot_up_to;
      row.way.one_shot_up_to = usual;
      if (row.way.engine == "nccl" && members > 1) {
        add_rows_between_gpus(out, row, test);
        continue;
      }
      if (row.way.engine != "shm" || kind == CollectiveKind::send_recv) {
        out.push_back(row);
        continue;
      }
      const bool usually_one_shot = row.what.operand_elements() * size_of(test.dtype) <= usual;
      for (const std::string& algorithm : test.algorithms) {
        if (!is_of_host(algorithm)) continue;
        const bool one_shot = algorithm == "one_shot";
        row.way.algorithm = algorithm;
        row.way.one_shot_up_to = one_shot ? std::numeric_limits<std::int64_t>::max() : -1;
        row.usual = one_shot == usually_one_shot;
        out.push_back(row);
      }
    }
  }
  // So that a group takes its memory once.
  std::size_t group_memory = 0;
  for (const Row& row : out) group_memory = std::max(group_memory, group_memory_of(row.what));
  for (Row& row : out) {
    if (row.way.group_memory > 0) row.way.group_memory = group_memory;
  }
  return out;
}

// On all ranks together: how long a call takes, and whether it is right before and after that.
// False where it goes another way than the row says, so that there is nothing to measure.
bool run_row(runtime::Context& context, Talk& talk, Row& row, double seconds) {
  TestedCall tested(context, row.what, row.way);
  row.wrong = tested.check(1);
  // The first call in a group's memory opens that to the others, and works on copies.
  if (row.way.group_memory > 0) row.wrong += tested.check(2);
  const bool goes_on =
      row.way.engine != "nccl" || row.way.algorithm.empty() || tested.way() == row.way.algorithm;
  if (talk.sum(goes_on ? 0 : 1) > 0) {
    row.wrong = talk.sum(row.wrong);
    return false;
  }
  talk.barrier();
  const double once = std::max(tested.measure(2), 1e-9);
  const double wanted = std::clamp(seconds / kBatches / once, 1.0, static_cast<double>(kMostCalls));
  const std::int64_t calls = talk.of_rank_0(std::llround(wanted));
  std::array<double, kBatches> batches{};
  for (double& batch : batches) {
    talk.barrier();
    batch = tested.measure(calls);
  }
  std::ranges::sort(batches);
  row.seconds = talk.mean(batches[kBatches / 2]);
  talk.barrier();
  row.wrong += tested.check(3);
  row.wrong = talk.sum(row.wrong);
  return true;
}

void print_row(const Row& row) {
  const std::string way =
      row.way.algorithm.empty() ? row.way.engine : row.way.algorithm + (row.usual ? "*" : "");
  const std::chrono::nanoseconds time(std::llround(row.seconds * 1e9));
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "%-19s %-10s %12lld %12s %10.4g %10.4g %8lld",
                std::string(name_of(row.what.kind)).c_str(), way.c_str(),
                static_cast<long long>(row.bytes), codegen::text_of(time).c_str(),
                row.algorithm_bandwidth(), row.bus_bandwidth(), static_cast<long long>(row.wrong));
  std::cout << line.data() << std::endl;
}

void print_row_as_json(const Row& row) {
  nlohmann::json out = {{"collective", name_of(row.what.kind)},
                        {"engine", row.way.engine},
                        {"device", row.way.device.is_cpu() ? "cpu" : "cuda"},
                        {"dtype", name_of(row.what.dtype)},
                        {"ranks", row.what.members},
                        {"bytes", row.bytes},
                        {"seconds", row.seconds},
                        {"algorithm_bandwidth", row.algorithm_bandwidth() * 1e9},
                        {"bus_bandwidth", row.bus_bandwidth() * 1e9},
                        {"wrong", row.wrong}};
  if (!row.way.algorithm.empty()) out["algorithm"] = row.way.algorithm;
  std::cout << out.dump() << std::endl;
}

void print_header(const CommTest& test, std::int64_t ranks, Device device) {
  const std::string& engine = test.backends.engine(device);
  const bool chooses = engine == "shm";
  const bool has_ways = chooses || engine == "nccl";
  std::cout << ranks << (ranks == 1 ? " rank" : " ranks") << ", "
            << (device.is_cpu() ? "cpu" : "cuda") << ":" << engine << ", " << name_of(test.dtype)
            << (chooses ? "; * is what is taken where nobody asks for another\n" : "\n")
            << "collective          " << (has_ways ? "algorithm " : "engine    ")
            << "        bytes         time algbw GB/s busbw GB/s    wrong" << std::endl;
}

}  // namespace

std::int64_t run_comm_test(World& world, const CommTest& test, const CommTestOptions& options) {
  runtime::Context& context = world.context()->runtime();
  const Device device = options.on_gpus ? world.gpu() : Device::cpu();
  Talk talk(context);
  const bool prints = world.rank() == 0;
  if (prints && !options.json) print_header(test, context.ranks(), device);
  std::int64_t wrong = 0;
  std::set<std::string> gone;  // ways that some collective went
  std::set<std::string> not_gone;
  for (Row& row : rows_of(context, test, device)) {
    const bool ran = run_row(context, talk, row, options.seconds);
    wrong += row.wrong;
    if (row.way.engine == "nccl" && !row.way.algorithm.empty())
      (ran ? gone : not_gone).insert(row.way.algorithm);
    if (prints && ran) options.json ? print_row_as_json(row) : print_row(row);
  }
  for (const std::string& way : not_gone) {
    if (!prints || gone.contains(way)) continue;
    std::cerr << "comm-test: none of these goes by " << way
              << " between these GPUs; TUTTI_LOG=gpu says why, or the sizes are others'\n";
  }
  if (prints && !options.json) {
    std::cout << (wrong == 0 ? "all results are right"
                             : std::to_string(wrong) + " elements are wrong")
              << std::endl;
  }
  return wrong;
}

}  // namespace tutti::tools
