#include <tutti/ir/support/half.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tutti::half_test {
namespace {

template <class T>
T from_bits(unsigned bits) {
  T value;
  value.bits = static_cast<std::uint16_t>(bits);
  return value;
}

// All patterns of both types: `infinity` is the pattern of +infinity.
template <class T>
void check_all(unsigned infinity) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = from_bits<T>(bits);
    if ((bits & 0x7FFFU) > infinity) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(static_cast<float>(T(value))));
    } else {
      EXPECT_EQ(T(value).bits, bits);
    }
  }
  // What lies between two neighbours goes to the nearer one, the middle to the even one.
  for (unsigned bits = 0; bits + 1 < infinity; ++bits) {
    const float low = from_bits<T>(bits);
    const float high = from_bits<T>(bits + 1);
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(T(std::nextafter(middle, low)).bits, bits);
    EXPECT_EQ(T(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(T(std::nextafter(middle, high)).bits, bits + 1);
    EXPECT_EQ(T(-middle).bits, T(middle).bits | 0x8000U);
  }
}

TEST(Half, Float16RoundsLikeIeee) { check_all<Float16>(0x7C00); }
TEST(Half, BFloat16RoundsLikeIeee) { check_all<BFloat16>(0x7F80); }

TEST(Half, TooLargeBecomesInfinity) {
  EXPECT_EQ(Float16(65504.0F).bits, 0x7BFFU);
  EXPECT_EQ(Float16(65519.99F).bits, 0x7BFFU);
  EXPECT_EQ(Float16(65520.0F).bits, 0x7C00U);
  EXPECT_EQ(Float16(-1e10F).bits, 0xFC00U);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80U);
}

}  // namespace
}  // namespace tutti::half_test
