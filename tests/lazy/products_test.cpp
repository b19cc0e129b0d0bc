#include <cmath>
#include <limits>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/run_graph.h"

// What the user's functions of dot_general, conv and attention add to the ops, whose meaning is
// tested in tests/ops.
namespace tutti::test::products_test {
namespace {

TEST(DotGeneral, CountsNegativeAxesFromTheEnd) {
  const Tensor x = normal({2, 3, 4}, Key(1));
  const Tensor y = normal({2, 5, 4}, Key(2));
  const Tensor z =
      dot_general(x, y, {.contract_x = {-1}, .contract_y = {-1}, .batch_x = {-3}, .batch_y = {0}});
  EXPECT_TRUE(close(z.array(), matmul(x, transpose(y, {0, 2, 1})).array()));
  expect_error<TypeError>([&] { dot_general(x, y, {.contract_x = {3}, .contract_y = {2}}); },
                          {"dot_general: axis 3"});
}

TEST(DotGeneral, OfAVectorCopiesNothingToBecomeMatrices) {
  auto f = compile([](const Tensor& x, const Tensor& y) {
    return dot_general(x, y + 1.F, {.contract_x = {0}, .contract_y = {1}});
  });
  f(ones({7}), ones({64, 7, 2}));
  EXPECT_THAT(f.plan(), testing::AllOf(testing::HasSubstr("1: launch add_mul_sum"),
                                       testing::Not(testing::HasSubstr("  2: "))));
}

TEST(Conv, OneNumberStandsForAllDimensions) {
  const Tensor x = normal({1, 2, 7, 6}, Key(1));
  const Tensor w = normal({3, 2, 3, 3}, Key(2));
  const Tensor all = conv(x, w, {.stride = {2}, .padding = {1}});
  const Tensor each =
      conv(x, w, {.stride = {2, 2}, .padding = {{1, 1}, {1, 1}}, .dilation = {1, 1}});
  EXPECT_EQ(all.shape(), (Shape{1, 3, 4, 3}));
  EXPECT_EQ(all.to_vector<float>(), each.to_vector<float>());
  EXPECT_EQ(conv(x, w).shape(), (Shape{1, 3, 5, 4}));
  EXPECT_EQ(conv(x, w, {.padding = {{0, 2}}}).shape(), (Shape{1, 3, 7, 6}));
}

TEST(Conv, OfOneDimensionIsACorrelation) {
  const Tensor x = reshape(tensor({1.F, 2.F, 3.F, 4.F}), {1, 1, 4});
  const Tensor w = reshape(tensor({10.F, 1.F}), {1, 1, 2});
  EXPECT_EQ(conv(x, w).to_vector<float>(), (Floats{12, 23, 34}));
}

TEST(CrossEntropy, IsWhatTheLogarithmOfSoftmaxHas) {
  const Tensor logits = normal({5, 7}, Key(1));
  const Tensor labels = tensor({0, 6, 3, 9, -2});
  const Tensor picked = take_along_axis(log_softmax(logits), expand_dims(labels, {1}), 1);
  EXPECT_TRUE(close(cross_entropy(logits, labels).array(), (-squeeze(picked, {1})).array()));
  EXPECT_TRUE(close(nn::cross_entropy(logits, labels).array(), (-mean(picked)).array()));
}

// Attention as its parts, which the whole is compared with.
Tensor parts(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor scores = matmul(q, transpose(k, {0, 2, 1})) / std::sqrt(double(q.size(-1)));
  const Shape shape = scores.shape();
  const Tensor seen = iota({shape[1], shape[2]}, 0) >= iota({shape[1], shape[2]}, 1);
  return matmul(softmax(select(seen, scores, -std::numeric_limits<double>::infinity())), v);
}

TEST(Attention, HasGradientsOfAnyOrder) {
  const auto [k1, k2, k3, k4] = split<4>(Key(7));
  const std::vector<Tensor> x = {normal({2, 70, 3}, k1, DType::f64),
                                 normal({2, 66, 3}, k2, DType::f64),
                                 normal({2, 66, 4}, k3, DType::f64)};
  const Tensor weight = normal({2, 70, 4}, k4, DType::f64);
  const auto second = [&](auto attend) {
    const auto loss = [&](const std::vector<Tensor>& t) {
      return sum(tanh(attend(t[0], t[1], t[2])) * weight);
    };
    const auto slope = [&](const std::vector<Tensor>& t) {
      const std::vector<Tensor> first = grad(loss)(t);
      return sum(sin(first[0])) + sum(first[1] * first[1]) + sum(cos(first[2]));
    };
    return grad(slope)(x);
  };
  const std::vector<Tensor> whole = second([](const Tensor& q, const Tensor& k, const Tensor& v) {
    return attention(q, k, v, {.causal = true});
  });
  const std::vector<Tensor> expected = second(parts);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(close(whole[i].array(), expected[i].array(), 1000)) << i;
  }
}

TEST(Attention, TakesAMaskAndOptions) {
  const Tensor q = normal({1, 3, 2}, Key(1));
  const Tensor mask = tensor({true, false, true});
  const Tensor hidden = tensor({{false, false, false}});
  EXPECT_EQ(attention(q, q, q, hidden).to_vector<float>(), Floats(6, 0.F));
  const Tensor expected =
      matmul(softmax(select(mask, matmul(q, transpose(q, {0, 2, 1})) * 3.F, -1e30F)), q);
  EXPECT_TRUE(close(attention(q, q, q, mask, {.scale = 3}).array(), expected.array()));
}

}  // namespace
}  // namespace tutti::test::products_test
