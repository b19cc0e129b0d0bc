#include <array>
#include <deque>
#include <sstream>
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

// Since the last time: how many kernels ran that were a collective with what follows it, or with
// what makes its operand, and how many recordings were launched.
int fused_kernels() { return lines_with("fake_cuda_operations", "_then_"); }
int led_kernels() { return lines_with("fake_cuda_operations", "_after_"); }
int replays() { return lines_with("fake_cuda_calls", "cuGraphLaunch"); }

// Sums, gathers and scatters between layers, each with a kernel behind it.
std::vector<Tensor> layers(const Tensor& x, const Tensor& bias, const Group& group) {
  const Tensor residual = x * 3;
  const Tensor sum = all_reduce(x * 2, group) + bias;                       // broadcast
  const Tensor more = maximum(all_reduce(sum - x, group) - residual, sum);  // several operands
  const Tensor part = reduce_scatter(minimum(more, 9), group) * 2 + 1;
  const Tensor all = all_gather(part + 1, group) - bias;
  return {all, more};
}

using Led = Tensor (*)(const Tensor& x, const Tensor& bias, const Group& group);

// One collective each, of what a kernel makes; all but the first have one behind them, too.
constexpr std::array<Led, 4> kLed = {[](const Tensor& x, const Tensor& bias, const Group& group) {
                                       return sum(all_reduce(x * bias, group), {1});
                                     },
                                     [](const Tensor& x, const Tensor& bias, const Group& group) {
                                       return all_reduce(x * bias, group) + bias;
                                     },
                                     [](const Tensor& x, const Tensor& bias, const Group& group) {
                                       return all_gather(maximum(x, bias), group) * 2;
                                     },
                                     [](const Tensor& x, const Tensor& bias, const Group& group) {
                                       return reduce_scatter(x + bias, group) - bias;
                                     }};

// leads RUNS WORD...: each of them, of the dtypes that are named, as below.
void leads(const Arguments& arguments) {
  const int runs = std::stoi(arguments.at(0));
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const Group host = Group(world).with_backends("shm");
  std::string said;
  for (std::size_t word = 1; word < arguments.size(); ++word) {
    const DType dtype = dtype_from_name(arguments[word]).value();
    for (const Led led : kLed) {
      const auto over = [&](const Group& of) {
        return compile([=](const Tensor& x, const Tensor& bias) { return led(x, bias, of); });
      };
      auto own = over(group);
      auto of_host = over(host);
      std::deque<Tensor> kept;  // so that no address comes again soon
      for (int run = 0; run < runs; ++run) {
        const std::int64_t rows = 4 * world.size();
        const std::int64_t columns = word % 2 == 0 ? 16 : 7;
        const Tensor numbers = (arange(rows * columns, DType::i32) + world.rank() + run) % 3;
        const Tensor x = from(reshape(cast(numbers, dtype), {rows, columns}).array());
        const Tensor bias = from(cast((arange(columns, DType::i32) + run) % 3, dtype).array());
        kept.push_back(x);
        if (kept.size() > 5) kept.pop_front();
        const auto wanted = cast(of_host(x, bias), DType::f64).to_vector<double>();
        led_kernels();
        replays();
        const Tensor got = own(x, bias);
        eval(got);
        const bool replayed = replays() == 1;
        expect(cast(got, DType::f64).to_vector<double>() == wanted);
        const int count = led_kernels();
        if (run + 1 < runs) continue;
        said += (replayed ? "replayed " : "launched ") + std::to_string(count) + " led\n";
      }
      expect(own.plan().find("\n     first launch ") != std::string::npos);
    }
  }
  world.close();
  if (!on_doubles()) return say("all right");
  say(said.substr(0, said.size() - 1));
}

// follows RUNS WORD...: those layers with arguments that lie elsewhere each time, of the dtypes
// that are named. Each result is compared with the host's; says of the last run of each whether it
// was recorded, and which kernels ran.
void follows(const Arguments& arguments) {
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
    auto own = compile([&](const Tensor& x, const Tensor& bias) { return layers(x, bias, group); });
    auto of_host =
        compile([&](const Tensor& x, const Tensor& bias) { return layers(x, bias, host); });
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
      fused_kernels();
      replays();
      const std::vector<Tensor> got = own(x, bias);
      eval(got);
      const bool replayed = replays() == 1;
      for (std::size_t i = 0; i < got.size(); ++i) {
        expect(cast(got[i], DType::f64).to_vector<double>() == wanted[i]);
      }
      const int fused = fused_kernels();
      if (run + 1 < runs) continue;
      said += (replayed ? "replayed " : "launched ") + std::to_string(fused) + " fused\n";
    }
    expect(own.plan().find("\n     then launch ") != std::string::npos);
  }
  world.close();
  if (!on_doubles()) return say("all right");
  say(said.substr(0, said.size() - 1));
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
  const int fused = fused_kernels();
  world.close();
  say(!on_doubles() ? "all right" : fused > 0 ? "fused" : "apart");
}

}  // namespace

Scenarios following_scenarios() {
  return {{"leads", leads}, {"follows", follows}, {"follows_in_a_loop", follows_in_a_loop}};
}

}  // namespace tutti::test
