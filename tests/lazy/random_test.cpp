#include <tutti/ir/philox.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/lazy/lazy_testing.h"

// Integers, bools, dropout and permutations made of random bits.
namespace tutti::test::random_test {
namespace {

using Integers = std::vector<std::int64_t>;

Integers integers(const Shape& shape, const Key& key, std::int64_t low, std::int64_t high) {
  return randint(shape, key, low, high).to_vector<std::int64_t>();
}

struct Interval {
  std::int64_t low, high;
};

// How often each of [low, high) was drawn.
Integers histogram(const Integers& drawn, std::int64_t low, std::int64_t high) {
  Integers counts(static_cast<std::size_t>(high - low));
  for (const std::int64_t number : drawn) ++counts.at(static_cast<std::size_t>(number - low));
  return counts;
}

TEST(Randint, IsEvenOverItsInterval) {
  for (const auto& [low, high] : std::vector<Interval>{{0, 2}, {-3, 4}, {100, 110}}) {
    constexpr std::int64_t kDrawn = 70'000;
    const double expected = static_cast<double>(kDrawn) / static_cast<double>(high - low);
    for (const std::int64_t count : histogram(integers({kDrawn}, Key(7), low, high), low, high)) {
      EXPECT_NEAR(static_cast<double>(count), expected, 5 * std::sqrt(expected));
    }
  }
}

// More integers than one word of random bits chooses from evenly.
TEST(Randint, IsEvenOverLongIntervals) {
  constexpr std::int64_t kBit = 1;
  const std::vector<Interval> intervals = {{kBit << 40, 3 * (kBit << 40)},
                                           {-(kBit << 20), kBit << 20},
                                           {INT64_MIN, INT64_MAX},
                                           {0, (kBit << 32) + 5},
                                           {-1, kBit << 62}};
  for (const auto& [low, high] : intervals) {
    SCOPED_TRACE(high);
    constexpr std::int64_t kDrawn = 20'000;
    constexpr int kParts = 10;
    Integers counts(kParts);
    const double range = static_cast<double>(high) - static_cast<double>(low);
    for (const std::int64_t number : integers({kDrawn}, Key(3), low, high)) {
      EXPECT_GE(number, low);
      EXPECT_LT(number, high);
      const double place = (static_cast<double>(number) - static_cast<double>(low)) / range;
      ++counts[static_cast<std::size_t>(std::min(place * kParts, kParts - 1.0))];
    }
    constexpr double kExpected = static_cast<double>(kDrawn) / kParts;
    for (const std::int64_t count : counts) {
      EXPECT_NEAR(static_cast<double>(count), kExpected, 5 * std::sqrt(kExpected));
    }
  }
}

__extension__ using Wide = unsigned __int128;

// The upper half of a product of 128 bits, in words.
TEST(Randint, TakesTheUpperHalfOfAProduct) {
  const std::uint64_t seed = 11;
  constexpr std::int64_t kHigh = 987'654'321'987'654'321;
  const Integers drawn = integers({50}, Key(seed), 0, kHigh);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::uint64_t word = ir::random_bits(seed, 2 * i);
    const std::uint64_t next = ir::random_bits(seed, 2 * i + 1);
    const Wide product = static_cast<Wide>(word | next << 32) * kHigh;
    EXPECT_EQ(drawn[i], static_cast<std::int64_t>(product >> 64));
  }
}

TEST(Randint, IsAFunctionOfKeyAndPlace) {
  for (const std::int64_t high : {std::int64_t{10}, std::int64_t{1} << 40}) {
    const Integers all = integers({100}, Key(42), 0, high);
    EXPECT_EQ(integers({10, 10}, Key(42), 0, high), all);
    EXPECT_EQ(integers({7}, Key(42), 0, high), Integers(all.begin(), all.begin() + 7));
    EXPECT_NE(integers({100}, Key(43), 0, high), all);
  }
}

TEST(Randint, OfEveryIntegerDType) {
  for (const DType dtype : {DType::u8, DType::u16, DType::u32, DType::u64, DType::i8, DType::i16,
                            DType::i32, DType::i64}) {
    const Tensor x = randint({3, 2}, Key(1), 5, 100, dtype);
    EXPECT_EQ(x.dtype(), dtype);
    EXPECT_EQ(x.shape(), Shape({3, 2}));
    EXPECT_EQ(cast(x, DType::i64).to_vector<std::int64_t>(), integers({3, 2}, Key(1), 5, 100));
  }
  EXPECT_EQ(integers({4}, Key(1), -7, -6), Integers({-7, -7, -7, -7}));
  EXPECT_EQ(integers({0, 3}, Key(1), 0, 5), Integers());
  EXPECT_EQ(randint({}, Key(1), 0, 5).rank(), 0);
  EXPECT_EQ(randint({1, 1, 1, 1, 1, 1, 2, 3}, Key(1), 0, 1 << 20).rank(), 8);
}

TEST(Randint, RefusesIntervalsThatAreNone) {
  const Key key(1);
  expect_error<TypeError>([&] { return randint({2}, key, 3, 3); }, {"randint", "[3, 3)", "empty"});
  expect_error<TypeError>([&] { return randint({2}, key, 3, 2); }, {"[3, 2)", "empty"});
  expect_error<TypeError>([&] { return randint({2}, key, 0, 300, DType::u8); }, {"u8", "[0, 300)"});
  expect_error<TypeError>([&] { return randint({2}, key, -1, 3, DType::u64); }, {"u64", "[-1, 3)"});
  expect_error<TypeError>([&] { return randint({2}, key, 0, 3, DType::f32); }, {"f32"});
  EXPECT_EQ(randint({2}, key, 0, 256, DType::u8).dtype(), DType::u8);
}

TEST(Randint, AnotherIntervalIsNoNewProgram) {
  eval(randint({4}, Key(1), 0, 10));
  const std::size_t before = detail::RankContext::current().compiled_programs();
  eval(randint({4}, Key(1), 3, 12));
  EXPECT_EQ(detail::RankContext::current().compiled_programs(), before);
}

TEST(Bernoulli, IsTrueAsOftenAsItShould) {
  constexpr std::int64_t kDrawn = 50'000;
  for (const double p : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    const std::vector<bool> drawn = bernoulli({kDrawn}, Key(3), p).to_vector<bool>();
    const auto count = static_cast<double>(std::count(drawn.begin(), drawn.end(), true));
    EXPECT_NEAR(count, p * kDrawn, 5 * std::sqrt(p * (1 - p) * kDrawn));
  }
}

TEST(Bernoulli, TakesAProbabilityForEachElement) {
  const Tensor p = tensor({{0.F}, {1.F}});
  EXPECT_EQ(bernoulli({2, 3}, Key(1), p).to_vector<bool>(),
            std::vector<bool>({false, false, false, true, true, true}));
  for (const DType dtype : {DType::f16, DType::bf16, DType::f64}) {
    EXPECT_EQ(bernoulli({2, 3}, Key(1), cast(p, dtype)).dtype(), DType::boolean);
  }
  expect_error<TypeError>([&] { return bernoulli({2}, Key(1), 1.5); }, {"bernoulli", "1.5"});
  expect_error<TypeError>([&] { return bernoulli({2}, Key(1), -0.5F); }, {"-0.5"});
  expect_error<TypeError>([&] { return bernoulli({2}, Key(1), tensor({1, 0})); }, {"i32"});
  expect_error<TypeError>([&] { return bernoulli({2}, Key(1), zeros({3})); }, {"[3]", "[2]"});
}

TEST(Dropout, KeepsTheMean) {
  constexpr std::int64_t kCount = 40'000;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    const Tensor x = full({kCount}, 2, dtype);
    const Tensor y = dropout(x, Key(9), 0.2);
    EXPECT_EQ(y.dtype(), dtype);
    const auto values = cast(y, DType::f64).to_vector<double>();
    double total = 0;
    for (const double value : values) {
      EXPECT_TRUE(value == 0 || std::abs(value - 2.5) < 1e-6) << value;
      total += value;
    }
    EXPECT_NEAR(total / kCount, 2, 0.02);
  }
  EXPECT_EQ(dropout(tensor({1.F, -2.F}), Key(1), 0).to_vector<float>(), Floats({1, -2}));
}

// The same elements are dropped, and the others divided.
TEST(Dropout, HasTheGradientOfWhatItKept) {
  const Tensor x = tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0});
  const std::vector<double> kept = dropout(ones({8}, DType::f64), Key(5), 0.5).to_vector<double>();
  const auto loss = [](const Tensor& t) { return sum(dropout(t, Key(5), 0.5)); };
  EXPECT_EQ(grad(loss)(x).to_vector<double>(), kept);
  EXPECT_NE(kept, std::vector<double>(8, 2));
}

TEST(Dropout, RefusesOtherRates) {
  const Tensor x = ones({2});
  expect_error<TypeError>([&] { return dropout(x, Key(1), 1.0); }, {"dropout", "rate of 1;"});
  expect_error<TypeError>([&] { return dropout(x, Key(1), -0.1); }, {"-0.1", "[0, 1)"});
  expect_error<TypeError>([&] { return dropout(x, Key(1), 1); }, {"rate of 1;"});
  // What is 1 where it is computed with, leaves nothing to divide by.
  expect_error<TypeError>([&] { return dropout(x, Key(1), 1 - 1e-12); }, {"rate of 1;"});
  EXPECT_EQ(dropout(ones({1}, DType::f64), Key(1), 1 - 1e-12).elements(), 1);
  expect_error<TypeError>([&] { return dropout(tensor({1}), Key(1), 0.5); }, {"i32"});
  expect_error<TypeError>([&] { return dropout(x, Key(1), std::nan("")); }, {"rate of", "nan"});
  expect_error<TypeError>([&] { return dropout(x, Key(1), arange(2)); }, {"rate", "i64"});
}

TEST(Permutation, HasEveryNumberOnce) {
  for (const std::int64_t count : {0, 1, 2, 1000}) {
    Integers numbers = permutation(count, Key(4)).to_vector<std::int64_t>();
    Integers sorted(static_cast<std::size_t>(count));
    std::iota(sorted.begin(), sorted.end(), 0);
    if (count > 2) {
      EXPECT_NE(numbers, sorted);
    }
    std::ranges::sort(numbers);
    EXPECT_EQ(numbers, sorted);
  }
  expect_error<TypeError>([] { return permutation(-1, Key(1)); }, {"permutation", "-1"});
  expect_error<TypeError>([] { return permutation(INT64_MAX, Key(1)); }, {"permutation", "9223"});
}

TEST(Permutation, AnyNumberMayComeFirst) {
  Integers counts(5);
  constexpr int kDrawn = 1000;
  for (int seed = 0; seed < kDrawn; ++seed) {
    const Key key = fold_in(Key(8), seed);
    ++counts[static_cast<std::size_t>(slice(permutation(5, key), {{0, 1}}).item<std::int64_t>())];
  }
  for (const std::int64_t count : counts) {
    EXPECT_NEAR(static_cast<double>(count), kDrawn / 5.0, 5 * std::sqrt(kDrawn / 5.0));
  }
}

TEST(Random, IsTheSameEagerLazyAndCompiled) {
  const auto draw = [](const Key& key, const Tensor& x) {
    return std::vector<Tensor>{randint({5}, key, -3, 9), randint({5}, key, 0, 1 << 20),
                               cast(bernoulli({5}, key, 0.3), DType::i64), permutation(5, key),
                               cast(dropout(x, key, 0.4) * 8, DType::i64)};
  };
  const auto values = [](const std::vector<Tensor>& drawn) {
    std::vector<Integers> out;
    for (const Tensor& tensor : drawn) out.push_back(tensor.to_vector<std::int64_t>());
    return out;
  };
  const Key key(77);
  const Tensor x = tensor({1.F, 2.F, 3.F, 4.F, 5.F});
  const auto lazy = values(draw(key, x));
  detail::RankContext::current().eager = true;
  const auto eager = values(draw(key, x));
  detail::RankContext::current().eager = false;
  auto compiled = compile(draw);
  EXPECT_EQ(eager, lazy);
  EXPECT_EQ(values(compiled(key, x)), lazy);
  // Rates and intervals may be arguments of a compiled function, too.
  auto drop =
      compile([](const Key& k, const Tensor& t, float rate) { return dropout(t, k, rate); });
  EXPECT_EQ(drop(key, x, 0.25F).to_vector<float>(), dropout(x, key, 0.25F).to_vector<float>());
  EXPECT_EQ(drop(key, x, 0.F).to_vector<float>(), x.to_vector<float>());
}

}  // namespace
}  // namespace tutti::test::random_test
