#include <tutti/ir/array.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::ir::array_test {
namespace {

TEST(Array, HoldsWhatItIsMadeFrom) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  const Array array = Array::from(std::span<const float>(values), {2, 3});
  EXPECT_EQ(array.dtype(), DType::f32);
  EXPECT_EQ(array.at(5), 6);
  EXPECT_EQ(array.reshaped({3, 2}).shape(), Shape({3, 2}));
  EXPECT_THROW(array.reshaped({5}), InternalError);
  EXPECT_THROW(array.data<double>(), InternalError);
  EXPECT_THROW(Array::from(std::span<const float>(values), {5}), TypeError);
}

TEST(Array, TheDataOfATemporaryOneHoldsItsElements) {
  const std::vector<float> values = {1, 2, 3, 4};
  const auto made = [&](std::size_t count) {
    return Array::from(std::span(values).first(count), {count});
  };
  EXPECT_EQ(made(4).data<float>()[2], 3);
  EXPECT_EQ(Array::scalar(std::int32_t{7}).data<std::int32_t>()[0], 7);
  std::vector<float> seen;
  for (const float element : made(4).data<float>()) seen.push_back(element);
  EXPECT_EQ(seen, values);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    const auto held = made(count).data<float>();  // of one element: it lies in the array itself
    EXPECT_EQ(std::vector<float>(held.begin(), held.end()),
              std::vector<float>(values.begin(), values.begin() + std::ssize(held)));
  }
  EXPECT_THROW(made(4).data<double>(), InternalError);
}

// A span of it would outlive the elements.
static_assert(!std::is_convertible_v<decltype(Array().data<float>()), std::span<const float>>);

TEST(Array, ScalarsAreConvertedLikeCasts) {
  EXPECT_EQ(Array::scalar_of(DType::u8, 300).at(0), 255);
  EXPECT_EQ(Array::scalar_of(DType::u8, -1).at(0), 0);
  EXPECT_EQ(Array::scalar_of(DType::i32, NAN).at(0), 0);
  EXPECT_EQ(Array::scalar_of(DType::boolean, 0.5).at(0), 1);
  EXPECT_EQ(Array::scalar_of(DType::f16, 1e6).at(0), HUGE_VAL);
  EXPECT_EQ(Array::scalar_of(DType::bf16, 1.5).at(0), 1.5);
}

TEST(Array, EqualBitByBit) {
  EXPECT_EQ(Array::scalar(NAN), Array::scalar(NAN));
  EXPECT_FALSE(Array::scalar(0.0) == Array::scalar(-0.0));
  EXPECT_FALSE(Array::scalar(1) == Array::scalar(1U));
}

}  // namespace
}  // namespace tutti::ir::array_test
