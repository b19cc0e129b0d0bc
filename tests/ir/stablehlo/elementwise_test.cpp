#include <cmath>
#include <limits>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

namespace tutti::ir::stablehlo_elementwise_test {
namespace {

using test::f32;
using test::i32;
using test::run_stablehlo;
using test::stablehlo_function;
using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// %0 = <operation> of %x, and of %y, both of one type.
Array apply(const std::string& operation, const std::string& type, const std::vector<Array>& x) {
  std::string arguments = "%x: " + type;
  if (x.size() > 1) arguments += ", %y: " + type;
  const std::string result = operation.substr(operation.rfind("tensor<"));
  return run_stablehlo(
      stablehlo_function(arguments, result, "%0 = " + operation + "\nreturn %0 : " + result), x)[0];
}

std::string text_of(const Array& array) {
  std::string out;
  for (std::int64_t i = 0; i < array.elements(); ++i) {
    const double value = array.at(i);
    out += (i == 0 ? "" : " ") +
           (value == 0 && std::signbit(value) ? std::string("-0") : std::to_string(value));
  }
  return out;
}

TEST(StablehloElementwise, SignsKeepNegativeZeroAndNaN) {
  const Array x = f32({-2, -0.0F, 0, 3, kNaN});
  const Array out = apply("stablehlo.sign %x : tensor<5xf32>", "tensor<5xf32>", {x});
  EXPECT_EQ(text_of(out), text_of(f32({-1, -0.0F, 0, 1, kNaN})));
}

TEST(StablehloElementwise, HalvesRoundAwayFromZero) {
  const Array x = f32({0.49999997F, 0.5F, -0.5F, -1.5F, 8388609, kInfinity, -0.2F});
  const Array out = apply("stablehlo.round_nearest_afz %x : tensor<7xf32>", "tensor<7xf32>", {x});
  EXPECT_EQ(text_of(out), text_of(f32({0, 1, -1, -2, 8388609, kInfinity, -0.0F})));
}

TEST(StablehloElementwise, TotalOrderTellsZerosAndNaNs) {
  const Array x = f32({-0.0F, kNaN, -kInfinity, 1});
  const Array y = f32({0, kInfinity, -std::numeric_limits<float>::max(), 1});
  const auto of = [&](const std::string& kind) {
    return text_of(apply("stablehlo.compare LT, %x, %y, " + kind +
                             " : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
                         "tensor<4xf32>", {x, y}));
  };
  EXPECT_EQ(of("TOTALORDER"), "1.000000 0.000000 1.000000 0.000000");
  EXPECT_EQ(of("FLOAT"), "0.000000 0.000000 1.000000 0.000000");
}

TEST(StablehloElementwise, BitsOfIntegers) {
  const Array x = i32({0, 1, -1, 96});
  const std::string type = "tensor<4xi32>";
  EXPECT_EQ(apply("stablehlo.popcnt %x : tensor<4xi32>", type, {x}), i32({0, 1, 32, 2}));
  EXPECT_EQ(apply("stablehlo.count_leading_zeros %x : tensor<4xi32>", type, {x}),
            i32({32, 31, 0, 25}));
  const Array y = i32({1, 1, 1, 40});
  EXPECT_EQ(apply("stablehlo.shift_right_logical %x, %y : tensor<4xi32>", type, {x, y}),
            i32({0, 0, 0x7FFFFFFF, 0}));
  EXPECT_EQ(apply("stablehlo.shift_right_arithmetic %x, %y : tensor<4xi32>", type, {x, y}),
            i32({0, 0, -1, 0}));
}

TEST(StablehloElementwise, IntegerPowers) {
  const Array x = i32({3, -1, 2, 0, 1, -2});
  const Array y = i32({4, -3, -1, 0, -7, 31});
  EXPECT_EQ(apply("stablehlo.power %x, %y : tensor<6xi32>", "tensor<6xi32>", {x, y}),
            i32({81, -1, 0, 1, 1, std::numeric_limits<std::int32_t>::min()}));
}

TEST(StablehloElementwise, TruthsAddAsOr) {
  const std::array<bool, 4> a = {false, false, true, true};
  const std::array<bool, 4> b = {false, true, false, true};
  const std::vector<Array> x = {Array::from(std::span<const bool>(a), {4}),
                                Array::from(std::span<const bool>(b), {4})};
  const std::string type = "tensor<4xi1>";
  EXPECT_EQ(text_of(apply("stablehlo.add %x, %y : tensor<4xi1>", type, x)),
            "0.000000 1.000000 1.000000 1.000000");
  EXPECT_EQ(text_of(apply("stablehlo.multiply %x, %y : tensor<4xi1>", type, x)),
            "0.000000 0.000000 0.000000 1.000000");
  EXPECT_EQ(text_of(apply("stablehlo.compare GT, %x, %y, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) "
                          "-> tensor<4xi1>",
                          type, x)),
            "0.000000 0.000000 1.000000 0.000000");
}

TEST(StablehloElementwise, PrecisionIsReducedToTheNearest) {
  const Array x = f32({1.0009765F, 70000, -65519, 1e-6F, kNaN});
  const Array out =
      apply("stablehlo.reduce_precision %x, format = e5m10 : tensor<5xf32>", "tensor<5xf32>", {x});
  EXPECT_EQ(text_of(out), text_of(f32({1.0009765625F, kInfinity, -65504, 0, kNaN})));
}

TEST(StablehloElementwise, PrecisionOfNarrowFloatsIsReducedWithinTheirOwnFormat) {
  const auto bits_after = [](const std::string& type, const std::string& format,
                             const std::string& number, const Array& bits) {
    const std::string own = "tensor<2x" + type + ">";
    return run_stablehlo(
        stablehlo_function(
            "%x: tensor<2x" + number + ">", "tensor<2x" + number + ">",
            "    %0 = stablehlo.bitcast_convert %x : (tensor<2x" + number + ">) -> " + own +
                "\n    %1 = stablehlo.reduce_precision %0, format = " + format + " : " + own +
                "\n    %2 = stablehlo.bitcast_convert %1 : (" + own + ") -> tensor<2x" + number +
                ">\n    return %2 : tensor<2x" + number + ">"),
        {bits})[0];
  };
  const auto u16 = [](std::uint16_t a, std::uint16_t b) {
    const std::array<std::uint16_t, 2> all = {a, b};
    return Array::from(std::span<const std::uint16_t>(all), {2});
  };
  const auto u8 = [](std::uint8_t a, std::uint8_t b) {
    const std::array<std::uint8_t, 2> all = {a, b};
    return Array::from(std::span<const std::uint8_t>(all), {2});
  };
  EXPECT_EQ(bits_after("f16", "e5m10", "ui16", u16(0x0001, 0x0200)), u16(0x0001, 0x0200));
  EXPECT_EQ(bits_after("f16", "e5m4", "ui16", u16(0x0031, 0x7BFF)), u16(0x0040, 0x7C00));
  EXPECT_EQ(bits_after("f8E4M3FN", "e4m3", "ui8", u8(0x7E, 0x01)), u8(0x7E, 0x01));
  EXPECT_EQ(bits_after("f8E5M2", "e5m2", "ui8", u8(0x01, 0x7B)), u8(0x01, 0x7B));
  const Array large = f32({65536, 65504});
  EXPECT_EQ(apply("stablehlo.reduce_precision %x, format = e5m30 : tensor<2xf32>", "tensor<2xf32>",
                  {large}),
            f32({kInfinity, 65504}));
}

TEST(StablehloElementwise, BitsChangeTheirSize) {
  const Array wide = apply("stablehlo.bitcast_convert %x : (tensor<1xf32>) -> tensor<1x4xui8>",
                           "tensor<1xf32>", {f32({1})});
  EXPECT_EQ(text_of(wide), "0.000000 0.000000 128.000000 63.000000");
  const Array narrow = apply("stablehlo.bitcast_convert %x : (tensor<1x2xi32>) -> tensor<1xi64>",
                             "tensor<1x2xi32>", {i32({-1, 1}, {1, 2})});
  EXPECT_EQ(narrow.data<std::int64_t>()[0], 0x1FFFFFFFFLL);
}

// As exact forms of gelu have it.
TEST(StablehloElementwise, ErfcOfF32HasAllItsDigits) {
  std::vector<float> x;
  for (int i = -50; i <= 93; ++i) x.push_back(0.1F * static_cast<float>(i) + 0.003F);
  const auto count = std::ssize(x);
  const std::string type = "tensor<" + std::to_string(count) + "xf32>";
  const Array out = apply("chlo.erfc %x : " + type + " -> " + type, type, {f32(x, {count})});
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(out.at(static_cast<std::int64_t>(i)) / std::erfc(static_cast<double>(x[i])), 1,
                5e-7)
        << x[i];
  }
  EXPECT_EQ(apply("chlo.erfc %x : tensor<3xf32> -> tensor<3xf32>", "tensor<3xf32>",
                  {f32({11, std::numeric_limits<float>::infinity(), -40}, {3})}),
            f32({0, 0, 2}, {3}));
}

TEST(StablehloElementwise, SpecialFunctionsAreAccurateInTheirTails) {
  const auto of = [](const std::string& name, double x) {
    const std::string type = "tensor<f64>";
    return apply("chlo." + name + " %x : tensor<f64> -> tensor<f64>", type, {Array::scalar(x)})
        .at(0);
  };
  const auto expect = [&](const std::string& name, double x, double wanted) {
    EXPECT_NEAR(of(name, x) / wanted, 1, 1e-11) << name << " of " << x;
  };
  for (const double x : {-30.0, -3.0, -1e-9, 0.0, 1e-9, 0.3, 1.9, 2.0, 2.1, 5.0, 20.0, 26.0}) {
    EXPECT_NEAR(of("erfc", x) / std::erfc(x), 1, 1e-15) << x;
  }
  EXPECT_EQ(of("erfc", 28), 0);
  EXPECT_EQ(of("erfc", std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(of("erfc", -std::numeric_limits<double>::infinity()), 2);
  EXPECT_TRUE(std::isnan(of("erfc", std::numeric_limits<double>::quiet_NaN())));
  for (const double x : {-2.5, -0.3, 0.1, 0.7, 3.5, 100.0}) expect("lgamma", x, std::lgamma(x));
  for (const double x : {-700.0, -0.5, 1e-9, 3.0}) expect("sinh", x, std::sinh(x));
  for (const double x : {1e-9, 0.5, 1e12, 1e200}) expect("asinh", x, std::asinh(x));
  for (const double x : {1.0000001, 2.0, 1e200}) expect("acosh", x, std::acosh(x));
  for (const double x : {1e-9, -0.99, 0.5}) expect("atanh", x, std::atanh(x));
  for (const double x : {-1.0, -0.2, 0.999999}) expect("acos", x, std::acos(x));
  for (const double x : {0.01, -0.7, 0.9999}) expect("erf_inv", std::erf(x), x);
  expect("digamma", 1, -0.57721566490153286);
  expect("digamma", -0.5, 0.036489973978576520);
  expect("bessel_i1e", 1, 0.20791041534970844887);
}

TEST(StablehloElementwise, RefusesWhatItCannotMean) {
  EXPECT_THAT(test::refusal(stablehlo_function(
                  "%x: tensor<f32>", "tensor<i1>",
                  "%0 = stablehlo.compare XX, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>")),
              HasSubstr("unknown direction 'XX'"));
  EXPECT_THAT(test::refusal(stablehlo_function(
                  "%x: tensor<f32>, %y: tensor<i32>", "tensor<f32>",
                  "%0 = stablehlo.add %x, %y : (tensor<f32>, tensor<i32>) -> tensor<f32>")),
              HasSubstr("stablehlo.add: add: mixed dtypes f32 and i32"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_elementwise_test
