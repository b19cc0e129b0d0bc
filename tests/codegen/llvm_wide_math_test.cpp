// The inline transcendental functions of f64 in generated code, against the C library's functions
// of long double.

#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

#include "tests/codegen/math_kernels.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen::llvm_wide_math_test {
namespace {

using ir::ScalarOp;
using namespace math_testing;  // NOLINT: the helpers of this folder

struct WideFunction {
  ScalarOp op;
  long double (*reference)(long double);
};

const WideFunction kWideFunctions[] = {
    {ScalarOp::exp, std::exp},   {ScalarOp::exp2, std::exp2}, {ScalarOp::expm1, std::expm1},
    {ScalarOp::log, std::log},   {ScalarOp::log2, std::log2}, {ScalarOp::log1p, std::log1p},
    {ScalarOp::tanh, std::tanh}, {ScalarOp::sin, std::sin},   {ScalarOp::cos, std::cos},
    {ScalarOp::cbrt, std::cbrt}, {ScalarOp::tan, std::tan},   {ScalarOp::erf, std::erf}};

const BinaryFunction<long double> kWideBinaryFunctions[] = {
    {ScalarOp::atan2, std::atan2}, {ScalarOp::pow, std::pow}, {ScalarOp::mod, std::fmod}};

// Arguments at which functions of f64 change their ways, beside those of f32.
// clang-format off
constexpr double kCorners[] = {
    5e-324, -5e-324, 1e-308, 1.7e308, 1e-17, -1e-17, 1073741824, 1073741825,
    // Of exp and its like.
    709.78, 709.79, -708.39, -708.4, -745.1, -745.2, -40, 20,
    1023.9999999999999, 1024, -1022, -1022.0000000000002, -1074, -1074.9999, -1075, -1075.5,
    // Of logarithms: where exponents change, and beside 1.
    0.6666666666666666, 0.66666666666666674, 1.3333333333333333, 1.3333333333333335,
    0.99999999999999989, 1.0000000000000002, 2.2250738585072014e-308, 2.2250738585072009e-308,
    // Of functions of angles: what is next to multiples of a quarter turn.
    45.553093477052, 91.106186954104, 14461176.67027838, 182.212373908208,
    28922353.34055676, 364.424747816416, 57844706.68111352, 728.849495632832,
    1.5707963267948966, -3.141592653589793, 0.7853981633974483, 0.78539816339744839,
    // Of erf.
    -0.99999999999999989, 1.0000000426790536, -5.92, 5.8635847487551677, 6, -6.5,
    // Of cbrt.
    8, -27, 1.0000000000000002e-300, 9007199254740992, 1.7976931348623157e308};
// clang-format on

class WideMath : public testing::TestWithParam<std::string> {};

// Numbers of all sizes, near 0 and where functions change their ways.
TEST_P(WideMath, IsWithinTwoUlpAndAHalf) {
  std::vector<double> x(std::begin(kCorners), std::end(kCorners));
  for (const float corner : kMathCorners) x.push_back(static_cast<double>(corner));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-1, 1);
  const char* asked = std::getenv("TUTTI_TEST_MATH_COUNT");
  const std::uint64_t count = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 30'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    x.push_back(std::bit_cast<double>(static_cast<std::uint64_t>(random())));
    x.push_back(-708.4 + near(random) / 50);
    x.push_back(-1048 + 30 * near(random));
    for (const double size : {1.0, 6.0, 50.0, 800.0, 1e6}) x.push_back(size * near(random));
    x.push_back(1 + near(random) / 100);
    x.push_back(0.75 + near(random) / 2);
    x.push_back(std::exp2(1074 * near(random)));
    // Near multiples of a quarter turn.
    x.push_back(std::nearbyint(near(random) * 1e5) * std::numbers::pi / 2);
    x.push_back(std::nearbyint(near(random) * 6e8) * std::numbers::pi / 2);
  }
  std::vector<double> y(x.size());
  for (const WideFunction& function : kWideFunctions) {
    const Kernel kernel = map_kernel(function.op, static_cast<std::int64_t>(x.size()), DType::f64);
    const Kernel* const kernels[] = {&kernel};
    const auto code = native::compile(kernels, processor_named(GetParam())).front();
    void* const buffers[] = {x.data(), y.data()};
    code->run(buffers, 0, kernel.tiles());
    double worst = 0;
    double at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double off = ulp_off(y[i], function.reference(static_cast<long double>(x[i])));
      if (off > worst) {
        worst = off;
        at = x[i];
      }
    }
    RecordProperty(std::string(ir::name_of(function.op)), std::to_string(worst));
    EXPECT_LE(worst, function.op == ScalarOp::tanh ? 2.5 : 2)
        << ir::name_of(function.op) << " of " << at;
  }
}

TEST_P(WideMath, OfTwoOperandsIsWithinTwoUlp) {
  std::vector<double> x;
  std::vector<double> y;
  const auto add = [&](double a, double b) {
    x.push_back(a);
    y.push_back(b);
  };
  std::vector<double> corners(std::begin(kMathCorners), std::end(kMathCorners));
  corners.insert(corners.end(), std::begin(kCorners), std::end(kCorners));
  for (const double more : {-2.0, 3.0, -3.0, -0.5, 1.5, 1e300, -1e-300, 1e-323, 4503599627370497.0,
                            9007199254740993.0}) {
    corners.push_back(more);
  }
  for (const double a : corners) {
    for (const double b : corners) add(a, b);
  }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-1, 1);
  const char* asked = std::getenv("TUTTI_TEST_MATH_COUNT");
  const std::uint64_t count = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 30'000;
  const auto any = [&] { return std::bit_cast<double>(static_cast<std::uint64_t>(random())); };
  for (std::uint64_t i = 0; i < count; ++i) {
    add(any(), any());
    add(20 * near(random), 20 * near(random));
    add(std::exp(20 * near(random)), 20 * near(random));
    // Beside tan(pi/8), and the same among the largest and the smallest numbers.
    const double size = std::exp2(std::round(1070 * near(random)));
    add(size * (0.414 + near(random) / 100), size);
    add(-size, size * (1 + near(random) / 2));
    // Powers of all sizes, near 1 and where exponents of the base change, and exact ones.
    const double base = std::exp2(1074 * near(random));
    add(base, 1080 * near(random) / std::log2(base));
    const double one = 1 + near(random) / 3;
    add(one, 1080 * near(random) / std::log2(one));
    const double beside = 1 + 1e-7 * near(random);
    add(beside, 1080 * near(random) / std::log2(beside));
    add(std::round(20 * near(random)), std::round(20 * near(random)));
    // Whole quotients and what is beside them, of up to 54 bits.
    const double step = size * near(random);
    const double quotient = std::round(std::exp2(27 + 27 * near(random)));
    add(quotient * step, step);
    add(std::nextafter(quotient * step, near(random)), step);
  }
  for (const auto& function : kWideBinaryFunctions) {
    expect_within(function, x, y, function.op == ScalarOp::mod ? 0 : 2,
                  processor_named(GetParam()));
  }
}

TEST_P(WideMath, GivesAScalarTheBitsOfAVectorsElement) {
  std::vector<double> x(std::begin(kMathCorners), std::end(kMathCorners));
  for (int i = -3000; i < 3000; ++i) x.push_back(i * 0.0371);
  for (int i = -1080; i < 1020; ++i) x.push_back(std::ldexp(-1.37, i));
  x.insert(x.end(), std::begin(kCorners), std::end(kCorners));
  std::vector<ScalarOp> ops;
  for (const WideFunction& function : kWideFunctions) ops.push_back(function.op);
  for (const auto& function : kWideBinaryFunctions) ops.push_back(function.op);
  expect_same_bits(x, ops, processor_named(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Processors, WideMath, testing::Values("host", "haswell", "nehalem"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace tutti::codegen::llvm_wide_math_test

#endif
