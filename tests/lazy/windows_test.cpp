#include "tests/lazy/wave.h"

// Numbers of PyTorch 2.15.0.
namespace tutti::test::windows_test {
namespace {

TEST(MaxPool, IsPyTorchs) {
  const auto pool = [](const Tensor& x) {
    return max_pool(x, {2, 3}, {.stride = {1, 2}, .padding = {1, 1}});
  };
  expect_close(pool(wave({1, 1, 4, 5})),
               {0.9916648F, 0.9916648F, 0.4941134F, 0.9916648F, 0.9916648F, 0.8591618F, 0.7984871F,
                0.9997929F, 0.8591618F, 0.8792731F, 0.9997929F, 0.7733279F, 0.8792731F, 0.8792731F,
                0.7733279F});
  expect_close(wave_gradient(pool, wave({1, 1, 4, 5})),
               {0, 0.5599635F, 0, 0, -0.2555411F, -0.6998747F, 0, 0, 1.657649F, 0, 0,
                0, -1.579535F, 0, 0, 0,           1.287897F,   0, 0, -1.120797F});
}

TEST(MaxPool, TheFirstOfEqualElementsGetsTheGradient) {
  const auto pool = [](const Tensor& x) {
    return max_pool(x, {2}, {.stride = {1}, .dilation = {2}});
  };
  const Tensor x = relu(wave({1, 1, 7}));
  expect_close(pool(x), {0, 0.9916648F, 0.4941134F, 0.7984871F, 0.4941134F});
  expect_close(wave_gradient(pool, x), {0, 0.9916648F, 0, 0, 0.2385722F, -0.9258147F, 0});
}

TEST(MaxPool, PaddingGetsNoGradient) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto gradient = [](const Tensor& x, const Floats& weights, std::int64_t window,
                           const WindowOptions& options) {
    return grad([&](const Tensor& y) {
             const Tensor pooled = max_pool(y, {window}, options);
             return sum(pooled * reshape(from(weights, {std::ssize(weights)}), pooled.shape()));
           })(x)
        .to_vector<float>();
  };
  EXPECT_EQ(gradient(from(Floats{-inf, -inf, -5}, {1, 1, 3}), {1, 2, 4}, 3,
                     {.stride = {1}, .padding = {1}}),
            Floats({1, 0, 6}));
  EXPECT_EQ(gradient(from(Floats(4, -inf), {1, 1, 2, 2}), {3}, 3, {.padding = {1}}),
            Floats({3, 0, 0, 0}));
  // The first window is of padding and the second element, the last of the first one and padding.
  EXPECT_EQ(gradient(from(Floats{-inf, -inf}, {1, 1, 2}), {1, 2}, 2,
                     {.stride = {1}, .padding = {1}, .dilation = {2}}),
            Floats({2, 1}));
  EXPECT_EQ(gradient(from(Floats(2, std::nanf("")), {1, 1, 2}), {1, 2, 4}, 2,
                     {.stride = {1}, .padding = {1}}),
            Floats({1, 6}));
}

TEST(MaxPool, PaddingNeverWinsAndNanDoes) {
  const auto pooled = [](const Tensor& x) {
    return max_pool(x, {3}, {.stride = {1}, .padding = {1}});
  };
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(pooled(from(Floats{-inf, -inf, -5}, {1, 1, 3})).to_vector<float>(),
            Floats({-inf, -5, -5}));
  EXPECT_TRUE(std::isnan(pooled(from(Floats{1, nan, 2}, {1, 1, 3})).to_vector<float>()[0]));
  EXPECT_TRUE(std::isnan(pooled(from(Floats{1, nan, 2}, {1, 1, 3})).to_vector<float>()[2]));
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == DType::boolean) continue;
    const Tensor x = reshape(cast(tensor({0, 3, 1, 2}), dtype), {1, 1, 4});
    EXPECT_EQ(cast(pooled(x), DType::f32).to_vector<float>(), Floats({3, 3, 3, 2}))
        << name_of(dtype);
  }
  EXPECT_EQ(pooled(from(std::vector<std::int8_t>{-128, -128}, {1, 1, 2})).to_vector<std::int8_t>(),
            (std::vector<std::int8_t>{-128, -128}));
}

TEST(AvgPool, IsPyTorchs) {
  const auto pool = [](const Tensor& x) {
    return avg_pool(x, {2}, {.stride = {2}, .padding = {1}});
  };
  expect_close(pool(wave({1, 1, 4, 4})), {0, 0.1840309F, -0.2314537F, 0.3383188F, -0.1165111F,
                                          -0.191784F, 0.2499482F, -0.2701088F, 0.08976459F});
  expect_close(wave_gradient(pool, wave({1, 1, 4, 4})),
               {0, 0.2479162F, 0.2479162F, -0.06388528F, -0.2314537F, 0.1235283F, 0.1235283F,
                0.1996218F, -0.2314537F, 0.1235283F, 0.1235283F, 0.1996218F, -0.1749687F,
                -0.1545343F, -0.1545343F, 0.2147904F});
  expect_close(avg_pool(wave({1, 1, 4, 4}), {2}, {.stride = {2}, .padding = {1}}, false),
               {0, 0.3680618F, -0.9258147F, 0.6766376F, -0.1165111F, -0.3835681F, 0.9997929F,
                -0.5402175F, 0.3590584F});
}

TEST(ReduceWindow, IsOverAllAxes) {
  const Tensor x = reshape(arange(12), {3, 4});
  EXPECT_EQ(
      reduce_window(x, WindowReduce::sum, 0, {2, 2}, {.stride = {1, 2}}).to_vector<std::int64_t>(),
      (std::vector<std::int64_t>{10, 18, 26, 34}));
  EXPECT_EQ(
      reduce_window(x, WindowReduce::min, 99, {1, 3}, {.stride = {1}, .padding = {{0, 0}, {0, 2}}})
          .to_vector<std::int64_t>(),
      (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(ReduceWindow, RoundsANarrowSumOnce) {
  const Tensor x = ones({512}, DType::bf16);
  const Tensor total = reduce_window(x, WindowReduce::sum, 0, {512});
  EXPECT_EQ(total.dtype(), DType::bf16);
  EXPECT_EQ(cast(total, DType::f32).to_vector<float>(), Floats({512}));
  EXPECT_EQ(cast(sum(x), DType::f32).item<float>(), 512);
  const Tensor beside = reduce_window(x, WindowReduce::sum, 2, {512}, {.padding = {{256, 0}}});
  EXPECT_EQ(cast(beside, DType::f32).to_vector<float>(), Floats({768}));
}

TEST(ConvTranspose, IsPyTorchs) {
  const auto layer = [](const Tensor& x, const Tensor& w) {
    return conv_transpose(x, w, {.stride = {2}, .padding = {1}, .groups = 2}, {1});
  };
  const Tensor x = wave({1, 2, 2, 2});
  const Tensor w = wave({2, 1, 3, 2});
  const Tensor y = layer(x, w);
  EXPECT_EQ(y.shape(), Shape({1, 2, 4, 3}));
  expect_close(y, {0,           -0.2534111F, -0.9180979F, -0.2534111F, 0.4899948F,  -0.1262663F,
                   0.2365837F,  0.2365837F,  0.8571329F,  -0.2040463F, -0.4574574F, -0.7392511F,
                   0.1960348F,  0.6860296F,  0.3167922F,  0.3589961F,  -0.335045F,  0.2631197F,
                   -0.2776687F, -0.5310798F, -0.2452401F, 0.1042806F,  0.5942755F,  0.09210183F});
  expect_close(wave_gradient(layer, x, w), {-0.7392511F, 0.8649023F, 0.04664868F, -0.4396467F,
                                            0.3431591F, -1.23696F, -0.3753782F, 0.7573886F});
  const auto of_weight = [&](const Tensor& weight) { return layer(x, weight); };
  expect_close(wave_gradient(of_weight, w),
               {-0.4574574F, -0.5026674F, 1.55568F, -0.869989F, 1.380071F, 0.8283936F, -0.5435113F,
                0.1107083F, -0.5647676F, -0.0992419F, 0.8842357F, -0.2627918F});
}

TEST(ConvTranspose, HasStridesDilationAndLargePaddings) {
  const Tensor y =
      conv_transpose(wave({1, 2, 4}), wave({2, 3, 3}), {.stride = {3}, .dilation = {2}});
  EXPECT_EQ(y.shape(), Shape({1, 3, 14}));
  expect_close(slice(y, {{}, {.stop = 1}}),
               {0.1960348F, 0, -0.4750393F, 0.3167922F, -0.07362241F, 0.2157356F, -0.2776687F,
                -0.3723849F, 0.4194466F, -0.2452401F, 0.1695819F, -0.3238224F, 0, 0.3286856F});
  expect_close(conv_transpose(wave({1, 1, 5}), wave({1, 1, 2}), {.padding = {2}}),
               {0.9833992F, -0.2534111F});
}

TEST(Windows, WhatCannotBeIsATypeErrorAtTheLine) {
  const Tensor x = zeros({1, 1, 4, 4});
  expect_error<TypeError>([&] { max_pool(x, {5}); },
                          {"max_pool: a window of 5 does not fit", "axis 2"});
  expect_error<TypeError>([&] { max_pool(x, {2, 2, 2}); }, {"the window has 3 numbers for 2"});
  expect_error<TypeError>([&] { max_pool(x, {0}); }, {"a window of 0"});
  expect_error<TypeError>([&] { max_pool(x, {2}, {.stride = {0}}); }, {"a stride of 0"});
  expect_error<TypeError>([&] { max_pool(x, {2}, {.padding = {{-1, 0}}}); }, {"a padding below 0"});
  // Elements so far apart that x lies between them.
  const WindowOptions apart = {.stride = {1}, .padding = {1}, .dilation = {2}};
  expect_error<TypeError>([&] { max_pool(ones({1, 1, 1}), {2}, apart); },
                          {"max_pool: a window whose elements lie 2 apart", "the padding alone"});
  expect_error<TypeError>([&] { avg_pool(ones({1, 1, 1}), {2}, apart); }, {"the padding alone"});
  expect_error<TypeError>([&] { max_pool(zeros({1, 1, 0}), {2}, apart); }, {"does not fit"});
  expect_error<TypeError>([&] { max_pool(zeros({1, 1, 0}), {2}, {.stride = {1}, .padding = {1}}); },
                          {"the padding alone"});
  const WindowOptions even = {.stride = {2}, .padding = {2}, .dilation = {2}};
  EXPECT_EQ(max_pool(ones({1, 1, 1}), {2}, even).to_vector<float>(), Floats({1, 1}));
  expect_error<TypeError>([&] { max_pool(zeros({4, 4}), {2}); },
                          {"x should be [n, c, spatial...]"});
  expect_error<TypeError>([&] { avg_pool(cast(x, DType::i32), {2}); },
                          {"floating-point numbers, not i32"});
  expect_error<TypeError>([&] { max_pool(x > 0, {2}); }, {"numbers, not bool"});
  expect_error<TypeError>([&] { conv_transpose(x, zeros({2, 1, 3, 3})); },
                          {"the weight's first axis should be x's channels", "f32[2,1,3,3]"});
}

}  // namespace
}  // namespace tutti::test::windows_test
