#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::share_test {
namespace {

struct Layer {
  Tensor weight;
  std::optional<Tensor> bias;
  std::int64_t heads = 1;
  TUTTI_FIELDS(weight, bias, heads)
};

TEST(Share, ManyRanksComputeWithTheSameMemory) {
  const Layer layer{.weight = tensor({1.F, 2.F}) * 2.F, .bias = tensor({3.F}), .heads = 5};
  const Shared<Layer> shared = share(layer);
  const HostData<float> data = layer.weight.host<float>();
  const auto f = compile([](const Layer& given, const Tensor& x) {
    return given.weight * x + *given.bias + given.heads;
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const World world = init({.threads = 1});
      const Layer own = shared.on(world);
      EXPECT_EQ(own.heads, 5);
      const HostData<float> same = own.weight.host<float>();
      EXPECT_EQ(same.data(), data.data());
      const auto x = static_cast<float>(i);
      for (int call = 0; call < 50; ++call) {
        EXPECT_EQ(f.on(world)(own, full({}, x)).to_vector<float>(), Floats({2 * x + 8, 4 * x + 8}));
      }
      EXPECT_EQ((own.weight + 1.F).to_vector<float>(), Floats({3, 5}));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Share, NothingIsTakenOver) {
  auto f = compile([](const Tensor& x) { return x + 1.F; });
  const World world = init();
  Shared<Tensor> shared = share(tensor({1.F, 2.F}));
  Tensor own = shared.on(world);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(f(shared.on(world)).to_vector<float>(), Floats({2, 3}));
    EXPECT_EQ(own.to_vector<float>(), Floats({1, 2}));
  }
  EXPECT_EQ(f(std::move(own)).to_vector<float>(), Floats({2, 3}));
  EXPECT_EQ(shared.on(world).to_vector<float>(), Floats({1, 2}));
}

TEST(Share, DataOutlivesTheRankThatHadIt) {
  std::optional<Shared<Tensor>> shared;
  std::thread([&] {
    const World world = init();
    shared = share(arange(1000) * std::int64_t{2});
  }).join();
  const World world = init();
  const Tensor own = shared->on(world);
  shared.reset();
  EXPECT_EQ(sum(own).item<std::int64_t>(), 999 * 1000);
}

TEST(Share, TakesNoDistributedTensor) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const std::map<std::string, DistributedTensor> model = {
        {"w", distribute(tensor({1.F, 2.F}), mesh, {Shard(0)})}};
    expect_error<UsageError>([&] { share(model); },
                             {"share: 'w' is a distributed tensor", "[Shard(0)]", "full()"});
  });
}

TEST(Share, OfAnotherRankItVariesUntilItIsReplicated) {
  const Shared<Tensor> shared = share(tensor({1.F, 2.F}));
  simulate(2, [&](World& world) {
    const Tensor own = shared.on(world);
    const auto loss = [&](const Tensor& w) {
      return all_reduce(sum(w * (cast(rank_index(world), DType::f32) + 1.F)), world);
    };
    EXPECT_EQ(grad(loss)(replicated(own, world)).to_vector<float>(), Floats({3, 3}));
    const Shared<Tensor> again = share(replicated(own, world));
    EXPECT_EQ(grad(loss)(again.on(world)).to_vector<float>(), Floats({3, 3}));
  });
}

TEST(Share, WaitsForWhatCollectivesGive) {
  simulate(2, [](World& world) {
    using Pair = std::pair<AsyncTensor, Tensor>;
    const Pair both = {all_reduce(ones({3}), world), ones({2})};
    const Shared<Pair> shared = share(both);
    EXPECT_EQ(shared.on(world).first.wait().to_vector<float>(), Floats({2, 2, 2}));
    EXPECT_EQ(shared.on(world).second.to_vector<float>(), Floats({1, 1}));
  });
}

TEST(Share, WhatHasNoValueOrLiesElsewhereIsNamed) {
  expect_error<UsageError>([] { share(Layer{}); }, {"share: 'weight'", "never given a value"});
  auto f = compile([](const Tensor& x) {
    share(x);
    return x;
  });
  expect_error<UsageError>([&] { f(ones({2})); }, {"no data to read"}, __LINE__ - 3);
}

}  // namespace
}  // namespace tutti::test::share_test
