// The inline transcendental functions of f32 in generated code, over all floats, against the C
// library's functions of double.

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "tests/codegen/math_kernels.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen::llvm_math_test {
namespace {

using ir::ScalarOp;
using namespace math_testing;  // NOLINT: the helpers of this folder

struct Function {
  ScalarOp op;
  double (*reference)(double);
};

const Function kFunctions[] = {
    {ScalarOp::exp, std::exp},   {ScalarOp::exp2, std::exp2}, {ScalarOp::expm1, std::expm1},
    {ScalarOp::log, std::log},   {ScalarOp::log2, std::log2}, {ScalarOp::log1p, std::log1p},
    {ScalarOp::tanh, std::tanh}, {ScalarOp::erf, std::erf},   {ScalarOp::sin, std::sin},
    {ScalarOp::cos, std::cos},   {ScalarOp::tan, std::tan},   {ScalarOp::cbrt, std::cbrt},
};

const BinaryFunction<double> kBinaryFunctions[] = {
    {ScalarOp::pow, std::pow}, {ScalarOp::atan2, std::atan2}, {ScalarOp::mod, std::fmod}};

class InlineMath : public testing::TestWithParam<std::string> {};

TEST_P(InlineMath, IsWithinTwoUlp) {
  // Every 4093rd bit pattern takes half a second; TUTTI_TEST_MATH_STRIDE=31 a minute.
  const char* asked = std::getenv("TUTTI_TEST_MATH_STRIDE");
  const std::uint64_t stride = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 4093;
  const native::Processor processor = processor_named(GetParam());
  std::vector<float> x(std::begin(kMathCorners), std::end(kMathCorners));
  for (std::uint64_t pattern = 0; pattern < (std::uint64_t{1} << 32); pattern += stride) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  }
  std::vector<float> y(x.size());
  for (const Function& function : kFunctions) {
    const Kernel kernel = map_kernel(function.op, static_cast<std::int64_t>(x.size()));
    const Kernel* const kernels[] = {&kernel};
    const auto code = native::compile(kernels, processor).front();
    void* const buffers[] = {x.data(), y.data()};
    code->run(buffers, 0, kernel.tiles());
    double worst = 0;
    float at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double off = ulp_off(y[i], function.reference(static_cast<double>(x[i])));
      if (off > worst) {
        worst = off;
        at = x[i];
      }
    }
    RecordProperty(std::string(ir::name_of(function.op)), std::to_string(worst));
    EXPECT_LE(worst, 2) << ir::name_of(function.op) << " of " << at;
  }
}

TEST_P(InlineMath, OfTwoOperandsIsWithinOneUlp) {
  std::vector<float> x;
  std::vector<float> y;
  const auto add = [&](float a, float b) {
    x.push_back(a);
    y.push_back(b);
  };
  constexpr float kMore[] = {2.0F, -2.0F, 3.0F, -3.0F, 0.5F, -0.5F, 1.5F, 16777216.0F, 1e30F, 0.3F};
  for (const float a : kMathCorners) {
    for (const float b : kMathCorners) add(a, b);
    for (const float b : kMore) {
      add(a, b);
      add(b, a);
    }
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<float> near(-20, 20);
  for (int i = 0; i < 100'000; ++i) {
    add(std::bit_cast<float>(static_cast<std::uint32_t>(random())),
        std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    add(near(random), near(random));
    add(std::exp(near(random)), near(random));
    add(1 + near(random) * 1e-4F, near(random) * 1e4F);
    add(std::round(near(random)), std::round(near(random)));
    const float step = near(random);
    add(std::round(near(random) * 100) * step, step);
  }
  for (const auto& function : kBinaryFunctions) {
    expect_within(function, x, y, function.op == ScalarOp::mod ? 0 : 1,
                  processor_named(GetParam()));
  }
}

// A value that is the same for a row is computed alone, in a lane of its own.
TEST_P(InlineMath, GivesAScalarTheBitsOfAVectorsElement) {
  std::vector<float> x(std::begin(kMathCorners), std::end(kMathCorners));
  for (int i = -3000; i < 3000; ++i) x.push_back(static_cast<float>(i) * 0.0371F);
  for (int i = -150; i < 150; ++i) x.push_back(std::ldexp(-1.37F, i));
  std::vector<ScalarOp> ops = {ScalarOp::maximum, ScalarOp::minimum};
  for (const Function& function : kFunctions) ops.push_back(function.op);
  for (const auto& function : kBinaryFunctions) ops.push_back(function.op);
  expect_same_bits(x, ops, processor_named(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Processors, InlineMath, testing::Values("host", "haswell", "nehalem"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace tutti::codegen::llvm_math_test

#endif
