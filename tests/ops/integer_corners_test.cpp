#include <cmath>
#include <functional>
#include <numeric>

#include "tests/support/ops/corners.h"

// Integers wrap, and nothing traps: x / 0 is -1, x mod 0 is x, MIN / -1 is MIN, shifts by the width
// or more give 0 or the sign.
namespace tutti::test::integer_corners_test {
namespace {

using ir::Op;
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): only so without a warning

// What an op gives before it wraps; `width` in bits.
struct IntegerMeaning {
  Op op;
  Wide (*meaning)(Wide x, Wide y, int width);
};

Wide floor_shift(Wide x, Wide y, int width) {
  const bool too_far = y < 0 || y >= width;
  if (too_far) return x < 0 ? -1 : 0;
  return x >> static_cast<int>(y);
}

const IntegerMeaning kMeanings[] = {
    {Op::add, [](Wide x, Wide y, int) { return x + y; }},
    {Op::sub, [](Wide x, Wide y, int) { return x - y; }},
    {Op::mul,
     [](Wide x, Wide y, int) {
       // Two u64 fill 128 bits: the product wraps, and only its low half counts.
       __extension__ typedef unsigned __int128 Natural;  // NOLINT(modernize-use-using)
       return static_cast<Wide>(static_cast<Natural>(x) * static_cast<Natural>(y));
     }},
    {Op::div, [](Wide x, Wide y, int) { return y == 0 ? Wide{-1} : x / y; }},
    {Op::mod, [](Wide x, Wide y, int) { return y == 0 ? x : x % y; }},
    {Op::maximum, [](Wide x, Wide y, int) { return x > y ? x : y; }},
    {Op::minimum, [](Wide x, Wide y, int) { return x < y ? x : y; }},
    {Op::bitwise_and, [](Wide x, Wide y, int) { return x & y; }},
    {Op::bitwise_or, [](Wide x, Wide y, int) { return x | y; }},
    {Op::bitwise_xor, [](Wide x, Wide y, int) { return x ^ y; }},
    {Op::shift_left,
     [](Wide x, Wide y, int width) {
       return y < 0 || y >= width ? Wide{0} : x * (Wide{1} << static_cast<int>(y));
     }},
    {Op::shift_right, floor_shift},
};

// Every pair of `values` under every op, against the meaning in 128 bits.
template <class T>
void check_pairs(const std::vector<T>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  const Array column = array_of(values, {count, 1});
  const Array row = array_of(values, {count});
  for (const auto& [op, meaning] : kMeanings) {
    std::vector<T> expected;
    for (const T x : values) {
      for (const T y : values) expected.push_back(static_cast<T>(meaning(x, y, sizeof(T) * 8)));
    }
    expect_op(op, {column, row}, array_of(expected, {count, count}));
  }
  const auto check_unary = [&](Op op, Wide (*meaning)(Wide)) {
    std::vector<T> expected;
    for (const T x : values) expected.push_back(static_cast<T>(meaning(x)));
    expect_op(op, {row}, array_of(expected));
  };
  check_unary(Op::neg, [](Wide x) { return -x; });
  check_unary(Op::abs, [](Wide x) { return x < 0 ? -x : x; });
  check_unary(Op::sign, [](Wide x) { return Wide{(x > 0) - (x < 0)}; });
  check_unary(Op::bitwise_not, [](Wide x) { return ~x; });
  check_unary(Op::relu, [](Wide x) { return x < 0 ? 0 : x; });
}

template <class T>
std::vector<T> all_values() {
  std::vector<T> out(256);
  std::iota(out.begin(), out.end(), std::numeric_limits<T>::min());
  return out;
}
template <class T>
std::vector<T> corner_values() {
  constexpr T kLeast = std::numeric_limits<T>::min();
  constexpr T kMost = std::numeric_limits<T>::max();
  constexpr T kWidth = sizeof(T) * 8;
  return {kLeast,
          static_cast<T>(kLeast + 1),
          static_cast<T>(kMost / 2),
          static_cast<T>(kMost - 1),
          kMost,
          static_cast<T>(-1),
          static_cast<T>(-7),
          0,
          1,
          2,
          3,
          static_cast<T>(kWidth - 1),
          kWidth,
          static_cast<T>(kWidth + 1)};
}

TEST(IntegerCorners, AllPairsOfI8) { check_pairs(all_values<std::int8_t>()); }
TEST(IntegerCorners, AllPairsOfU8) { check_pairs(all_values<std::uint8_t>()); }
TEST(IntegerCorners, EndsOfI16) { check_pairs(corner_values<std::int16_t>()); }
TEST(IntegerCorners, EndsOfU16) { check_pairs(corner_values<std::uint16_t>()); }
TEST(IntegerCorners, EndsOfI32) { check_pairs(corner_values<std::int32_t>()); }
TEST(IntegerCorners, EndsOfU32) { check_pairs(corner_values<std::uint32_t>()); }
TEST(IntegerCorners, EndsOfI64) { check_pairs(corner_values<std::int64_t>()); }
TEST(IntegerCorners, EndsOfU64) { check_pairs(corner_values<std::uint64_t>()); }

TEST(IntegerCorners, FmaWraps) {
  const Array x = array_of<std::int8_t>({127, -128, 16});
  expect_op(Op::fma, {x, x, array_of<std::int8_t>({3, 1, 1})}, array_of<std::int8_t>({4, 1, 1}));
}

TEST(IntegerCorners, ReductionsWrapAndExtremesAreExact) {
  const std::vector<std::int64_t> all = {0};
  const auto reduced = [&](Op op, const Array& x, const Array& expected) {
    expect_op(op, {x}, expected, {all});
  };
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  reduced(Op::sum, array_of<std::uint8_t>({200, 100}), Array::scalar(std::uint8_t{44}));
  reduced(Op::prod, array_of<std::int8_t>({100, 3}), Array::scalar(std::int8_t{44}));
  reduced(Op::max, array_of<std::int64_t>({kLeast, kLeast + 1}), Array::scalar(kLeast + 1));
  reduced(Op::min, array_of<std::uint64_t>({kMost, kMost - 1}), Array::scalar(kMost - 1));
  reduced(Op::max, array_of<std::int8_t>({-128}), Array::scalar(std::int8_t{-128}));
  const std::vector<ir::Attribute> along = {std::int64_t{0}};
  expect_op(Op::argmax, {array_of<std::uint64_t>({kMost - 1, kMost, kMost})},
            Array::scalar(std::int64_t{1}), along);
  expect_op(Op::argmin, {array_of<std::int64_t>({kLeast + 1, kLeast, kLeast})},
            Array::scalar(std::int64_t{1}), along);
}

// ---- Casts

template <class To>
To saturated(double value) {
  if (std::isnan(value)) return 0;
  const auto least = static_cast<double>(std::numeric_limits<To>::min());
  const auto past = std::ldexp(1.0, std::numeric_limits<To>::digits);
  if (value <= least) return std::numeric_limits<To>::min();
  if (value >= past) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

const std::vector<double> kFloats = {
    0,       -0.0,   0.5,   -0.5,   0.999,  -0.999, 1.5,   -1.5,   126.9,     127,
    127.5,   128,    -128,  -128.9, -129,   255,    255.5, 256,    32767,     32768,
    -32769,  65535,  65536, 2.1e9,  -2.2e9, 4.29e9, 4.3e9, 9.2e18, 9.3e18,    -9.3e18,
    1.84e19, 1.9e19, 1e30,  -1e30,  3e38,   -3e38,  1e-40, kNan,   kInfinity, -kInfinity};

class FloatToInteger : public testing::TestWithParam<DType> {};

TEST_P(FloatToInteger, TruncatesSaturatesAndSendsNanToZero) {
  const Array x = numbers(kFloats, GetParam());
  for (int to = 0; to < kDTypeCount; ++to) {
    const auto dtype = static_cast<DType>(to);
    visit_dtype(dtype, [&]<class To>(std::type_identity<To>) {
      if constexpr (std::is_integral_v<To>) {
        Array expected(dtype, x.shape());
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          auto& element = expected.data<To>()[static_cast<std::size_t>(i)];
          if constexpr (std::is_same_v<To, bool>) {
            element = x.at(i) != 0;
          } else {
            element = saturated<To>(x.at(i));
          }
        }
        expect_op(Op::cast, {x}, expected, {dtype});
      }
    });
  }
}

std::string dtype_name(const testing::TestParamInfo<DType>& dtype) {
  return std::string(name_of(dtype.param));
}
INSTANTIATE_TEST_SUITE_P(, FloatToInteger,
                         testing::Values(DType::f16, DType::bf16, DType::f32, DType::f64,
                                         DType::f8_e4m3fn, DType::f8_e5m2),
                         dtype_name);

TEST(IntegerCorners, CastsBetweenIntegersWrap) {
  const std::vector<std::int64_t> values = {0,
                                            1,
                                            -1,
                                            127,
                                            128,
                                            255,
                                            256,
                                            -128,
                                            -129,
                                            65536 + 7,
                                            INT64_MIN,
                                            INT64_MAX,
                                            std::int64_t{1} << 32};
  for (int to = 0; to < kDTypeCount; ++to) {
    const auto dtype = static_cast<DType>(to);
    visit_dtype(dtype, [&]<class To>(std::type_identity<To>) {
      if constexpr (std::is_integral_v<To>) {
        Array expected(dtype, {static_cast<std::int64_t>(values.size())});
        for (std::size_t i = 0; i < values.size(); ++i) {
          expected.data<To>()[i] = static_cast<To>(values[i]);
        }
        expect_op(Op::cast, {array_of(values)}, expected, {dtype});
      }
    });
  }
}

TEST(IntegerCorners, CastsToFloatRoundToNearest) {
  expect_op(Op::cast, {array_of<std::uint64_t>({UINT64_MAX, (1ULL << 53) + 1, 3})},
            array_of<double>({0x1p64, 0x1p53, 3}), {DType::f64});
  expect_op(Op::cast, {array_of<std::int64_t>({INT64_MIN, (1LL << 24) + 1, (1LL << 24) + 3, -1})},
            array_of<float>({-0x1p63F, 0x1p24F, 0x1p24F + 4, -1}), {DType::f32});
  expect_op(Op::cast, {array_of<std::uint32_t>({UINT32_MAX, 0})}, array_of<float>({0x1p32F, 0}),
            {DType::f32});
  expect_op(Op::cast, {array_of<std::int32_t>({65520, 65519, -70000, 2049})},
            numbers({kInfinity, 65504, -kInfinity, 2048}, DType::f16), {DType::f16});
  expect_op(Op::cast, {array_of<std::uint8_t>({0, 255})}, numbers({0, 255}, DType::bf16),
            {DType::bf16});
}

}  // namespace
}  // namespace tutti::test::integer_corners_test
