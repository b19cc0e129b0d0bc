#include <limits>

#include "tests/lazy/lazy_testing.h"

// Parts by place.
namespace tutti::test::indexing_test {
namespace {

using Integers = std::vector<std::int64_t>;

Tensor numbers() { return reshape(arange(24), {2, 3, 4}); }

TEST(At, TakesElementsAndRanges) {
  const Tensor x = numbers();
  EXPECT_EQ(at(x, 1, all, Range{1, 3}).to_vector<std::int64_t>(),
            Integers({13, 14, 17, 18, 21, 22}));
  EXPECT_EQ(at(x, 1, all, Range{1, 3}).shape(), Shape({3, 2}));
  EXPECT_EQ(at(x, -1, -1, -1).item<std::int64_t>(), 23);
  EXPECT_EQ(at(x, 0).shape(), Shape({3, 4}));
  EXPECT_EQ(at(x).shape(), Shape({2, 3, 4}));
  EXPECT_EQ(at(x, 0, 0, Range{.step = -2}).to_vector<std::int64_t>(), Integers({3, 1}));
  EXPECT_EQ(x[1][2][3].item<std::int64_t>(), 23);
}

TEST(At, TakesElementsThatAreComputed) {
  auto f = compile([](const Tensor& x, const Tensor& i) { return at(x, i, all, i + 1); });
  const Tensor x = numbers();
  EXPECT_EQ(f(x, tensor(std::int64_t{0})).to_vector<std::int64_t>(), Integers({1, 5, 9}));
  EXPECT_EQ(f(x, tensor(std::int64_t{1})).to_vector<std::int64_t>(), Integers({14, 18, 22}));
  EXPECT_EQ(f.programs(), 1U);
  EXPECT_EQ(x[tensor(7)].shape(), Shape({3, 4}));  // the nearest there is
  EXPECT_EQ(at(x, tensor(7), 0, 0).item<std::int64_t>(), 12);
}

TEST(At, HasAGradient) {
  const Tensor dx =
      grad([](const Tensor& x) { return sum(at(x, 1, Range{0, 2}) * 3.F); })(zeros({2, 3}));
  EXPECT_EQ(dx.to_vector<float>(), Floats({0, 0, 0, 3, 3, 0}));
}

TEST(At, WhatIsNotThereIsATypeErrorAtTheLine) {
  const Tensor x = numbers();
  expect_error<TypeError>([&] { at(x, 0, 3); },
                          {"there is no element 3 along axis 1 of a tensor of type i64[2,3,4]"});
  expect_error<TypeError>([&] { at(x, -3); }, {"no element -3 along axis 0"});
  expect_error<TypeError>([&] { x[2]; }, {"no element 2 along axis 0"});
  const std::size_t none = 0;  // less 1: above every element, and not the last one
  expect_error<TypeError>([&] { x[none - 1]; }, {"no element 9223372036854775807 along axis 0"});
  expect_error<TypeError>([&] { sum(x, none - 1); }, {"axis 9223372036854775807"});
  expect_error<TypeError>([&] { expand_dims(x, none - 1); }, {"axis 9223372036854775807"});
  expect_error<TypeError>([&] { at(x, 0, 0, 0, 0); }, {"4 selectors for a tensor of type"});
  expect_error<TypeError>([&] { at(x, tensor(1.F)); }, {"should be an integer scalar, not f32[]"});
  expect_error<TypeError>([&] { at(zeros({0}), tensor(1)); }, {"is empty"});
}

TEST(SetAt, ReplacesWhatAtTakes) {
  const Tensor x = zeros({2, 3}, DType::i64);
  EXPECT_EQ(set_at(x, 7, 1, 2).to_vector<std::int64_t>(), Integers({0, 0, 0, 0, 0, 7}));
  EXPECT_EQ(set_at(x, arange(3) + 1, 0).to_vector<std::int64_t>(), Integers({1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(set_at(x, arange(2) + 1, all, 1).to_vector<std::int64_t>(),
            Integers({0, 1, 0, 0, 2, 0}));
  EXPECT_EQ(set_at(x, arange(2) + 1, 0, Range{.step = 2}).to_vector<std::int64_t>(),
            Integers({1, 0, 2, 0, 0, 0}));
  EXPECT_EQ(set_at(x, arange(2) + 1, 0, Range{.step = -2}).to_vector<std::int64_t>(),
            Integers({2, 0, 1, 0, 0, 0}));
  EXPECT_EQ(set_at(x, 5, 1, Range{2, 2}).to_vector<std::int64_t>(), Integers(6, 0));
  EXPECT_EQ(set_at(x == 1, true, 0, Range{.step = 2}).to_vector<bool>(),
            std::vector<bool>({true, false, true, false, false, false}));
  EXPECT_EQ(set_at(x, 9, tensor(1), tensor(0)).to_vector<std::int64_t>(),
            Integers({0, 0, 0, 9, 0, 0}));
  EXPECT_EQ(x.to_vector<std::int64_t>(), Integers(6, 0));
}

TEST(AddAt, AddsToWhatAtTakes) {
  const Tensor x = ones({2, 3}, DType::i64);
  EXPECT_EQ(add_at(x, 7, 1, Range{.step = 2}).to_vector<std::int64_t>(),
            Integers({1, 1, 1, 8, 1, 8}));
  EXPECT_EQ(add_at(x, arange(3), tensor(0)).to_vector<std::int64_t>(),
            Integers({1, 2, 3, 1, 1, 1}));
}

TEST(SetAt, KeepsTheSignOfZero) {
  const auto signs = [](const Tensor& x) { return (1.F / x).to_vector<float>(); };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(signs(set_at(ones({2}), -0.F, 0)), Floats({-infinity, 1}));
  EXPECT_EQ(signs(set_at(ones({3}), -0.F, Range{.step = 2})), Floats({-infinity, 1, -infinity}));
  EXPECT_EQ(signs(set_at(ones({2}), full({1}, -0.F), Range{0, 1})), Floats({-infinity, 1}));
  EXPECT_EQ(signs(add_at(tensor({-0.F, 1.F}), 1.F, 1)), Floats({-infinity, 0.5F}));
  EXPECT_EQ(signs(add_at(tensor({-0.F, 1.F}), -0.F, 0)), Floats({-infinity, 1}));
}

TEST(SetAt, OfAScalarIsTheValue) {
  EXPECT_EQ(set_at(tensor(1.F), 2.F).item<float>(), 2);
  EXPECT_EQ(set_at(tensor(1.F), tensor(3.F)).item<float>(), 3);
  EXPECT_EQ(add_at(tensor(1.F), 2.F).item<float>(), 3);
}

TEST(SetAt, HasGradientsForBoth) {
  const auto f = [](const Tensor& x, const Tensor& value) {
    const Tensor y = set_at(x, value, 0, Range{.step = 2});
    return sum(y * y);
  };
  const auto [dx, dvalue] = grad<0, 1>(f)(full({1, 3}, 2.F), full({2}, 5.F));
  EXPECT_EQ(dx.to_vector<float>(), Floats({0, 4, 0}));
  EXPECT_EQ(dvalue.to_vector<float>(), Floats({10, 10}));
}

TEST(SetAt, WhatDoesNotFitIsATypeErrorAtTheLine) {
  const Tensor x = zeros({2, 3});
  expect_error<TypeError>([&] { set_at(x, zeros({4}), 0); }, {"[4]"});
  expect_error<TypeError>([&] { set_at(x, 0.F, tensor(0), Range{.step = 2}); }, {"with a step"});
}

TEST(SetAt, TakesTheLastForAnIndexThatIsLargerThanI64) {
  const Tensor x = tensor({1.F, 2.F, 3.F});
  const std::vector<std::uint64_t> huge = {std::uint64_t{1} << 63};
  const Tensor index = from(huge, {});
  EXPECT_EQ(at(x, index).item<float>(), 3);
  EXPECT_EQ(set_at(x, 9.F, index).to_vector<float>(), Floats({1, 2, 9}));
  EXPECT_EQ(add_at(x, 9.F, index).to_vector<float>(), Floats({1, 2, 12}));
}

TEST(AssigningOperators, GiveTheHandleAnotherValue) {
  Tensor x = tensor({1.F, 2.F});
  const Tensor before = x;
  x += 1.F;
  x *= tensor({2.F, 3.F});
  x -= 1;
  x /= 2.F;
  EXPECT_EQ(x.to_vector<float>(), Floats({1.5, 4}));
  EXPECT_EQ(before.to_vector<float>(), Floats({1, 2}));
  expect_error<TypeError>([&] { x += tensor({1, 2}); }, {"f32[2]", "i32[2]"});
}

TEST(Shapes, RollRepeatAndTriangles) {
  const Tensor x = arange(4);
  EXPECT_EQ(roll(x, 1, 0).to_vector<std::int64_t>(), Integers({3, 0, 1, 2}));
  EXPECT_EQ(roll(x, -5, -1).to_vector<std::int64_t>(), Integers({1, 2, 3, 0}));
  EXPECT_EQ(repeat(reshape(x, {2, 2}), 2, 0).to_vector<std::int64_t>(),
            Integers({0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(repeat(x, 2, 0).to_vector<std::int64_t>(), Integers({0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(repeat(x, 0, 0).shape(), Shape({0}));
  const Tensor square = reshape(arange(9) + 1, {3, 3});
  EXPECT_EQ(tril(square).to_vector<std::int64_t>(), Integers({1, 0, 0, 4, 5, 0, 7, 8, 9}));
  EXPECT_EQ(triu(square, 1).to_vector<std::int64_t>(), Integers({0, 2, 3, 0, 0, 6, 0, 0, 0}));
  const Tensor truths = full({2, 2}, true);
  EXPECT_EQ(tril(truths).to_vector<bool>(), std::vector<bool>({true, false, true, true}));
  EXPECT_EQ(zeros_like(truths[0]).to_vector<bool>(), std::vector<bool>({false, false}));
  EXPECT_EQ(ones_like(!truths[0]).to_vector<bool>(), std::vector<bool>({true, true}));
  expect_error<TypeError>([&] { tril(x); }, {"tril: a tensor of rank 1"});
  expect_error<TypeError>([&] { roll(x, 1, 1); }, {"roll"});
}

TEST(Shapes, RepeatTakesAsManyDimensionsAsThereCanBe) {
  const Shape shape = {1, 2, 1, 1, 2, 1, 3, 1};
  const Tensor x = reshape(arange(12), shape);
  std::int64_t outer = 1;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t size = shape[axis];
    const Tensor wanted = repeat(reshape(x, {outer, size, 12 / (outer * size)}), 2, 1);
    const Tensor repeated = repeat(x, 2, axis);
    EXPECT_EQ(repeated.size(static_cast<int>(axis)), 2 * size);
    EXPECT_EQ(repeated.to_vector<std::int64_t>(), wanted.to_vector<std::int64_t>());
    outer *= size;
  }
}

TEST(Sequences, AreNumpys) {
  EXPECT_EQ(arange(2, 9, 3).to_vector<std::int64_t>(), Integers({2, 5, 8}));
  EXPECT_EQ(arange(5, 0, -2).to_vector<std::int64_t>(), Integers({5, 3, 1}));
  EXPECT_EQ(arange(5, 0).shape(), Shape({0}));
  EXPECT_EQ(arange(0.F, 1.F, 0.25F).to_vector<float>(), Floats({0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(linspace(0, 1, 5).to_vector<float>(), Floats({0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(linspace(3, 4, 1).to_vector<float>(), Floats({3}));
  EXPECT_EQ(eye(2, 3).to_vector<float>(), Floats({1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(eye(2, DType::i32).to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 0, 0, 1}));
  EXPECT_EQ(where(tensor({true, false}), 1.F, tensor({5.F, 6.F})).to_vector<float>(),
            Floats({1, 6}));
  EXPECT_EQ(arange(2.5).to_vector<float>(), Floats({0, 1, 2}));
  EXPECT_EQ(arange(0.0, 1e300, -1.0).shape(), Shape({0}));
  // Whole numbers alone make whole numbers, of whatever types.
  EXPECT_EQ(arange(0, 2.5).to_vector<float>(), Floats({0, 1, 2}));
  EXPECT_EQ(arange(0, 10, 2.5).to_vector<float>(), Floats({0, 2.5, 5, 7.5}));
  EXPECT_EQ(arange(1, 2, 0.5, DType::f64).to_vector<double>(), (std::vector<double>{1, 1.5}));
  EXPECT_EQ(arange(10U, 0U, -4).to_vector<std::int64_t>(), Integers({10, 6, 2}));
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  EXPECT_EQ(arange(0, kFar, kFar / 2).to_vector<std::int64_t>(), Integers({0, kFar / 2}));
  EXPECT_EQ(linspace(0, 1, 50, DType::f64).to_vector<double>().back(), 1);
  expect_error<TypeError>([] { arange(0, 200, 50, DType::i8); }, {"i8 does not hold 150"});
  expect_error<TypeError>([] { arange(0.5, 3.0, 1.0, DType::i32); }, {"i32 holds no fractions"});
  expect_error<TypeError>([] { arange(0, 3, 0.5, DType::i32); }, {"i32 holds no fractions"});
  expect_error<UsageError>([] { arange(0, 5, 0); }, {"a step of 0"});
  expect_error<TypeError>([] { linspace(0, 1, 5, DType::i32); }, {"holds no fractions"});
}

}  // namespace
}  // namespace tutti::test::indexing_test
