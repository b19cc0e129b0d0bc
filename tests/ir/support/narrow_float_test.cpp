#include <tutti/ir/support/narrow_float.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tutti::narrow_float_test {
namespace {

template <class T>
T from_bits(unsigned bits) {
  T value;
  value.bits = static_cast<decltype(T::bits)>(bits);
  return value;
}

// All patterns of a type: `beyond` is the first that is no finite number.
template <class T>
void check_all(unsigned beyond, bool infinity = true) {
  const unsigned sign = 1U << (8 * sizeof(T) - 1);
  for (unsigned bits = 0; bits < 2 * sign; ++bits) {
    const float value = from_bits<T>(bits);
    if ((bits & (sign - 1)) > beyond - (infinity ? 0 : 1)) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(static_cast<float>(T(value))));
    } else {
      EXPECT_EQ(T(value).bits, bits);
    }
  }
  // What lies between two neighbours goes to the nearer one, the middle to the even one.
  for (unsigned bits = 0; bits + 1 < beyond; ++bits) {
    const float low = from_bits<T>(bits);
    const float high = from_bits<T>(bits + 1);
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(T(std::nextafter(middle, low)).bits, bits);
    EXPECT_EQ(T(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(T(std::nextafter(middle, high)).bits, bits + 1);
    EXPECT_EQ(T(-middle).bits, T(middle).bits | sign);
  }
}

TEST(NarrowFloat, Float16RoundsLikeIeee) { check_all<Float16>(0x7C00); }
TEST(NarrowFloat, BFloat16RoundsLikeIeee) { check_all<BFloat16>(0x7F80); }
TEST(NarrowFloat, Float8E5M2RoundsLikeIeee) { check_all<Float8E5M2>(0x7C); }
TEST(NarrowFloat, Float8E4M3FNRoundsLikeIeee) { check_all<Float8E4M3FN>(0x7F, false); }

TEST(NarrowFloat, EightBitsHoldTheNumbersOfTheirFormats) {
  EXPECT_EQ(from_bits<Float8E4M3FN>(0x01), 0x1p-9F);
  EXPECT_EQ(from_bits<Float8E4M3FN>(0x08), 0x1p-6F);
  EXPECT_EQ(from_bits<Float8E4M3FN>(0x38), 1);
  EXPECT_EQ(from_bits<Float8E4M3FN>(0x7E), 448);
  EXPECT_EQ(from_bits<Float8E5M2>(0x01), 0x1p-16F);
  EXPECT_EQ(from_bits<Float8E5M2>(0x04), 0x1p-14F);
  EXPECT_EQ(from_bits<Float8E5M2>(0x3C), 1);
  EXPECT_EQ(from_bits<Float8E5M2>(0x7B), 57344);
}

TEST(NarrowFloat, TooLargeIsNotANumberWhereThereIsNoInfinity) {
  EXPECT_EQ(Float8E4M3FN(464.0F).bits, 0x7EU);
  EXPECT_EQ(Float8E4M3FN(std::nextafter(464.0F, 465.0F)).bits, 0x7FU);
  EXPECT_EQ(Float8E4M3FN(-std::numeric_limits<float>::infinity()).bits, 0xFFU);
}

TEST(NarrowFloat, TooLargeBecomesInfinity) {
  EXPECT_EQ(Float8E5M2(61439.0F).bits, 0x7BU);
  EXPECT_EQ(Float8E5M2(61440.0F).bits, 0x7CU);
  EXPECT_EQ(Float16(65504.0F).bits, 0x7BFFU);
  EXPECT_EQ(Float16(65519.99F).bits, 0x7BFFU);
  EXPECT_EQ(Float16(65520.0F).bits, 0x7C00U);
  EXPECT_EQ(Float16(-1e10F).bits, 0xFC00U);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80U);
}

}  // namespace
}  // namespace tutti::narrow_float_test
