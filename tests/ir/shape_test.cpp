#include <tutti/ir/dtype.h>
#include <tutti/ir/shape.h>
#include <tutti/ir/support/error.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::shape_test {
namespace {

TEST(Shape, SizesElementsAndText) {
  const Shape shape = {64, 10};
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_EQ(shape[1], 10);
  EXPECT_EQ(shape.elements(), 640);
  EXPECT_EQ(shape.text(), "[64,10]");
  EXPECT_EQ(shape.strides()[0], 10);
  EXPECT_EQ(shape.strides()[1], 1);
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ(Shape().text(), "[]");
  EXPECT_EQ(Shape({3, 0}).elements(), 0);
}

TEST(Shape, EqualBySizes) {
  EXPECT_EQ(Shape({2, 3}), Shape({2, 3}));
  EXPECT_FALSE(Shape({2, 3}) == Shape({3, 2}));
  EXPECT_FALSE(Shape({2}) == Shape({2, 1}));
}

TEST(Shape, RefusesWhatNoTensorCanHave) {
  EXPECT_THROW(Shape({-1}), TypeError);
  EXPECT_THROW(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), TypeError);
  EXPECT_THROW(Shape({1LL << 40, 1LL << 20}), TypeError);
  EXPECT_THROW(Shape({INT64_MAX, 0}), TypeError);
  EXPECT_EQ(Shape({1LL << 40, (1LL << 20) - 1}).elements(), (1LL << 60) - (1LL << 40));
  EXPECT_EQ(Shape({1LL << 40, 1LL << 40, 0}).elements(), 0);
}

TEST(Shape, NumbersThatNoI64HoldsAreBeyondEverySize) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  static_assert(Integer(std::uint64_t{7}).value == 7 && Integer(-7).value == -7);
  static_assert(Integer(std::uint64_t{kLargest}).value == kLargest);
  static_assert(Integer(std::uint64_t{kLargest} + 1).value == kLargest);
  static_assert(Integer(std::uint64_t{0} - 1).value == kLargest);
  static_assert(Integer(std::uint32_t{0} - 1).value == std::numeric_limits<std::uint32_t>::max());
  const std::vector<std::uint64_t> none = {0};
  EXPECT_EQ(Integers({none[0] - 1, 3}), Integers({kLargest, 3}));
  EXPECT_EQ(Integers(std::vector<std::uint64_t>{none[0] - 1}), Integers({kLargest}));
  EXPECT_THROW(Shape({none[0] - 1}), TypeError);
  EXPECT_THROW(Shape({2})[none[0] - 1], TypeError);
}

TEST(Shape, AStreamGetsTheText) {
  std::ostringstream out;
  out << Shape({64, 10}) << Shape() << DType::bf16;
  EXPECT_EQ(out.str(), "[64,10][]bf16");
}

TEST(Shape, IndicesRunInRowMajorOrder) {
  std::vector<std::vector<std::int64_t>> seen;
  for_each_index({2, 2}, [&](auto index) { seen.emplace_back(index.begin(), index.end()); });
  EXPECT_EQ(seen, (std::vector<std::vector<std::int64_t>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  int count = 0;
  for_each_index({}, [&](auto) { ++count; });
  EXPECT_EQ(count, 1);
  for_each_index({2, 0}, [&](auto) { ++count; });
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace tutti::shape_test
