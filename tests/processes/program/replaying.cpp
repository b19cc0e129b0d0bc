#include <algorithm>
#include <sstream>
#include <string_view>
#include <tuple>

#include "tests/processes/program/doubles.h"
#include "tests/processes/program/scenario.h"

namespace tutti::test {

namespace {

// How often the driver's double was called, since the last time.
struct Calls {
  int kernels = 0;
  int graphs = 0;
  int recorded = 0;
  int others = 0;

  static Calls take() {
    using Text = const char*();
    std::istringstream lines(driver_control<Text>("fake_cuda_calls")());
    Calls out;
    for (std::string line; std::getline(lines, line);) {
      const std::string_view name = std::string_view(line).substr(0, line.find(' '));
      if (name == "cuGraphLaunch") ++out.graphs;
      if (name == "cuStreamBeginCapture") ++out.recorded;
      if (name == "cuLaunchKernel" || name == "enqueue") ++out.kernels;
      if (name == "cuEventRecord" || name == "cuStreamWaitEvent") ++out.others;
    }
    return out;
  }
  std::string text() const {
    return std::to_string(kernels) + " launches, " + std::to_string(graphs) + " graphs, " +
           std::to_string(recorded) + " recordings, " + std::to_string(others) + " events";
  }
};

// A step of several layers that all communicate.
void launches_of_a_step(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const auto ranks = static_cast<float>(world.size());
  auto step = compile([&](const Tensor& x) {
    Tensor y = x;
    for (int layer = 0; layer < 4; ++layer) {
      y = all_reduce(y * 0.5F, group) * (2.F / ranks) + 1.F;
      y = y * sum(y, {0}, true);
      y = y * 0.F + x + static_cast<float>(layer);
    }
    return y;
  });
  const Tensor x = ones({64});
  std::vector<std::string> seen;
  for (int run = 0; run < 8; ++run) {
    Calls::take();
    const Tensor y = step(x);
    eval(y);
    seen.push_back(Calls::take().text());
    expect(y.to_vector<float>() == std::vector<float>(64, 4.F));
  }
  world.close();
  for (const std::string& each : seen) say(each);
}

}  // namespace

Scenarios replaying_scenarios() { return {{"launches_of_a_step", launches_of_a_step}}; }

}  // namespace tutti::test
