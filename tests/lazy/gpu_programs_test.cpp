// Programs of a user on a GPU: the same numbers as on the host, however they are run.

#include <tutti/runtime/comm/engine.h>
#include <tutti/tutti.h>

#include <cmath>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/gpu.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::gpu_programs_test {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

class GpuProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  }
  void TearDown() override { set_default_device(Device::cpu()); }
};

struct Model {
  Tensor words;
  nn::Norm norm;
  nn::Linear hidden, out;
  TUTTI_FIELDS(words, norm, hidden, out)
};

// What a few steps of training end with, and the loss of each.
std::tuple<std::vector<float>, std::vector<float>> train(Device device, int steps) {
  set_default_device(device);
  const auto [k1, k2, k3] = split<3>(Key(7));
  Model model{normal({11, 24}, k1), nn::norm(24), nn::linear(k2, 24, 40), nn::linear(k3, 40, 11)};
  const AdamW adamw;
  AdamW::State state = adamw.init(model);
  const auto loss = [](const Model& m, const Tensor& x, const Tensor& y) {
    const Tensor h = gelu(m.hidden(m.norm(take(m.words, x))), Gelu::tanh);
    return nn::cross_entropy(m.out(h), y);
  };
  auto step = compile([&](Model m, AdamW::State s, Tensor x, Tensor y, float rate) {
    auto [value, grads] = value_and_grad(loss)(m, x, y);
    std::tie(m, s) = adamw.update(m, grads, s, rate);
    return std::tuple(m, s, value);
  });
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) {
    std::vector<std::int32_t> x;
    std::vector<std::int32_t> y;
    for (int j = 0; j < 32; ++j) {
      x.push_back((i + 3 * j) % 11);
      y.push_back((i + 3 * j + 1) % 11);
    }
    Tensor value;
    std::tie(model, state, value) =
        step(std::move(model), std::move(state), from(x, {32}), from(y, {32}), 1e-2F);
    EXPECT_EQ(value.device(), device);
    losses.push_back(value.item<float>());
  }
  EXPECT_EQ(step.programs(), 1U);
  return {model.out.weight.to_vector<float>(), losses};
}

TEST_F(GpuProgram, TrainsAsOnTheHost) {
  const auto [host_weight, host_losses] = train(Device::cpu(), 6);
  const auto [weight, losses] = train(Device::cuda(), 6);
  EXPECT_THAT(losses, Pointwise(FloatNear(1e-4F), host_losses));
  EXPECT_THAT(weight, Pointwise(FloatNear(1e-3F), host_weight));
  EXPECT_LT(losses.back(), losses.front());
}

TEST_F(GpuProgram, IsEvaluatedWhereItsOperandsLie) {
  const Tensor host = tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}});
  const Tensor x = to(host, Device::cuda());
  const Tensor y = softmax(matmul(x, transpose(x, {1, 0})) * 0.1F) + 1;
  EXPECT_EQ(y.device(), Device::cuda());
  const Tensor expected = softmax(matmul(host, transpose(host, {1, 0})) * 0.1F) + 1;
  EXPECT_THAT(y.to_vector<float>(), Pointwise(FloatNear(1e-6F), expected.to_vector<float>()));
  EXPECT_THAT(to(sum(x, {0}), Device::cpu()).to_vector<float>(), ElementsAre(5, 7, 9));
}

TEST_F(GpuProgram, ShowsItsKernels) {
  set_default_device(Device::cuda());
  auto f = compile([](Tensor x) { return tanh(x) * 2 + 1; });
  f(ones({64}));
  EXPECT_THAT(f.cuda(), HasSubstr("__global__"));
  EXPECT_THAT(f.cuda(), HasSubstr("gpu_programs_test.cpp"));
  EXPECT_THAT(f.plan(), HasSubstr("on cuda:0"));
}

TEST_F(GpuProgram, RanksOfOneProcessShareAGpu) {
  simulate(2, [](World& world) {
    set_default_device(Device::cuda());
    const Tensor x = full({5}, float(world.rank() + 1));
    EXPECT_EQ(x.device(), Device::cuda());
    const Tensor sum = all_reduce(x * 2, world);
    EXPECT_EQ(sum.device(), Device::cuda());
    EXPECT_THAT((sum + x).to_vector<float>(), testing::Each(6 + world.rank() + 1));
    auto f = compile([&](Tensor a) -> Tensor { return all_reduce(a, world) / 2; });
    Tensor a = x;
    for (int i = 0; i < 3; ++i) a = f(a);
    EXPECT_THAT(a.to_vector<float>(), testing::Each(1.5F));
  });
}

TEST_F(GpuProgram, ValuesAreShownAndCheckedOnTheHost) {
  set_default_device(Device::cuda());
  auto f = compile([](const Tensor& x) {
    const Tensor h = debug_print("h", x * 2.F);
    return check_finite(log(h), "log h") + debug_print("one", ones({}));
  });
  testing::internal::CaptureStdout();
  const Tensor y = f(tensor({1.F, 2.F}));
  EXPECT_EQ(y.device(), Device::cuda());
  EXPECT_FLOAT_EQ(y.to_vector<float>()[1], std::log(4.F) + 1);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("h: f32[2] [2, 4]\n"));
  testing::internal::CaptureStdout();
  EXPECT_THROW(f(tensor({1.F, 0.F})).to_vector<float>(), NumericError);
  testing::internal::GetCapturedStdout();
}

// Its values are brought to the host for it, and back.
TEST_F(GpuProgram, AnotherEngineCarriesWhatLiesOnAGpu) {
  static const bool loaded = [] {
    runtime::EngineRegistry::process().load(test::built("libsockets_engine.so"));
    return true;
  }();
  ASSERT_TRUE(loaded);
  simulate(2, [](World& world) {
    const Group group = Group(world).with_backends("cpu:shm,cuda:sockets");
    set_default_device(Device::cuda());
    const Tensor x = full({5}, float(world.rank() + 1));
    const Tensor sum = all_reduce(x * 2, group);
    EXPECT_EQ(sum.device(), Device::cuda());
    EXPECT_THAT((sum + x).to_vector<float>(), testing::Each(6 + world.rank() + 1));
    const Tensor all = all_gather(x, group);
    EXPECT_THAT(all.to_vector<float>(), ElementsAre(1, 1, 1, 1, 1, 2, 2, 2, 2, 2));
    auto f = compile([&](Tensor a) -> Tensor { return all_reduce(a, group) / 2; });
    Tensor a = x;
    for (int i = 0; i < 3; ++i) a = f(a);
    EXPECT_THAT(a.to_vector<float>(), testing::Each(1.5F));
    EXPECT_THAT(f.plan(), HasSubstr("sockets"));
  });
}

TEST_F(GpuProgram, IsReadByTheRankThatComputesIt) {
  Tensor x;
  {
    World world = init();
    x = to(ones({1 << 12}), Device::cuda()) * 3;
    eval(x);
    std::thread([&] { EXPECT_THROW(x.to_vector<float>(), UsageError); }).join();
    std::thread([&] {
      world.attach();
      EXPECT_THAT(x.to_vector<float>(), testing::Each(3.F));
    }).join();
    world.attach();
  }
  std::thread([&] { EXPECT_THAT(x.to_vector<float>(), testing::Each(3.F)); }).join();
}

TEST_F(GpuProgram, MixingDevicesIsAnErrorThatNamesBothLines) {
  const Tensor host = ones({3});
  const Tensor x = to(ones({3}), Device::cuda());
  try {
    const Tensor y = x + host;
    FAIL() << "no error";
  } catch (const TypeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cuda:0"));
    EXPECT_THAT(error.what(), HasSubstr("to("));
    EXPECT_THAT(error.what(), HasSubstr("gpu_programs_test.cpp"));
  }
}

TEST_F(GpuProgram, AGpuThatIsNotThereIsAnErrorThatSaysSo) {
  EXPECT_THROW(to(ones({3}), Device::cuda(200)).to_vector<float>(), EnvironmentError);
}

}  // namespace
}  // namespace tutti::gpu_programs_test
