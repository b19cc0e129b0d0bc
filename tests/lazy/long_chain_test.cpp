#include "tests/lazy/lazy_testing.h"

// A million ops in a row: recorded, differentiated, evaluated and released without deep recursion;
// views, too.
namespace tutti::test::long_chain_test {
namespace {

constexpr int kOps = 1'000'000;

TEST(LongChain, IsEvaluatedPieceByPiece) {
  Tensor x = tensor(0.F);
  for (int i = 0; i < kOps; ++i) x = x + 1.F;
  EXPECT_EQ(x.item<float>(), 1'000'000);
}

// While a function is differentiated all of it is kept.
TEST(LongChain, IsRecordedDifferentiatedAndDropped) {
  const auto chain = [](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < kOps; ++i) y = -y;
    return y;
  };
  const Tensor gradient = grad(chain)(tensor(2.F));
  EXPECT_EQ(gradient.shape(), Shape{});
}

TEST(LongChain, OfViewsThatNobodyWaitsForIsDropped) {
  AsyncTensor x = all_reduce(ones({2}), Group({0}));
  for (int i = 0; i < 200'000; ++i) x = reverse(x, {0});
  EXPECT_EQ(x.shape(), Shape({2}));
  x = AsyncTensor();
  EXPECT_FALSE(x.defined());
}

}  // namespace
}  // namespace tutti::test::long_chain_test
