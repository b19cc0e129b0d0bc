#include <tutti/ir/debug/array_difference.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace tutti::ir::array_difference_test {
namespace {

Array floats(std::vector<float> values, const Shape& shape) {
  return Array::from(std::span<const float>(values), shape);
}

TEST(ArrayDifference, NamesTheFirstElementAndCountsAll) {
  const auto found =
      array_difference(floats({1, 2, 3, 4}, {2, 2}), floats({1, 2, 7, 8}, {2, 2}), 0);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->index, testing::ElementsAre(1, 0));
  EXPECT_EQ(found->expected, "3");
  EXPECT_EQ(found->actual, "7");
  EXPECT_EQ(found->count, 2);
}

TEST(ArrayDifference, AllowsAPartOfTheLargestMagnitude) {
  const Array expected = floats({100, 0.5}, {2});
  EXPECT_FALSE(array_difference(expected, floats({100, 0.59F}, {2}), 1e-3));
  EXPECT_TRUE(array_difference(expected, floats({100, 0.61F}, {2}), 1e-3));
}

TEST(ArrayDifference, NaNIsNaNAndInfinitiesAreThemselves) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(
      array_difference(floats({nan, infinity, 0}, {3}), floats({-nan, infinity, -0.0F}, {3}), 0));
  EXPECT_TRUE(array_difference(floats({nan}, {1}), floats({1}, {1}), 1));
  EXPECT_TRUE(array_difference(floats({infinity}, {1}), floats({-infinity}, {1}), 1));
  EXPECT_TRUE(array_difference(floats({infinity, 1}, {2}), floats({1e30F, 1}, {2}), 1));
}

TEST(ArrayDifference, IntegersAgreeBitForBit) {
  const auto integers = [](std::int64_t value) { return Array::scalar(value); };
  EXPECT_TRUE(array_difference(integers(1LL << 60), integers((1LL << 60) + 1), 1));
  EXPECT_FALSE(array_difference(integers(7), integers(7), 0));
}

TEST(ArrayDifference, TypesHaveToBeTheSame) {
  EXPECT_THROW(array_difference(floats({1}, {1}), floats({1}, {}), 0), InternalError);
}

}  // namespace
}  // namespace tutti::ir::array_difference_test
