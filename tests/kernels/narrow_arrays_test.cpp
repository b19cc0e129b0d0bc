#include <tutti/kernels/host/narrow_arrays.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::kernels::narrow_arrays_test {
namespace {

template <class T>
class NarrowArrays : public testing::Test {};
using Narrow = testing::Types<Float16, BFloat16, Float8E4M3FN, Float8E5M2>;
TYPED_TEST_SUITE(NarrowArrays, Narrow);

// All patterns.
template <class T>
std::vector<T> every_value() {
  std::vector<T> values(1U << (8 * sizeof(T)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].bits = static_cast<decltype(T::bits)>(i);
  }
  return values;
}

TYPED_TEST(NarrowArrays, WidensEveryValue) {
  const auto values = every_value<TypeParam>();
  std::vector<float> wide(values.size());
  widen(values.data(), wide.data(), static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float expected = values[i];
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide[i])) << i;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(expected)) << i;
    }
  }
}

TYPED_TEST(NarrowArrays, RoundsLikeTheScalarConversion) {
  // Every value, the middles between neighbours, and what is just beside those.
  std::vector<float> values;
  for (const TypeParam half : every_value<TypeParam>()) {
    const float value = half;
    TypeParam next = half;
    ++next.bits;
    const float middle = value / 2 + static_cast<float>(next) / 2;
    for (const float near : {value, middle}) {
      values.push_back(near);
      values.push_back(std::nextafter(near, INFINITY));
      values.push_back(std::nextafter(near, -INFINITY));
    }
  }
  std::vector<TypeParam> narrow_values(values.size());
  narrow(values.data(), narrow_values.data(), static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(narrow_values[i].bits, TypeParam(values[i]).bits) << values[i];
  }
}

TYPED_TEST(NarrowArrays, AnyLength) {
  std::vector<float> values(50);
  std::iota(values.begin(), values.end(), -20.5F);
  for (std::int64_t count = 0; count <= 50; ++count) {
    std::vector<TypeParam> halves(51);
    std::vector<float> back(51);
    narrow(values.data(), halves.data(), count);
    widen(halves.data(), back.data(), count);
    for (std::size_t i = 0; i < 51; ++i) {
      const bool inside = i < static_cast<std::size_t>(count);
      EXPECT_EQ(back[i], inside ? static_cast<float>(TypeParam(values[i])) : 0) << count;
      EXPECT_TRUE(inside || halves[i].bits == 0) << count;
    }
  }
}

}  // namespace
}  // namespace tutti::kernels::narrow_arrays_test
