// Reductions from a user's expression.

#include <cmath>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::reduce_function_test {
namespace {

Tensor log_add(const Tensor& x, const Tensor& y) { return maximum(x, y) + log1p(exp(-abs(x - y))); }

class ReduceFunctions : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static void on_ranks(const std::function<void(World&)>& body) {
    simulate(std::get<0>(GetParam()), [&](World& world) {
      world.set_eager(std::get<1>(GetParam()));
      body(world);
    });
  }
};

TEST_P(ReduceFunctions, CombineInTheMembersOrder) {
  on_ranks([](World& world) {
    const auto rank = static_cast<float>(world.rank());
    // Not associative: the order shows.
    const auto halve = [](const Tensor& x, const Tensor& y) { return x * 0.5F + y; };
    float expected = 0;
    for (int r = 0; r < world.size(); ++r) {
      expected = r == 0 ? 1 : expected * 0.5F + static_cast<float>(r + 1);
    }
    const Tensor x = tensor({rank + 1, 2 * (rank + 1)});
    EXPECT_EQ(all_reduce(x, world, halve).to_vector<float>(), Floats({expected, 2 * expected}));
    const Floats at_root = reduce(x, world, halve, world.size() - 1).to_vector<float>();
    const bool root = world.rank() == world.size() - 1;
    EXPECT_EQ(at_root, root ? Floats({expected, 2 * expected}) : Floats({0, 0}));
    const Tensor table = full({3, 2 * world.size()}, rank + 1);
    const AsyncTensor part = reduce_scatter(table, world, halve, 1);
    EXPECT_EQ(part.shape(), Shape({3, 2}));
    EXPECT_EQ(part.to_vector<float>(), Floats(6, expected));
  });
}

TEST_P(ReduceFunctions, TakeAsManyDimensionsAsThereCanBe) {
  on_ranks([](World& world) {
    const auto halve = [](const Tensor& x, const Tensor& y) { return x * 0.5F + y; };
    const std::int64_t columns = 2 * world.size();
    const Tensor flat = iota({6 * columns}, 0, DType::f32) + static_cast<float>(world.rank());
    const Tensor x = reshape(flat, {1, 2, 1, 1, 3, 1, 1, columns});
    const AsyncTensor all = all_reduce(x, world, halve);
    EXPECT_EQ(all.shape(), x.shape());
    EXPECT_EQ(all.to_vector<float>(), all_reduce(flat, world, halve).to_vector<float>());
    const AsyncTensor at_root = reduce(x, world, halve, 0);
    EXPECT_EQ(at_root.shape(), x.shape());
    EXPECT_EQ(at_root.to_vector<float>(), reduce(flat, world, halve, 0).to_vector<float>());
    const AsyncTensor part = reduce_scatter(x, world, halve, 7);
    EXPECT_EQ(part.shape(), Shape({1, 2, 1, 1, 3, 1, 1, 2}));
    EXPECT_EQ(part.to_vector<float>(),
              reduce_scatter(reshape(flat, {6, columns}), world, halve, 1).to_vector<float>());
  });
}

TEST_P(ReduceFunctions, AreExpressionsOfAnyLengthAndDType) {
  on_ranks([](World& world) {
    const auto rank = static_cast<float>(world.rank());
    const float total = all_reduce(tensor({rank}), world, log_add).item<float>();
    float expected = 0;
    for (int r = 0; r < world.size(); ++r) expected += std::exp(static_cast<float>(r));
    EXPECT_NEAR(total, std::log(expected), 1e-5);
    const auto gcd_like = [](const Tensor& x, const Tensor& y) {
      return select(x > y, x % maximum(y, 1), bitwise_xor(x, y));
    };
    EXPECT_EQ(all_reduce(tensor({world.rank()}), world, gcd_like).dtype(), DType::i32);
    const auto either = [](const Tensor& x, const Tensor& y) { return x | y; };
    EXPECT_TRUE(all_reduce(tensor({world.rank() == 0}), world, either).item<bool>());
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, ReduceFunctions,
                         testing::Combine(testing::Values(1, 2, 4), testing::Bool()));

TEST(ReduceFunction, HasTheGradientOfItsExpression) {
  simulate(3, [](World& world) {
    const Tensor x = tensor({static_cast<float>(world.rank() + 2)});
    const Tensor slope = grad([&](const Tensor& t) -> Tensor {
      return sum(all_reduce(t, world, [](const Tensor& a, const Tensor& b) { return a * b; }));
    })(x);
    EXPECT_FLOAT_EQ(slope.item<float>(), 24.F / static_cast<float>(world.rank() + 2));
  });
}

TEST(ReduceFunction, RefusesWhatIsNoCombinationOfElements) {
  simulate(2, [](World& world) {
    const Tensor x = zeros({4});
    expect_error<TypeError>(
        [&] { all_reduce(x, world, [](const Tensor& a, const Tensor& b) { return a > b; }); },
        {"f32 elements gives bool"});
    expect_error<TypeError>(
        [&] { all_reduce(x, world, [](const Tensor& a, const Tensor& b) { return sum(a) + b; }); },
        {"element by element", "sum"});
    expect_error<UsageError>(
        [&] { all_reduce(x, world, [&](const Tensor& a, const Tensor&) { return a + x; }); },
        {"captures a tensor"});
    expect_error<TypeError>(
        [&] {
          reduce_scatter(zeros({3}), world, [](const Tensor& a, const Tensor& b) { return a + b; });
        },
        {"2 members do not divide"});
  });
}

}  // namespace
}  // namespace tutti::test::reduce_function_test
