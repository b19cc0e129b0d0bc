#include <tutti/tutti.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
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
