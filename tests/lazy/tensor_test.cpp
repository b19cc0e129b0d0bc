#include <cmath>

#include "tests/lazy/lazy_testing.h"

// Reading, printing, random numbers and the optimiser.
namespace tutti::test::tensor_test {
namespace {

std::string text_of(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

TEST(Reading, ItemNeedsOneElementOfThatType) {
  EXPECT_EQ(tensor({{5.F}}).item<float>(), 5);
  expect_error<TypeError>([] { return zeros({2}).item<float>(); }, {"[2]", "exactly one"});
  expect_error<TypeError>([] { return zeros({0}).item<float>(); }, {"[0]", "exactly one"});
  expect_error<TypeError>([] { return tensor(1.F).item<double>(); }, {"f32", "f64", "cast"});
  expect_error<TypeError>([] { return tensor(1.F).to_vector<int>(); }, {"f32", "i32", "cast"});
  expect_error<TypeError>([] { return zeros({2, 3}).size(2); }, {"dimension 2", "[2,3]"});
}

TEST(Reading, ArrayHasEverything) {
  const Array array = (tensor({{1, 2}, {3, 4}}) * 2).array();
  EXPECT_EQ(array.dtype(), DType::i32);
  EXPECT_EQ(array.shape(), Shape({2, 2}));
  EXPECT_EQ(array.at(3), 8);
  EXPECT_EQ(from(array).to_vector<std::int32_t>(), std::vector<std::int32_t>({2, 4, 6, 8}));
  EXPECT_TRUE(zeros({0, 3}).to_vector<float>().empty());
}

TEST(Creating, TakesTruthValuesInRowsAndVectors) {
  EXPECT_EQ(text_of(tensor({{true, false}, {false, true}})),
            "bool[2,2] [[true, false],\n [false, true]]");
  EXPECT_EQ(text_of(from(std::vector<bool>({true, false}), {2})), "bool[2] [true, false]");
}

TEST(Creating, OfAVectorIsAlongOneAxis) {
  const std::vector<std::int32_t> values = {3, -1, 4};
  const Tensor x = tensor(values);
  EXPECT_EQ(x.dtype(), DType::i32);
  EXPECT_EQ(x.shape(), Shape({3}));
  EXPECT_EQ(x.to_vector<std::int32_t>(), values);
  EXPECT_EQ(tensor(std::vector<bool>{true, false}).to_vector<bool>(), (std::vector{true, false}));
  EXPECT_EQ(tensor(std::vector<double>()).shape(), Shape({0}));
}

TEST(Creating, RowsHaveEqualLengths) {
  expect_error<TypeError>([] { return tensor({{1, 2}, {3}}); }, {"rows of different lengths"});
  expect_error<TypeError>([] { return tensor({{1}, {2, 3}}); }, {"rows of different lengths"});
}

TEST(Operators, OfTruthValuesAreElementwise) {
  const Tensor x = tensor({true, true, false, false});
  const Tensor y = tensor({true, false, true, false});
  const auto truths = [](const Tensor& t) { return cast(t, DType::i32).to_vector<std::int32_t>(); };
  using Truths = std::vector<std::int32_t>;
  EXPECT_EQ(truths(x && y), Truths({1, 0, 0, 0}));
  EXPECT_EQ(truths(x || y), Truths({1, 1, 1, 0}));
  EXPECT_EQ(truths(!x), Truths({0, 0, 1, 1}));
  EXPECT_EQ(truths(x && true), truths(x));
  expect_error<TypeError>([&] { tensor({1.F}) && x; }, {"logical_and"});
}

TEST(Reductions, TheExtremeOfAllIsCountedRowMajor) {
  const Tensor x = reshape(tensor({3.F, 7.F, 1.F, -2.F, 7.F, 0.F}), {2, 3});
  EXPECT_EQ(argmax(x).item<std::int64_t>(), 1);
  EXPECT_EQ(argmin(x).item<std::int64_t>(), 3);
}

TEST(Reductions, OfManyRowsToNothingAreNothing) {
  EXPECT_EQ(sum(zeros({20000, 0}), 0).to_vector<float>(), std::vector<float>());
  EXPECT_EQ(mean(zeros({0, 3, 512, 512}), {1, 2, 3}).to_vector<float>(), std::vector<float>());
}

TEST(Bitcasts, KeepTheBitsOfEveryNaN) {
  const std::vector<std::uint16_t> bits = {0x7F81, 0xFFC1, 0x7FFF, 0x3F80, 0x0001, 0x8000};
  const Tensor floats = bitcast(tensor(bits), DType::bf16);
  EXPECT_EQ(bitcast(floats, DType::u16).to_vector<std::uint16_t>(), bits);
}

TEST(Shapes, AnAxisMayBeAddedByItsNumber) {
  EXPECT_EQ(expand_dims(ones({2, 3}), 1).shape(), Shape({2, 1, 3}));
  EXPECT_EQ(expand_dims(ones({2, 3}), -1).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(expand_dims(ones({2}), {0, 2}).shape(), Shape({1, 2, 1}));
}

TEST(Printing, ShowsTypeAndElements) {
  EXPECT_EQ(text_of(tensor({1.5F, -2.F})), "f32[2] [1.5, -2]");
  EXPECT_EQ(text_of(tensor(3)), "i32[] 3");
  EXPECT_EQ(text_of(tensor<std::uint8_t>({65, 66})), "u8[2] [65, 66]");
  EXPECT_EQ(text_of(tensor({true, false})), "bool[2] [true, false]");
  EXPECT_EQ(text_of(tensor({{1, 2}, {3, 4}})), "i32[2,2] [[1, 2],\n [3, 4]]");
  EXPECT_EQ(text_of(zeros({0})), "f32[0] []");
  EXPECT_EQ(text_of(zeros({std::int64_t{1} << 50, 0})),
            "f32[1125899906842624,0] [[],\n [],\n [],\n ...,\n [],\n [],\n []]");
  EXPECT_EQ(text_of(ones({1}, DType::bf16) / 2), "bf16[1] [0.5]");
}

TEST(Printing, ShortensWhatIsLong) {
  EXPECT_EQ(text_of(arange(2000)), "i64[2000] [0, 1, 2, ..., 1997, 1998, 1999]");
  EXPECT_EQ(text_of(arange(8)), "i64[8] [0, 1, 2, 3, 4, 5, 6, 7]");
}

TEST(Random, NumbersAreAFunctionOfKeyAndPlace) {
  const Key key(42);
  const Floats all = uniform({100}, key).to_vector<float>();
  EXPECT_EQ(uniform({100}, Key(42)).to_vector<float>(), all);
  EXPECT_EQ(uniform({10, 10}, key).to_vector<float>(), all);
  const Floats fewer = uniform({7}, key).to_vector<float>();
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), all.begin()));
  EXPECT_NE(uniform({100}, Key(43)).to_vector<float>(), all);
}

TEST(Random, AnotherSeedIsNoNewProgram) {
  normal({3, 3, 3}, Key(1)).array();
  const CompiledGraphs graphs;
  normal({3, 3, 3}, Key(2)).array();
  EXPECT_EQ(graphs.count(), 0U);
}

TEST(Random, KeysDiffer) {
  const Key key(7);
  std::set<std::uint64_t> seen = {key.value.item<std::uint64_t>()};
  const auto add = [&](const Key& k) {
    EXPECT_TRUE(seen.insert(k.value.item<std::uint64_t>()).second);
  };
  for (const Key& part : split<8>(key)) add(part);
  for (int i = 0; i < 20; ++i) add(fold_in(key, i));
  for (const Key& part : split<8>(split(key)[0])) add(part);
  EXPECT_EQ(fold_in(key, 3).value.item<std::uint64_t>(),
            fold_in(key, tensor(3)).value.item<std::uint64_t>());
}

TEST(Random, HaveTheirDistributions) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    const auto moments = [&](const Tensor& x) {
      const Tensor wide = cast(x, DType::f64);
      const double mean_of = mean(wide).item<double>();
      return std::pair(mean_of, mean((wide - mean_of) * (wide - mean_of)).item<double>());
    };
    const Tensor u = uniform({100, 400}, Key(5), dtype);
    EXPECT_TRUE(all((u >= 0) & (u < 1)).item<bool>());
    const auto [u_mean, u_variance] = moments(u);
    EXPECT_NEAR(u_mean, 0.5, 0.01);
    EXPECT_NEAR(u_variance, 1.0 / 12, 0.002);
    const auto [n_mean, n_variance] = moments(normal({100, 400}, Key(5), dtype));
    EXPECT_NEAR(n_mean, 0, 0.02);
    EXPECT_NEAR(n_variance, 1, 0.03);
  }
  const auto bits = random_bits({10000}, Key(3)).to_vector<std::uint32_t>();
  double ones = 0;
  for (const std::uint32_t word : bits) ones += std::popcount(word);
  EXPECT_NEAR(ones / (32 * 10000.0), 0.5, 0.005);
}

TEST(AdamW, IsWhatThePaperSays) {
  const AdamW adam{.beta1 = 0.5F, .beta2 = 0.75F, .epsilon = 1e-3F, .weight_decay = 0.125F};
  using Model = std::vector<Tensor>;
  Model model = {tensor({1.0, -2.0}), tensor({{0.5}})};
  AdamW::State state = adam.init(model);
  std::vector<double> w = {1, -2, 0.5};
  std::vector<double> first(3, 0);
  std::vector<double> second(3, 0);
  for (int step = 1; step <= 5; ++step) {
    const double rate = 0.1 / step;
    const std::vector<double> g = {0.3 * step, -1.0, 0.25 * w[2]};
    const Model gradients = {tensor({g[0], g[1]}), tensor({{g[2]}})};
    std::tie(model, state) = adam.update(model, gradients, state, rate);
    for (std::size_t i = 0; i < 3; ++i) {
      first[i] = 0.5 * first[i] + 0.5 * g[i];
      second[i] = 0.75 * second[i] + 0.25 * g[i] * g[i];
      const double m = first[i] / (1 - std::pow(0.5, step));
      const double v = second[i] / (1 - std::pow(0.75, step));
      w[i] -= rate * (m / (std::sqrt(v) + 1e-3F) + 0.125 * w[i]);
    }
    const std::vector<double> ours = model[0].to_vector<double>();
    EXPECT_NEAR(ours[0], w[0], 1e-12) << "step " << step;
    EXPECT_NEAR(ours[1], w[1], 1e-12);
    EXPECT_NEAR(model[1].item<double>(), w[2], 1e-12);
  }
  EXPECT_EQ(state.steps.at(0).item<float>(), 5);
}

TEST(AdamW, LearnsALine) {
  const Tensor x = tensor({{0.F}, {1.F}, {2.F}, {3.F}});
  const Tensor y = 2.F * x + 1.F;
  nn::Linear line{.weight = zeros({1, 1}), .bias = zeros({1})};
  const AdamW adam{.weight_decay = 0};
  AdamW::State state = adam.init(line);
  auto step = compile([&](nn::Linear model, AdamW::State s, const Tensor& inputs,
                          const Tensor& labels, float rate) {
    const auto loss = [&](const nn::Linear& m) {
      return mean((m(inputs) - labels) * (m(inputs) - labels));
    };
    const auto [value, gradient] = value_and_grad(loss)(model);
    auto [next, next_state] = adam.update(model, gradient, s, rate);
    return std::tuple(next, next_state, value);
  });
  Tensor loss;
  for (int i = 0; i < 400; ++i)
    std::tie(line, state, loss) = step(line, state, x, y, i < 300 ? 0.1F : 0.01F);
  EXPECT_LT(loss.item<float>(), 1e-3);
  EXPECT_NEAR(line.weight.item<float>(), 2, 0.02);
  EXPECT_NEAR(line.bias.item<float>(), 1, 0.05);
  EXPECT_EQ(step.programs(), 1U) << step.explain();
}

}  // namespace
}  // namespace tutti::test::tensor_test
