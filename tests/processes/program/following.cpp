#include <array>
#include <deque>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/processes/program/doubles.h"
#include "tests/processes/program/scenario.h"

namespace tutti::test {

namespace {

int lines_with(const char* list, std::string_view word) {
  using Text = const char*();
  int out = 0;
  if (!on_doubles()) return out;
  std::istringstream lines(driver_control<Text>(list)());
  for (std::string line; std::getline(lines, line);) out += line.find(word) != line.npos ? 1 : 0;
  return out;
}

// A kernel that goes with a collective.
struct Companion {
  std::string_view in_plans;
  std::string_view in_names;  // of kernels that do both
  std::string_view said;
};
constexpr Companion kFollows = {"\n     then launch ", "_then_", "fused"};
constexpr Companion kLeads = {"\n     first launch ", "_after_", "led"};

// Since the last time: how many kernels ran that were a collective with such a one, and how many
// recordings were launched.
int kernels_with(const Companion& companion) {
  return lines_with("fake_cuda_operations", companion.in_names);
}
int replays() { return lines_with("fake_cuda_calls", "cuGraphLaunch"); }

using Tensors = std::vector<Tensor>;
using Layers = Tensors (*)(const Tensor& x, const Tensor& bias, const Group& group);

// Sums, gathers and scatters between layers, each with a kernel behind it.
Tensors layers(const Tensor& x, const Tensor& bias, const Group& group) {
  const Tensor residual = x * 3;
  const Tensor sum = all_reduce(x * 2, group) + bias;                       // broadcast
  const Tensor more = maximum(all_reduce(sum - x, group) - residual, sum);  // several operands
  const Tensor part = reduce_scatter(minimum(more, 9), group) * 2 + 1;
  const Tensor all = all_gather(part + 1, group) - bias;
  return {all, more};
}

// One collective each, of what a kernel makes; all but the first have one behind them, too.
constexpr std::array<Layers, 4> kLed = {
    [](const Tensor& x, const Tensor& bias, const Group& group) -> Tensors {
      return {sum(all_reduce(x * bias, group), {1})};
    },
    [](const Tensor& x, const Tensor& bias, const Group& group) -> Tensors {
      return {all_reduce(x * bias, group) + bias};
    },
    [](const Tensor& x, const Tensor& bias, const Group& group) -> Tensors {
      return {all_gather(maximum(x, bias), group) * 2};
    },
    [](const Tensor& x, const Tensor& bias, const Group& group) -> Tensors {
      return {reduce_scatter(x + bias, group) - bias};
    }};

// RUNS WORD...: each program in so many runs with arguments that lie elsewhere each time, of the
// dtypes that are named. Each result is compared with the host's; says of the last run of each
// whether it was recorded, and how many kernels were a collective with its companion.
void compare_with_host(const Arguments& arguments, std::span<const Layers> programs,
                       const Companion& companion) {
  const int runs = std::stoi(arguments.at(0));
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const Group host = Group(world).with_backends("shm");
  const auto numbers = [](std::int64_t count, std::int64_t first, DType dtype) {
    return cast((arange(count, DType::i32) + first) % 3, dtype);
  };
  std::string said;
  for (std::size_t word = 1; word < arguments.size(); ++word) {
    const DType dtype = dtype_from_name(arguments[word]).value();
    const std::int64_t columns = word % 2 == 0 ? 16 : 7;
    for (const Layers program : programs) {
      const auto over = [&](const Group& of) {
        return compile([=](const Tensor& x, const Tensor& bias) { return program(x, bias, of); });
      };
      auto own = over(group);
      auto of_host = over(host);
      std::deque<Tensor> kept;  // so that no address comes again soon
      for (int run = 0; run < runs; ++run) {
        const std::int64_t rows = 4 * world.size();
        const Tensor all = numbers(rows * columns, world.rank() + run, dtype);
        const Tensor x = from(reshape(all, {rows, columns}).array());
        const Tensor bias = from(numbers(columns, run, dtype).array());
        kept.push_back(x);
        if (kept.size() > 5) kept.pop_front();
        std::vector<std::vector<double>> wanted;
        for (const Tensor& each : of_host(x, bias)) {
          wanted.push_back(cast(each, DType::f64).to_vector<double>());
        }
        kernels_with(companion);
        replays();
        const Tensors got = own(x, bias);
        eval(got);
        const bool replayed = replays() == 1;
        expect(got.size() == wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          expect(cast(got[i], DType::f64).to_vector<double>() == wanted[i]);
        }
        const int count = kernels_with(companion);
        if (run + 1 < runs) continue;
        said += (replayed ? "replayed " : "launched ") + std::to_string(count) + " ";
        said += std::string(companion.said) + "\n";
      }
      expect(own.plan().find(companion.in_plans) != std::string::npos);
    }
  }
  world.close();
  if (!on_doubles()) return say("all right");
  say(said.substr(0, said.size() - 1));
}

void leads(const Arguments& arguments) { compare_with_host(arguments, kLed, kLeads); }

void follows(const Arguments& arguments) {
  compare_with_host(arguments, std::array<Layers, 1>{layers}, kFollows);
}

// In a loop, whose carry the kernel behind the collective computes.
void follows_in_a_loop(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const auto ranks = static_cast<float>(world.size());
  auto loop = compile([&](const Tensor& x) {
    return for_loop(
        6,
        [&](const Tensor&, const Tensor& y) -> Tensor {
          return all_reduce(y * 0.5F, group) * (1.F / ranks) + y * 0.5F + 1.F;
        },
        x);
  });
  for (int run = 0; run < 4; ++run) {
    const Tensor x = from(full({6}, 1.F + static_cast<float>(run)).array());
    expect(loop(x).to_vector<float>() == std::vector<float>(6, 7.F + static_cast<float>(run)));
  }
  expect(loop.plan().find("then launch ") != std::string::npos);
  const int fused = kernels_with(kFollows);
  world.close();
  say(!on_doubles() ? "all right" : fused > 0 ? "fused" : "apart");
}

}  // namespace

Scenarios following_scenarios() {
  return {{"leads", leads}, {"follows", follows}, {"follows_in_a_loop", follows_in_a_loop}};
}

}  // namespace tutti::test
