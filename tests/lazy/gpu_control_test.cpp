// Loops and branches of a user on a GPU: the same numbers as on the host.

#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/tutti.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "tests/support/gpu.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::gpu_control_test {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

class GpuControl : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  }
  void TearDown() override { set_default_device(Device::cpu()); }
};

// What a program gives on the host and on the GPU, each where new tensors lie by default.
void expect_same(const std::function<std::vector<Tensor>()>& program) {
  set_default_device(Device::cpu());
  std::vector<std::vector<float>> expected;
  for (const Tensor& tensor : program()) expected.push_back(tensor.to_vector<float>());
  set_default_device(Device::cuda());
  const std::vector<Tensor> given = program();
  ASSERT_EQ(given.size(), expected.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(given[i].device(), Device::cuda()) << i;
    EXPECT_THAT(given[i].to_vector<float>(), Pointwise(FloatNear(1e-5F), expected[i])) << i;
  }
}

TEST_F(GpuControl, LoopsAndBranchesGiveWhatTheyDoOnTheHost) {
  expect_same([] {
    const Tensor w = tensor({{0.5F, -0.25F}, {0.125F, 1.F}});
    const auto cell = [&](const Tensor& h, const Tensor& x) {
      const Tensor next = tanh(matmul(reshape(h, {1, 2}), w) + x);
      return std::pair(reshape(next, {2}), sum(next));
    };
    const auto [last, sums] = scan(cell, zeros({2}), cast(reshape(arange(12), {6, 2}), DType::f32));
    const Tensor powers = for_loop(
        5, [&](const Tensor& i, const Tensor& x) { return x * 2 + cast(i, DType::f32); },
        ones({3}));
    const Tensor root = while_loop([](const Tensor& x) { return max(x * x) > 2.F; },
                                   [](const Tensor& x) { return x * 0.9F; }, last * 4);
    const Tensor chosen = cond(
        sum(powers) > 3.F, [](const Tensor& x) { return x + 1; },
        [](const Tensor& x) { return x * x; }, powers);
    return std::vector<Tensor>{last, sums, powers, root, chosen};
  });
}

TEST_F(GpuControl, GradientsGoThroughLoopsAndBranches) {
  expect_same([] {
    const auto loss = [](const std::pair<Tensor, Tensor>& both) {
      const auto& [w, xs] = both;
      const auto cell = [&](const Tensor& h, const Tensor& x) {
        const Tensor next = tanh(h * w + x);
        return std::pair(next, next * next);
      };
      const auto [last, squares] = scan(cell, zeros({3}), xs);
      const Tensor more =
          for_loop(3, [&](const Tensor&, const Tensor& h) { return sin(h) * w; }, last);
      return sum(cond(
                 sum(last) > 0.F, [](const Tensor& h) { return h * 2; },
                 [](const Tensor& h) { return h * h; }, more)) +
             sum(squares);
    };
    const auto [value, gradients] = value_and_grad(loss)(std::pair<Tensor, Tensor>(
        tensor({0.5F, 1.F, -0.5F}), cast(reshape(arange(12), {4, 3}), DType::f32) * 0.1F));
    return std::vector<Tensor>{value, gradients.first, gradients.second};
  });
}

// The count of the steps lies where the carries do.
TEST_F(GpuControl, ALoopRunsWhereItsTensorsLieWhateverTheDefaultIs) {
  const Tensor x = to(tensor({1.F, 2.F}), Device::cuda());
  const Tensor step = to(tensor({0.5F, 0.25F}), Device::cuda());
  const auto [y, n] = for_loop(
      4,
      [&](const Tensor& i, const std::tuple<Tensor, Tensor>& carry) {
        const auto& [a, b] = carry;
        return std::tuple(a + step * 3 + cast(i, DType::f32), b + 1);
      },
      std::tuple(x, x * 0));
  EXPECT_EQ(y.device(), Device::cuda());
  EXPECT_THAT(y.to_vector<float>(), ElementsAre(13, 11));
  EXPECT_THAT(n.to_vector<float>(), ElementsAre(4, 4));
  const auto more = [](const Tensor& a) { return a + 1; };
  const auto less = [](const Tensor& a) { return a - 1; };
  for (const bool yes : {true, false}) {
    const Tensor chosen = cond(full({}, yes, DType::boolean), more, less, x);
    EXPECT_EQ(chosen.device(), Device::cuda());
    EXPECT_THAT(chosen.to_vector<float>(), ElementsAre(yes ? 2 : 0, yes ? 3 : 1));
  }
}

TEST_F(GpuControl, CompiledLoopsShowTheirRegions) {
  set_default_device(Device::cuda());
  auto f = compile([](Tensor x) {
    return for_loop(
        10, [](const Tensor&, const Tensor& h) { return tanh(h) + reverse(h, {0}); }, x);
  });
  Tensor x = full({4}, 0.5F);
  const Tensor first = f(x);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(f(x).to_vector<float>(), first.to_vector<float>());
  }
  EXPECT_THAT(f.plan(), HasSubstr("scan r0 @"));
  EXPECT_THAT(f.plan(), HasSubstr("on cuda:0"));
  EXPECT_THAT(f.cuda(), HasSubstr("__global__"));
}

TEST_F(GpuControl, LoopsCommunicate) {
  simulate(2, [](World& world) {
    set_default_device(Device::cuda());
    auto f = compile([&](Tensor x) {
      return for_loop(
          3, [&](const Tensor&, const Tensor& h) -> Tensor { return all_reduce(h, world) / 2; }, x);
    });
    const Tensor x = full({5}, static_cast<float>(world.rank() + 1));
    for (int run = 0; run < 3; ++run) {
      EXPECT_THAT(f(x).to_vector<float>(), testing::Each(1.5F));
    }
    set_default_device(Device::cpu());
  });
}

// The loop works in the memory that a product read, whose epilogue comes behind the loop.
TEST_F(GpuControl, WhatALoopOverwritesWasReadBefore) {
  const ir::Graph graph = ir::parse(R"(
private func @step(%h: f32[32,16] on cuda:0, %b: f32[16] on cuda:0) {
  %0 = constant() {value = f32[] 1}
  %1 = add(%h, %0)
  %2 = add(%b, %0)
  return %1, %2
}
func @f(%x: f32[32,16] on cuda:0, %w: f32[16,16] on cuda:0, %v: f32[16] on cuda:0) {
  %0 = neg(%x)
  %1 = matmul(%0, %w)
  %2, %3 = scan(%0, %v) {body = @step, carries = 2, sequences = 0, length = 3}
  %4 = add(%1, %3)
  return %2, %4
}
)")
                              .functions[0];
  std::vector<Array> inputs;
  for (const ir::Parameter& parameter : graph.parameters()) {
    Array& input = inputs.emplace_back(DType::f32, graph.type(parameter.value).shape);
    std::ranges::fill(input.data<float>(), 2.F);
  }
  const std::vector<Array> expected = ir::interpret(graph, inputs);
  const std::vector<Array> given = test::run_on_gpu(graph, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(given[i].bytes(), expected[i].bytes())) << i;
  }
}

TEST_F(GpuControl, NumbersGoWhereTheLoopRuns) {
  const Tensor x = to(tensor({1.F, 2.F}), Device::cuda());
  auto f = compile([](Tensor h, float rate) {
    return for_loop(3, [&](const Tensor&, const Tensor& y) { return y * rate + 1; }, h);
  });
  for (const float rate : {0.5F, 2.F}) {
    const float rest = 1 + rate + rate * rate;
    const float cubed = rate * rate * rate;
    EXPECT_THAT(f(x, rate).to_vector<float>(), ElementsAre(cubed + rest, 2 * cubed + rest));
  }
}

TEST_F(GpuControl, ABranchWithoutArgumentsIsChosenFromAnywhere) {
  const auto one = [] { return full({2}, 1.F); };
  const auto two = [] { return full({2}, 2.F); };
  const Tensor x = to(tensor({1.F, 2.F}), Device::cuda());
  const Tensor y = tensor({1.F, 2.F});
  EXPECT_THAT(cond(sum(x) > 1.F, one, two).to_vector<float>(), ElementsAre(1, 1));
  set_default_device(Device::cuda());
  EXPECT_THAT(cond(sum(y) > 5.F, one, two).to_vector<float>(), ElementsAre(2, 2));
  EXPECT_THAT((cond(sum(y) > 5.F, one, two) + x).to_vector<float>(), ElementsAre(3, 4));
}

TEST_F(GpuControl, WhatAStepGivesElsewhereIsAnErrorAtTheLoop) {
  set_default_device(Device::cuda());
  EXPECT_THAT(
      [&] {
        scan(
            [](const Tensor& h, const Tensor& x) { return std::pair(h + x, to(h, Device::cpu())); },
            zeros({2}), ones({3, 2}));
      },
      testing::ThrowsMessage<TypeError>(HasSubstr("copy it behind the loop or branch")));
}

TEST_F(GpuControl, ValuesOnTwoDevicesAreAnErrorAtTheLoop) {
  const Tensor x = to(ones({2}), Device::cuda());
  const Tensor y = ones({2});
  EXPECT_THAT(
      [&] {
        for_loop(
            3,
            [](const Tensor&, const std::tuple<Tensor, Tensor>& carry) {
              const auto& [a, b] = carry;
              return std::tuple(a, b);
            },
            std::tuple<Tensor, Tensor>(x, y));
      },
      testing::ThrowsMessage<TypeError>(HasSubstr("on different devices")));
}

}  // namespace
}  // namespace tutti::gpu_control_test
