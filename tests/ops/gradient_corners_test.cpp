#include <tutti/tutti.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

// Gradients where a formula alone would give NaN or count twice: ties, zeros, bounds, masked
// places.
namespace tutti::test::gradient_corners_test {
namespace {

using Doubles = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// d sum(f(x)) / dx.
template <class F>
Doubles gradient(F&& f, const Doubles& x) {
  return grad([&](const Tensor& t) { return sum(f(t)); })(
             from(x, {static_cast<std::int64_t>(x.size())}))
      .template to_vector<double>();
}

TEST(GradientCorners, OfPowers) {
  const auto base = [](double exponent) {
    return [=](const Tensor& t) { return pow(t, exponent); };
  };
  EXPECT_EQ(gradient(base(0), {0, 1, -2}), Doubles({0, 0, 0}));
  EXPECT_EQ(gradient(base(1), {0, 1, -2}), Doubles({1, 1, 1}));
  EXPECT_EQ(gradient(base(2), {0, 1, -2}), Doubles({0, 2, -4}));
  EXPECT_EQ(gradient(base(-1), {1, -2}), Doubles({-1, -0.25}));
  const auto exponent = [](double b) { return [=](const Tensor& t) { return pow(b, t); }; };
  EXPECT_EQ(gradient(exponent(0), {1, 2}), Doubles({0, 0}));
  EXPECT_EQ(gradient(exponent(1), {1, 2}), Doubles({0, 0}));
}

TEST(GradientCorners, TiesShareEvenly) {
  EXPECT_EQ(gradient([](const Tensor& t) { return max(t); }, {3, 1, 3, 3}),
            Doubles({1. / 3, 0, 1. / 3, 1. / 3}));
  EXPECT_EQ(gradient([](const Tensor& t) { return min(t); }, {1, 1}), Doubles({0.5, 0.5}));
  const Tensor other = tensor({2.0, 2.0, 2.0});
  EXPECT_EQ(gradient([&](const Tensor& t) { return maximum(t, other); }, {1, 2, 3}),
            Doubles({0, 0.5, 1}));
  EXPECT_EQ(gradient([&](const Tensor& t) { return minimum(other, t); }, {1, 2, 3}),
            Doubles({1, 0.5, 0}));
  EXPECT_EQ(gradient([](const Tensor& t) { return maximum(t, t); }, {4}), Doubles({1}));
}

TEST(GradientCorners, OfRunningProductsWithZeros) {
  const auto forwards = [](const Tensor& t) { return cumprod(t, 0); };
  const auto backwards = [](const Tensor& t) { return cumprod(t, 0, true); };
  EXPECT_EQ(gradient(forwards, {2, 0, 3}), Doubles({1, 8, 0}));
  EXPECT_EQ(gradient(backwards, {3, 0, 2}), Doubles({0, 8, 1}));
  EXPECT_EQ(gradient(forwards, {0, 0}), Doubles({1, 0}));
  EXPECT_EQ(gradient(forwards, {5}), Doubles({1}));
  // What is behind the ten products leaves f32.
  std::vector<float> x(200, 2);
  x[0] = 0;
  const Tensor slope = grad(
      [](const Tensor& t) { return sum(slice(cumprod(t, 0), {Range{0, 10}})); })(from(x, {200}));
  EXPECT_EQ(slope.to_vector<float>()[0], 1023);
  EXPECT_EQ(sum(slope).item<float>(), 1023);
  EXPECT_EQ(gradient(forwards, {}), Doubles({}));
}

TEST(GradientCorners, OfRunningExtremesGoToTheLastThatReachedThem) {
  const auto largest = [](const Tensor& t) { return cummax(t, 0); };
  EXPECT_EQ(gradient(largest, {1, 3, 3, 2}), Doubles({1, 1, 2, 0}));
  EXPECT_EQ(gradient([](const Tensor& t) { return cummax(t, 0, true); }, {2, 3, 3, 1}),
            Doubles({0, 2, 1, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return cummin(t, 0); }, {2, 2, 1, 5}),
            Doubles({1, 1, 2, 0}));
  EXPECT_EQ(gradient(largest, {1, NAN, 2}), Doubles({1, 2, 0}));
}

// Sums of many in 16 bits: bf16 cannot count beyond 256, f16 not beyond 2048.
TEST(GradientCorners, SixteenBitsAddUpInMore) {
  const Tensor words = zeros({2}, DType::bf16);
  const auto taken = [](const Tensor& t) { return sum(take(t, zeros({1000}, DType::i32))); };
  EXPECT_EQ(cast(grad(taken)(words), DType::f64).to_vector<double>(), Doubles({1000, 0}));

  const Tensor same = zeros({70000}, DType::f16);
  const Tensor share = grad([](const Tensor& t) { return max(t); })(same);
  EXPECT_EQ(cast(slice(share, {{0, 1}}), DType::f64).to_vector<double>(),
            Doubles({double(Float16(1.F / 70000))}));

  const auto added = [](const Tensor& t) {
    return for_loop(
        1000, [&](const Tensor&, const Tensor& c) { return c + t; }, zeros({}, DType::bf16));
  };
  EXPECT_EQ(cast(grad(added)(zeros({}, DType::bf16)), DType::f64).item<double>(), 1000);

  const auto filled = [](const Tensor& t) {
    return sum(pad(zeros({10000}, DType::bf16), {1}, {2}, t));
  };
  EXPECT_EQ(cast(grad(filled)(zeros({}, DType::bf16)), DType::f64).item<double>(), 3);
}

TEST(GradientCorners, OfAProductOverNothing) {
  const auto product = [](const Tensor& t) { return sum(matmul(zeros({2, 3, 0}), t)); };
  EXPECT_EQ(grad(product)(zeros({0, 4})).shape(), Shape({0, 4}));
}

TEST(GradientCorners, NaNsOfAttentionStay) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor k = from(Doubles{nan, 3, 4}, {3, 1});
  const auto attended = [&](const Tensor& v) {
    return sum(attention(ones({2, 1}, DType::f64), k, v));
  };
  EXPECT_THAT(grad(attended)(k).to_vector<double>(), testing::Each(testing::IsNan()));
}

TEST(GradientCorners, AtKinks) {
  EXPECT_EQ(gradient([](const Tensor& t) { return relu(t); }, {-1, 0, 1}), Doubles({0, 0, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return abs(t); }, {-2, 0, 2}), Doubles({-1, 0, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return clamp(t, -1, 1); }, {-2, -1, 0, 1, 2}),
            Doubles({0, 1, 1, 1, 0}));
  EXPECT_EQ(gradient([](const Tensor& t) { return sqrt(t); }, {0, 4}), Doubles({kInfinity, 0.25}));
}

TEST(GradientCorners, OfAnglesWhoseSquaresLeaveTheRange) {
  for (const double far : {1e-200, 1.0, 1e200}) {
    const Tensor other = from(Doubles{far}, {1});
    const auto of_y = gradient([&](const Tensor& t) { return atan2(t, other); }, {far});
    EXPECT_NEAR(of_y[0] * far, 0.5, 1e-12);
    const auto of_x = gradient([&](const Tensor& t) { return atan2(other, t); }, {-2 * far});
    EXPECT_NEAR(of_x[0] * far, -0.2, 1e-12);
  }
  EXPECT_EQ(gradient([](const Tensor& t) { return atan2(t, 0.0); }, {0}), Doubles({0}));
}

// What is not chosen there has no derivatives that are NaN.
TEST(GradientCorners, OfAnglesHaveDerivativesForwardsAndOfHigherOrder) {
  const auto of_both = [](const Tensor& t) {
    return atan2(slice(t, {{0, 1}}), slice(t, {{1, 2}}));
  };
  for (const Doubles& point :
       {Doubles{0, 0}, Doubles{1, kInfinity}, Doubles{1, -kInfinity}, Doubles{kInfinity, 1}}) {
    const auto [value, along] = jvp(of_both)(from(point, {2}), tensor({1.0, 1.0}));
    EXPECT_EQ(along.to_vector<double>(), Doubles({0})) << point[0] << ' ' << point[1];
  }
  const auto slope = [&](const Tensor& t) {
    return grad([&](const Tensor& x) { return sum(of_both(x)); })(t);
  };
  EXPECT_EQ(gradient(slope, {0, 0}), Doubles({0, 0}));
  // Over y, x and both: -2xy / r^4, 2xy / r^4 and (y^2 - x^2) / r^4.
  const Doubles second = gradient(slope, {1, 2});
  EXPECT_NEAR(second[0], -4. / 25 - 3. / 25, 1e-12);
  EXPECT_NEAR(second[1], 4. / 25 - 3. / 25, 1e-12);
}

// 1 - 2^-53 is less than three thirds, but the quotient rounds to 3.
TEST(GradientCorners, OfRemaindersJustBelowTheDivisor) {
  const double below = std::nextafter(1.0, 0.0);
  const auto remainder = [&](const Tensor& t) { return mod(from(Doubles{below}, {1}), t); };
  EXPECT_EQ(gradient(remainder, {1.0 / 3}), Doubles({-2}));
  EXPECT_EQ(gradient([](const Tensor& t) { return mod(tensor({7.0, -7.0}), t); }, {2, 2}),
            Doubles({-3, 3}));
}

TEST(GradientCorners, FarOutAreTheLimits) {
  const Doubles far = {-1000, 1000};
  EXPECT_EQ(gradient([](const Tensor& t) { return sigmoid(t); }, far), Doubles({0, 0}));
  EXPECT_EQ(gradient([](const Tensor& t) { return tanh(t); }, far), Doubles({0, 0}));
  EXPECT_EQ(gradient([](const Tensor& t) { return softplus(t); }, far), Doubles({0, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return silu(t); }, far), Doubles({0, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return gelu(t); }, far), Doubles({0, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return gelu(t, Gelu::tanh); }, far), Doubles({0, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return logsumexp(t); }, far), Doubles({0, 1}));
}

// What attention does: masked places get a weight of 0 and no gradient.
TEST(GradientCorners, OfMaskedSoftmax) {
  const Tensor mask = tensor({true, false, true});
  const auto masked = [&](const Tensor& t) { return select(mask, t, -kInfinity); };
  const Tensor weight = tensor({1.0, 2.0, 3.0});
  for (const Doubles& g :
       {gradient([&](const Tensor& t) { return softmax(masked(t)) * weight; }, {0, 5, 0}),
        gradient([&](const Tensor& t) { return exp(log_softmax(masked(t))) * weight; },
                 {0, 5, 0})}) {
    EXPECT_NEAR(g[0], -0.5, 1e-12);
    EXPECT_EQ(g[1], 0);
    EXPECT_NEAR(g[2], 0.5, 1e-12);
  }
  const Doubles total = gradient([&](const Tensor& t) { return logsumexp(masked(t)); }, {0, 5, 0});
  EXPECT_EQ(total, Doubles({0.5, 0, 0.5}));
}

TEST(GradientCorners, OfProductsWithZeros) {
  const auto product = [](const Tensor& t) { return prod(t); };
  EXPECT_EQ(gradient(product, {2, 3, 4}), Doubles({12, 8, 6}));
  EXPECT_EQ(gradient(product, {2, 0, 4}), Doubles({0, 8, 0}));
  EXPECT_EQ(gradient(product, {0, 0, 4}), Doubles({0, 0, 0}));
  EXPECT_EQ(gradient(product, {5}), Doubles({1}));
  EXPECT_EQ(gradient(product, {}), Doubles({}));
  EXPECT_EQ(gradient(product, {1, 2, 3, 4, 5, 0, 7, -1, 2}),
            Doubles({0, 0, 0, 0, 0, -1680, 0, 0, 0}));
  // Over the outer axes of three: the factors of a product are no neighbours.
  const auto outer = [](const Tensor& t) {
    return prod(reshape(t, {2, 2, 2}), std::vector<std::int64_t>{0, 2});
  };
  EXPECT_EQ(gradient(outer, {1, 2, 3, 4, 5, 0, 7, 8}), Doubles({0, 0, 224, 168, 0, 10, 96, 84}));
}

// All that stands on one side of a factor may have a product that leaves f32.
TEST(GradientCorners, OfProductsThatLeaveF32OnTheWay) {
  const auto slopes = [](const std::vector<float>& x) {
    return grad([](const Tensor& t) { return prod(t); })(from(x, {std::ssize(x)}))
        .to_vector<float>();
  };
  EXPECT_EQ(slopes({0, 2, 1e30F, 1e30F}),
            (std::vector<float>{std::numeric_limits<float>::infinity(), 0, 0, 0}));
  EXPECT_NEAR(slopes({1e-30F, 1e-30F, 3, 1e30F, 1e30F})[2], 1, 1e-6);
}

// d2 prod / dx0 dx1 is the product of the rest, zeros or not.
TEST(GradientCorners, OfGradientsOfProducts) {
  const auto first = [](const Tensor& t) {
    return grad([](const Tensor& x) { return prod(x); })(t);
  };
  const auto second = [&](const Tensor& t) { return slice(first(t), {{0, 1}}); };
  EXPECT_EQ(gradient(second, {2, 3, 4, 5}), Doubles({0, 20, 15, 12}));
  EXPECT_EQ(gradient(second, {2, 0, 4, 5}), Doubles({0, 20, 0, 0}));
  EXPECT_EQ(gradient(second, {2, 0, 0, 5}), Doubles({0, 0, 0, 0}));
  const auto third = [&](const Tensor& t) {
    return slice(grad([&](const Tensor& x) { return sum(second(x)); })(t), {{1, 2}});
  };
  EXPECT_EQ(gradient(third, {2, 0, 0, 5}), Doubles({0, 0, 5, 0}));
}

TEST(GradientCorners, OfSortedTies) {
  const Tensor weight = tensor({1.0, 2.0, 3.0, 4.0});
  EXPECT_EQ(gradient([&](const Tensor& t) { return sort(t).values * weight; }, {2, 1, 2, 1}),
            Doubles({3, 1, 4, 2}));
  EXPECT_EQ(gradient([&](const Tensor& t) { return topk(t, 2).values * slice(weight, {{0, 2}}); },
                     {2, 5, 1, 2}),
            Doubles({2, 1, 0, 0}));
}

TEST(GradientCorners, IntegersOnTheWayStopThem) {
  EXPECT_EQ(
      gradient([](const Tensor& t) { return cast(cast(t, DType::i32), DType::f64); }, {1.5, 2.5}),
      Doubles({0, 0}));
  EXPECT_EQ(gradient([](const Tensor& t) { return select(t > 0, t, 0); }, {-1, 2}),
            Doubles({0, 1}));
  EXPECT_EQ(gradient([](const Tensor& t) { return take(t, argmax(t, 0)); }, {1, 3, 2}),
            Doubles({0, 1, 0}));
}

// Of the largest of many, too, whose own share is not much more than what rounding leaves of a sum.
TEST(GradientCorners, OfLogsumexpAreTheShares) {
  constexpr std::int64_t kCount = 1 << 16;
  std::vector<float> x(kCount, 0);
  x[5] = 0.001F;
  const Tensor slope = grad([](const Tensor& t) { return logsumexp(t); })(from(x, {kCount}));
  const std::vector<float> shares = slope.to_vector<float>();
  EXPECT_NEAR(shares[5] * float{kCount}, std::exp(0.001), 1e-4);
  EXPECT_NEAR(shares[6] * float{kCount}, 1, 1e-4);
  EXPECT_THAT(gradient([](const Tensor& t) { return logsumexp(t); }, {-kInfinity, 0, 1000}),
              testing::ElementsAre(0, 0, 1));

  // The gradient of a cross entropy are the shares, too, but for the label's.
  std::vector<float> weights(kCount, 1);
  weights[5] = 2;
  const auto loss = [](const Tensor& t) {
    return sum(cross_entropy(reshape(t, {1, kCount}), tensor({0})));
  };
  const auto weighted = [&](const Tensor& t) {
    return sum(grad(loss)(t) * from(weights, {kCount}));
  };
  const std::vector<float> second = grad(weighted)(from(x, {kCount})).to_vector<float>();
  EXPECT_NEAR(second[5] * float{kCount}, std::exp(0.001), 1e-4);
}

TEST(GradientCorners, OfEmptyTensors) {
  EXPECT_EQ(gradient([](const Tensor& t) { return exp(t); }, {}), Doubles({}));
  EXPECT_EQ(gradient([](const Tensor& t) { return softmax(t); }, {}), Doubles({}));
  EXPECT_EQ(gradient([](const Tensor& t) { return logsumexp(t); }, {}), Doubles({}));
  const std::vector<Tensor> parts = {zeros({0}, DType::f64), ones({2}, DType::f64)};
  const auto joined = [](const std::vector<Tensor>& t) { return sum(concat(t) * concat(t)); };
  EXPECT_EQ(grad(joined)(parts)[1].to_vector<double>(), Doubles({2, 2}));
}

}  // namespace
}  // namespace tutti::test::gradient_corners_test
