#include <tutti/runtime/dylib/cuda.h>
#include <tutti/tutti.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/fake_cuda_process.h"
#include <gtest/gtest.h>

// On the double of the driver.
namespace tutti::cuda_world_test {
namespace {

TEST(WorldOnGpus, EachRankOfAHostHasItsOwn) {
  test::expect_with_fake_cuda("devices=2", [] {
    std::array<int, 3> seen{};
    simulate(3, [&](World& world) {
      seen.at(static_cast<std::size_t>(world.rank())) = world.gpu().index;
    });
    return seen == std::array{0, 1, 0};
  });
}

TEST(WorldOnGpus, TuttiDeviceCudaMeansThatOne) {
  ::setenv("TUTTI_DEVICE", "cuda", 1);
  test::expect_with_fake_cuda("devices=2", [] {
    bool right[2] = {};
    simulate(2, [&](World& world) {
      right[world.rank()] =
          default_device() == Device::cuda(world.rank()) && zeros({4}).device() == world.gpu();
    });
    return right[0] && right[1];
  });
  ::unsetenv("TUTTI_DEVICE");
}

TEST(WorldOnGpus, BackendsArePartOfThePlan) {
  test::expect_with_fake_cuda("devices=1", [] {
    const Group group = Group({0, 1}).with_backends("cpu:shm,cuda:nccl");
    auto f = compile([&](const Tensor& x) { return all_reduce(x, group); });
    AbstractOptions on_gpu;
    on_gpu.device = Device::cuda();
    const std::string plan = f.lower({.world = 2}, abstract({2}, DType::f32, on_gpu)).plan();
    return plan.find(" by nccl (") != std::string::npos;
  });
}

TEST(WorldOnGpus, ConcatsOfMoreTensorsThanAKernelTakesAreRight) {
  test::expect_with_fake_cuda("devices=1", [] {
    constexpr int kParts = 501;
    auto turn = compile([](const Tensor& x) {
      std::vector<Tensor> parts;
      for (int i = kParts; i-- > 0;) parts.push_back(slice(x, {Range{i, i + 1}}));
      return concat(parts);
    });
    std::vector<float> values(kParts);
    std::iota(values.begin(), values.end(), 0.F);
    const Tensor x = to(from(values, {kParts}), Device::cuda());
    std::ranges::reverse(values);
    return turn(x).to_vector<float>() == values;
  });
}

// What so many ranks ask the driver for that are threads, and compute and add up on one GPU.
struct Asked {
  bool right = true;
  int loads = 0;
  int unloads = 0;
  // Copies to the host: to the memory that ranks have in common, and by way of pinned memory.
  int direct = 0;
  int staged = 0;
};
Asked add_up_on_one_gpu(int ranks) {
  std::atomic<bool> right{true};
  simulate(ranks, [&](World& world) {
    auto step = compile([&](const Tensor& x) { return all_reduce(x * 2.F, Group(world)) + x; });
    for (int run = 0; run < 4; ++run) {
      const auto own = static_cast<float>(world.rank() + run);
      const auto sum = static_cast<float>(ranks * (ranks - 1) + 2 * ranks * run);
      const Tensor x = to(full({64}, own), Device::cuda());
      if (step(x).to_vector<float>() != std::vector<float>(64, sum + own)) right = false;
    }
  });
  const auto take_calls = reinterpret_cast<const char* (*)()>(
      runtime::CudaDriver::process().library().symbol("fake_cuda_calls"));
  Asked out{.right = right};
  std::istringstream calls(take_calls());
  for (std::string call; std::getline(calls, call);) {
    out.loads += call.starts_with("cuModuleLoadData") ? 1 : 0;
    out.unloads += call.starts_with("cuModuleUnload") ? 1 : 0;
    if (!call.starts_with("cuMemcpyDtoHAsync")) continue;
    ++(call.find(" registered") != std::string::npos ? out.direct : out.staged);
  }
  return out;
}

TEST(WorldOnGpus, RanksOfOneLoadItsKernelsOnce) {
  test::expect_with_fake_cuda("devices=1,log=on", [] {
    const Asked two = add_up_on_one_gpu(2);
    const Asked four = add_up_on_one_gpu(4);
    return two.right && four.right && two.loads > 0 && four.loads == two.loads &&
           two.unloads == two.loads && four.unloads == four.loads;
  });
}

// Of four runs of a step, each with one value that ranks add up and one that the test reads. The
// memory that threads have in common is private to their process.
TEST(WorldOnGpus, RanksThatAreThreadsGiveToEachOtherThroughPinnedMemory) {
  test::expect_with_fake_cuda("devices=1,log=on", [] {
    const Asked two = add_up_on_one_gpu(2);
    return two.right && two.direct == 0 && two.staged == 2 * (4 + 4);
  });
}

TEST(WorldOnGpus, WithoutAGpuTheErrorSaysSo) {
  test::expect_with_fake_cuda("devices=0", [] {
    bool refused = false;
    simulate(2, [&](World& world) {
      if (world.rank() == 0) return;
      try {
        static_cast<void>(world.gpu());
      } catch (const EnvironmentError&) {
        refused = true;
      }
    });
    return refused;
  });
}

}  // namespace
}  // namespace tutti::cuda_world_test
