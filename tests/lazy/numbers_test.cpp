#include "tests/lazy/lazy_testing.h"

// C++ numbers and operators among tensors.
namespace tutti::test::numbers_test {
namespace {

using Integers = std::vector<std::int32_t>;

TEST(Numbers, AThousandLearningRatesCompileOnce) {
  eval(tensor(1.F) + 1.F);  // and what other tests may have left recorded
  const std::size_t before = detail::RankContext::current().compiled_programs();
  Tensor weight = tensor({1.F, 2.F, 3.F, 4.F, 5.F});
  double expected = 1;
  for (int step = 0; step < 1000; ++step) {
    const double rate = 0.1 / (1 + step);
    weight = weight - rate * weight;
    eval(weight);
    expected -= rate * expected;
  }
  EXPECT_NEAR(weight.to_vector<float>()[0], expected, 1e-4);
  EXPECT_EQ(detail::RankContext::current().compiled_programs(), before + 1);
}

TEST(Numbers, TakeTheDTypeOfTheTensor) {
  for (const DType dtype :
       {DType::f8_e4m3fn, DType::f8_e5m2, DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const Tensor x = ones({2}, dtype);
    EXPECT_EQ((x * 0.5).dtype(), dtype);
    EXPECT_EQ((2 + x).dtype(), dtype);
    EXPECT_EQ(cast(x * 0.5F + 3, DType::f64).to_vector<double>(), std::vector<double>({3.5, 3.5}));
  }
  const Tensor i = tensor({1, 2, 3});
  EXPECT_EQ(i.dtype(), DType::i32);
  EXPECT_EQ((i * 2 + 1).to_vector<std::int32_t>(), Integers({3, 5, 7}));
  const Tensor byte = tensor<std::uint8_t>({250, 5});
  EXPECT_EQ((byte + 5).to_vector<std::uint8_t>(), std::vector<std::uint8_t>({255, 10}));
}

TEST(Numbers, AloneTheyAreF32OrI64OrBool) {
  EXPECT_EQ(full({2}, 2.5).dtype(), DType::f32);
  EXPECT_EQ(full({2}, 2).dtype(), DType::i64);
  EXPECT_EQ(full({2}, true).dtype(), DType::boolean);
  EXPECT_EQ(full({2}, 2, DType::bf16).dtype(), DType::bf16);
  EXPECT_EQ(add(1, 2).item<std::int64_t>(), 3);
  EXPECT_EQ(exp(0.F).item<float>(), 1);
}

TEST(Numbers, FullOfATensorHasItsDType) {
  EXPECT_EQ(full({2}, tensor(2.0), DType::f64).to_vector<double>(), std::vector<double>({2, 2}));
  expect_error<TypeError>([&] { full({2}, tensor(2.F), DType::f64); },
                          {"full: ", "the value is f32", "f64", "cast it"});
}

TEST(Numbers, KeepTheirPrecision) {
  const Tensor x = zeros({1}, DType::f64);
  EXPECT_EQ((x + 0.1).item<double>(), 0.1);
  EXPECT_EQ((tensor({std::int64_t{0}}) + ((std::int64_t{1} << 62) + 1)).item<std::int64_t>(),
            (std::int64_t{1} << 62) + 1);
  EXPECT_EQ((tensor({std::uint64_t{0}}) + UINT64_MAX).item<std::uint64_t>(), UINT64_MAX);
}

TEST(Numbers, AFractionWithAnIntegerTensorIsRefused) {
  const Tensor i = tensor({1, 2});
  expect_error<TypeError>([&] { return i * 2.5; }, {"2.5", "i32", "cast"});
  expect_error<TypeError>([&] { return maximum(0.F, i); }, {"i32", "fractions"});
}

TEST(Numbers, ThatDoNotFitAreRefused) {
  const Tensor byte = tensor<std::uint8_t>({1});
  expect_error<TypeError>([&] { return byte + 300; }, {"300", "u8", "does not fit"});
  expect_error<TypeError>([&] { return byte - -1; }, {"-1", "u8"});
  expect_error<TypeError>([&] { return tensor({1}) + (std::int64_t{1} << 40); }, {"i32"});
  expect_error<TypeError>([&] { return tensor({true}) == 1; }, {"bool"});
  expect_error<TypeError>([&] { return tensor({1.F}) + true; }, {"true", "not bool"});
  expect_error<TypeError>([&] { return ones({1}, DType::f16) * 100'000; }, {"100000", "f16"});
  const Tensor tiny = ones({1}, DType::f8_e4m3fn);
  expect_error<TypeError>([&] { return tiny * 500; }, {"500", "f8_e4m3fn", "does not fit"});
  expect_error<TypeError>([&] { return tiny * 500.0; }, {"500", "f8_e4m3fn", "does not fit"});
  expect_error<TypeError>([&] { return tiny + INFINITY; }, {"inf", "f8_e4m3fn"});
  EXPECT_NO_THROW((void)(tiny + NAN));
}

TEST(Numbers, OperatorsAreTheFunctions) {
  const Tensor x = tensor({7, -7, 12});
  const Tensor y = tensor({2, 2, 5});
  const auto values = [](const Tensor& t) { return t.to_vector<std::int32_t>(); };
  EXPECT_EQ(values(x + y), Integers({9, -5, 17}));
  EXPECT_EQ(values(x - y), Integers({5, -9, 7}));
  EXPECT_EQ(values(x * y), Integers({14, -14, 60}));
  EXPECT_EQ(values(x / y), Integers({3, -3, 2}));
  EXPECT_EQ(values(x % y), Integers({1, -1, 2}));
  EXPECT_EQ(values(x & y), Integers({2, 0, 4}));
  EXPECT_EQ(values(x | y), Integers({7, -5, 13}));
  EXPECT_EQ(values(x ^ y), Integers({5, -5, 9}));
  EXPECT_EQ(values(-x), Integers({-7, 7, -12}));
  EXPECT_EQ(values(20 - x), Integers({13, 27, 8}));
  EXPECT_EQ(values(100 / y), Integers({50, 50, 20}));
  const auto truths = [](const Tensor& t) { return t.to_vector<bool>(); };
  EXPECT_EQ(truths(x > y), std::vector<bool>({true, false, true}));
  EXPECT_EQ(truths(x <= 7), std::vector<bool>({true, true, false}));
  EXPECT_EQ(truths(x == 7), std::vector<bool>({true, false, false}));
  EXPECT_EQ(truths(7 != x), std::vector<bool>({false, true, true}));
}

TEST(Braces, StandForAxesAndTensors) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(sum(x, 0).shape(), sum(x, {0}).shape());
  EXPECT_EQ(sum(x, {0, -1}).rank(), 0);
  EXPECT_EQ(sum(x, {}).rank(), 0);
  EXPECT_EQ(sum(x, std::vector<std::int64_t>()).rank(), 2);
  EXPECT_EQ(concat({x, x}).shape(), concat(std::vector{x, x}).shape());
  EXPECT_EQ(stack({x, x}, 1).rank(), 3);
}

TEST(Numbers, ErrorsOfOpsNameTheirLine) {
  const Tensor x = zeros({2, 3});
  const Tensor y = zeros({4});
  expect_error<TypeError>([&] { return x + y; }, {"add", "f32[2,3]", "f32[4]"});
  expect_error<TypeError>([&] { return x + zeros({3}, DType::f64); }, {"mixed dtypes"});
  expect_error<TypeError>([&] { return matmul(x, x); }, {"matmul", "3 columns", "2 rows"});
  expect_error<TypeError>([&] { return sum(x, {2}); }, {"sum", "axis 2 of f32[2,3]"});
  expect_error<TypeError>([&] { return sum(x, {0, -2}); }, {"named twice"});
  expect_error<TypeError>([&] { return reshape(x, {4}); }, {"reshape", "6"});
  expect_error<TypeError>([&] { return reshape(x, {-1, 4}); }, {"-1"});
  expect_error<TypeError>([&] { return exp(tensor({1})); }, {"exp", "floating-point", "i32"});
  expect_error<TypeError>([&] { return take(x, x); }, {"take", "integers"});
  expect_error<TypeError>([&] { return slice(x, {{}, {}, {}}); }, {"3 ranges", "2 axes"});
  expect_error<TypeError>([&] { return slice(x, {{0, 1, 0}}); }, {"step of 0"});
  expect_error<TypeError>([&] { return zeros({3, -1}); }, {"-1"});
  expect_error<TypeError>([&] { return from(Floats{1, 2}, {3}); }, {"2 values", "[3]"});
  expect_error<TypeError>([&] { return tensor({{1.F}, {1.F, 2.F}}); }, {"different lengths"});
  const std::vector<Tensor> parts = {x, y};
  expect_error<TypeError>([&] { return concat(parts); }, {"concat", "rank"});
}

TEST(Numbers, SlicesCountAsInPython) {
  const Tensor x = arange(10, DType::i32);
  const auto values = [&](Range range) { return slice(x, {range}).to_vector<std::int32_t>(); };
  EXPECT_EQ(values({2, 5}), Integers({2, 3, 4}));
  EXPECT_EQ(values({-3, {}}), Integers({7, 8, 9}));
  EXPECT_EQ(values({{}, -7}), Integers({0, 1, 2}));
  EXPECT_EQ(values({1, 100, 4}), Integers({1, 5, 9}));
  EXPECT_EQ(values({{}, {}, -3}), Integers({9, 6, 3, 0}));
  EXPECT_EQ(values({8, 2, -2}), Integers({8, 6, 4}));
  EXPECT_EQ(values({-100, 2}), Integers({0, 1}));
  EXPECT_EQ(values({5, 2}), Integers({}));
  EXPECT_EQ(values({2, 5, -1}), Integers({}));
}

// An accumulator of f32 loses what is small beside it: 2^22 tenths one after another are 0.02 %
// off.
TEST(Numbers, LongSumsKeepTheirDigits) {
  constexpr std::int64_t kCount = std::int64_t{1} << 22;
  const auto mean_of = [](const Tensor& x, Axes axes) {
    return compile([=](const Tensor& y) { return mean(y, axes); })(x).to_vector<float>()[0];
  };
  EXPECT_NEAR(mean_of(full({kCount}, 0.1F), {}), 0.1, 1e-6);
  EXPECT_NEAR(mean_of(full({kCount, 4}, 0.1F), 0), 0.1, 3e-6);
  EXPECT_NEAR(mean_of(full({2048, 2048}, 0.1F), {}), 0.1, 1e-6);
  // Lengths that nothing divides.
  EXPECT_NEAR(mean_of(full({1'000'003, 4}, 0.1F), 0), 0.1, 3e-6);
  EXPECT_NEAR(mean_of(full({1'000'003}, 0.1F), {}), 0.1, 3e-6);
  auto weighted = compile([](const Tensor& x, const Tensor& w) { return mean(x * w); });
  EXPECT_NEAR(weighted(full({3, 1 << 20}, 0.1F), ones({1 << 20})).item<float>(), 0.1, 3e-6);
  auto padded = compile([](const Tensor& x) { return mean(pad(x, {1}, {0}, 0.F)); });
  EXPECT_NEAR(padded(full({(1 << 20) - 1}, 0.1F)).item<float>(), 0.1, 3e-6);
  // Rows that are read again.
  auto centred = compile([](const Tensor& x) { return x - mean(x, 1, true); });
  EXPECT_NEAR(max(abs(centred(full({2, 1 << 20}, 0.1F)))).item<float>(), 0, 3e-6);
}

}  // namespace
}  // namespace tutti::test::numbers_test
