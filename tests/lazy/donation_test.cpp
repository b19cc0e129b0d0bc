#include "tests/lazy/lazy_testing.h"

// What a compiled function may do with the memory of arguments that are moved in.
namespace tutti::test::donation_test {
namespace {

const void* memory_of(const Tensor& tensor) { return tensor.state()->buffer->data(); }

Tensor ready(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return from(values, {count});
}

TEST(Donation, AnArgumentThatIsMovedInBecomesTheResult) {
  auto step = compile([](const Tensor& x) { return x * 2.F + 1.F; });
  Tensor x = ready({1, 2, 3});
  const void* const memory = memory_of(x);
  for (int i = 0; i < 4; ++i) {
    x = step(std::move(x));
    EXPECT_EQ(memory_of(x), memory);
  }
  EXPECT_EQ(x.to_vector<float>(), Floats({31, 47, 63}));
}

TEST(Donation, AnArgumentThatIsOnlyPassedIsKept) {
  auto step = compile([](const Tensor& x) { return x * 2.F; });
  const Tensor x = ready({1, 2, 3});
  for (int i = 0; i < 3; ++i) {
    const Tensor y = step(x);
    EXPECT_NE(memory_of(y), memory_of(x));
    EXPECT_EQ(x.to_vector<float>(), Floats({1, 2, 3}));
  }
}

TEST(Donation, AnyArgumentWillDo) {
  auto step = compile([](const Tensor& w, const Tensor& x) { return w * x; });
  const Tensor w = ready({2, 2, 2});
  Tensor x = ready({1, 2, 3});
  const void* const memory = memory_of(x);
  for (int i = 0; i < 3; ++i) x = step(w, std::move(x));
  EXPECT_EQ(memory_of(x), memory) << "w is kept, x is not";
  EXPECT_EQ(x.to_vector<float>(), Floats({8, 16, 24}));
  EXPECT_EQ(w.to_vector<float>(), Floats({2, 2, 2}));
}

TEST(Donation, AnArgumentBecomesOneResult) {
  auto step = compile([](const Tensor& x) { return std::tuple(x * 2.F, x * 3.F, x * 4.F); });
  for (int i = 0; i < 3; ++i) {
    const auto [a, b, c] = step(ready({1, 2}));
    EXPECT_EQ(a.to_vector<float>(), Floats({2, 4}));
    EXPECT_EQ(b.to_vector<float>(), Floats({3, 6}));
    EXPECT_EQ(c.to_vector<float>(), Floats({4, 8}));
  }
}

TEST(Donation, ASecondHandleKeepsTheArgument) {
  auto step = compile([](const Tensor& x) { return x * 2.F; });
  for (int i = 0; i < 3; ++i) {
    Tensor x = ready({1, 2, 3});
    const Tensor kept = x;  // NOLINT(performance-unnecessary-copy-initialization)
    const Tensor y = step(std::move(x));
    EXPECT_NE(memory_of(y), memory_of(kept));
    EXPECT_EQ(kept.to_vector<float>(), Floats({1, 2, 3}));
  }
}

TEST(Donation, WhatIsRecordedButNotComputedKeepsTheArgument) {
  auto step = compile([](const Tensor& x) { return x * 2.F; });
  for (int i = 0; i < 3; ++i) {
    Tensor x = ready({1, 2, 3});
    const Tensor later = x + 1.F;
    const Tensor y = step(std::move(x));
    EXPECT_EQ(y.to_vector<float>(), Floats({2, 4, 6}));
    EXPECT_EQ(later.to_vector<float>(), Floats({2, 3, 4}));
  }
}

TEST(Donation, WhatIsRecordedAndHeldByNobodyKeepsNoArgument) {
  auto step = compile([](const Tensor& x) { return x * 2.F + 1.F; });
  Tensor x = ready({1, 2, 3});
  const void* const memory = memory_of(x);
  for (int i = 0; i < 4; ++i) {
    x = step(std::move(x));
    EXPECT_EQ(memory_of(x), memory);
    const Tensor dropped = mean(x);
  }
  EXPECT_EQ(x.to_vector<float>(), Floats({31, 47, 63}));
}

TEST(Donation, TheSameTensorTwiceIsKept) {
  auto step = compile([](const Tensor& x, const Tensor& y) { return std::tuple(x + y, x - y); });
  for (int i = 0; i < 3; ++i) {
    Tensor x = ready({1, 2, 3});
    Tensor y = x;
    const auto [sum, difference] = step(std::move(x), std::move(y));
    EXPECT_EQ(sum.to_vector<float>(), Floats({2, 4, 6}));
    EXPECT_EQ(difference.to_vector<float>(), Floats({0, 0, 0}));
  }
}

TEST(Donation, AResultThatSharesAnArgumentsMemoryKeepsIt) {
  auto step = compile([](const Tensor& x) { return std::tuple(x, x * 2.F); });
  for (int i = 0; i < 3; ++i) {
    const auto [same, twice] = step(ready({1, 2, 3}));
    EXPECT_EQ(same.to_vector<float>(), Floats({1, 2, 3}));
    EXPECT_EQ(twice.to_vector<float>(), Floats({2, 4, 6}));
    const auto [again, four] = step(same);
    EXPECT_EQ(again.to_vector<float>(), Floats({1, 2, 3}));
    EXPECT_EQ(memory_of(again), memory_of(same));
  }
}

struct Model {
  std::vector<Tensor> weights;
  Tensor bias;
  TUTTI_FIELDS(weights, bias)
};

TEST(Donation, AModelIsUpdatedInPlace) {
  auto step = compile([](Model model, const Tensor& x, float rate) {
    for (Tensor& weight : model.weights) weight = weight - rate * x * weight;
    model.bias = model.bias - rate * sum(x);
    return model;
  });
  Model model{.weights = {ready({1, 2}), ready({3, 4})}, .bias = tensor({5.F})};
  const std::vector<const void*> memory = {memory_of(model.weights[0]), memory_of(model.weights[1]),
                                           memory_of(model.bias)};
  for (int i = 0; i < 3; ++i) model = step(std::move(model), ready({1, 0}), 0.5F);
  EXPECT_EQ(memory_of(model.weights[0]), memory[0]);
  EXPECT_EQ(memory_of(model.weights[1]), memory[1]);
  EXPECT_EQ(memory_of(model.bias), memory[2]);
  EXPECT_EQ(model.weights[0].to_vector<float>(), Floats({0.125F, 2}));
  EXPECT_EQ(model.weights[1].to_vector<float>(), Floats({0.375F, 4}));
  EXPECT_EQ(model.bias.to_vector<float>(), Floats({3.5F}));
}

TEST(Donation, WhatPeersMayReadIsKept) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& x) { return all_reduce(x, world) + x * 0.F; });
    Tensor x = ready({1, 2, 3});
    for (int i = 0; i < 5; ++i) {
      const void* const memory = memory_of(x);
      x = step(std::move(x));
      EXPECT_NE(memory_of(x), memory);
    }
    EXPECT_EQ(x.to_vector<float>(), Floats({32, 64, 96}));
  });
}

}  // namespace
}  // namespace tutti::test::donation_test
