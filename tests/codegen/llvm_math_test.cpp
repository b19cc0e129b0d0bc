// The inline transcendental functions of generated code, over all floats, against the C library's
// functions of double.

#include <tutti/codegen/llvm/compile_kernels.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "tests/codegen/kernel_maker.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen::llvm_math_test {
namespace {

using ir::ScalarOp;

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

struct BinaryFunction {
  ScalarOp op;
  double (*reference)(double, double);
};

const BinaryFunction kBinaryFunctions[] = {
    {ScalarOp::pow, std::pow}, {ScalarOp::atan2, std::atan2}, {ScalarOp::mod, std::fmod}};

struct WideFunction {
  ScalarOp op;
  long double (*reference)(long double);
};

const WideFunction kWideFunctions[] = {{ScalarOp::exp, std::exp},   {ScalarOp::expm1, std::expm1},
                                       {ScalarOp::log, std::log},   {ScalarOp::log1p, std::log1p},
                                       {ScalarOp::tanh, std::tanh}, {ScalarOp::sin, std::sin},
                                       {ScalarOp::cos, std::cos}};

// Arguments at which functions change their ways, beside those spread over all bit patterns.
constexpr float kCorners[] = {0.0F,
                              -0.0F,
                              1.0F,
                              -1.0F,
                              1e-45F,
                              -1e-45F,
                              1e-38F,
                              -1e-38F,
                              88.72284F,
                              88.72283F,
                              -103.97F,
                              -103.98F,
                              -87.33F,
                              -104.0F,
                              -150.0F,
                              128.0F,
                              127.99F,
                              0.5F,
                              2.0F,
                              3.92F,
                              4.0F,
                              9.01F,
                              9.02F,
                              -0.99999994F,
                              1e-8F,
                              2097152.0F,
                              2097153.0F,
                              3.1415927F,
                              1.5707964F,
                              3.4e38F,
                              -3.4e38F,
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};

// In units in the last place of T, of the exact result before it is rounded.
template <class T, class Wide>
double ulp_off(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : 1e9;
  const auto rounded = static_cast<T>(exact);
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e9;
  if (exact == 0) return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : 1e9;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  return static_cast<double>(
      std::abs(static_cast<Wide>(got) - exact) /
      std::ldexp(Wide{1}, std::max(exponent, Limits::min_exponent) - Limits::digits));
}

// y[i] = f(x[i]) for `count` elements, not a multiple of kLanes so that masks are at work too; of
// two operands the second is another buffer.
Kernel map_kernel(ScalarOp op, std::int64_t count, DType dtype = DType::f32) {
  kernel_testing::KernelMaker maker(std::string(ir::name_of(op)), {count}, {}, VectorAxis::outer,
                                    1024);
  const bool binary = ir::operand_count(op) == 2;
  const int x = maker.read(dtype);
  const int second = binary ? maker.read(dtype) : -1;
  const int y = maker.write(dtype);
  maker.point();
  const Affine address{.outer = {1}, .inner = {}};
  const ValueId own = maker.load(x, address);
  maker.store(y, address,
              binary ? maker.op(op, own, maker.load(second, address)) : maker.op(op, own));
  return maker.kernel();
}

native::Processor processor_named(const std::string& name) {
  return {.cpu = name == "host" ? "" : name, .features = ""};
}

class InlineMath : public testing::TestWithParam<std::string> {};

TEST_P(InlineMath, IsWithinTwoUlp) {
  // Every 4093rd bit pattern takes half a second; TUTTI_TEST_MATH_STRIDE=31 a minute.
  const char* asked = std::getenv("TUTTI_TEST_MATH_STRIDE");
  const std::uint64_t stride = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 4093;
  const native::Processor processor = processor_named(GetParam());
  std::vector<float> x(std::begin(kCorners), std::end(kCorners));
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
  for (const float a : kCorners) {
    for (const float b : kCorners) add(a, b);
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
  std::vector<float> z(x.size());
  for (const BinaryFunction& function : kBinaryFunctions) {
    const Kernel kernel = map_kernel(function.op, static_cast<std::int64_t>(x.size()));
    const Kernel* const kernels[] = {&kernel};
    const auto code = native::compile(kernels, processor_named(GetParam())).front();
    void* const buffers[] = {x.data(), y.data(), z.data()};
    code->run(buffers, 0, kernel.tiles());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double off =
          ulp_off(z[i], function.reference(static_cast<double>(x[i]), static_cast<double>(y[i])));
      if (off > worst) {
        worst = off;
        at = i;
      }
    }
    RecordProperty(std::string(ir::name_of(function.op)), std::to_string(worst));
    EXPECT_LE(worst, function.op == ScalarOp::mod ? 0 : 1)
        << ir::name_of(function.op) << " of " << x[at] << " and " << y[at];
  }
}

// Of f64: numbers of all sizes, near 0 and where functions change their ways.
TEST_P(InlineMath, OfDoublesIsWithinTwoUlpAndAHalf) {
  std::vector<double> x = {709.78, 709.79,       -708.39,      -708.4, -745.1, -745.2,
                           -40.0,  20.0,         1e-17,        -1e-17, 5e-324, -5e-324,
                           1e-308, 1073741824.0, 1073741825.0, 1.7e308};
  for (const float corner : kCorners) x.push_back(static_cast<double>(corner));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-1, 1);
  const char* asked = std::getenv("TUTTI_TEST_MATH_COUNT");
  const std::uint64_t count = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 50'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    x.push_back(std::bit_cast<double>(static_cast<std::uint64_t>(random())));
    x.push_back(-708.4 + near(random) / 50);
    for (const double size : {1.0, 3.0, 50.0, 800.0, 1e6}) x.push_back(size * near(random));
    x.push_back(1 + near(random) / 100);
    // Near multiples of a quarter turn.
    x.push_back(std::nearbyint(near(random) * 1e5) * std::numbers::pi / 2);
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
    RecordProperty(std::string(ir::name_of(function.op)) + "_f64", std::to_string(worst));
    EXPECT_LE(worst, function.op == ScalarOp::tanh ? 2.5 : 2)
        << ir::name_of(function.op) << " of " << at;
  }
}

// Of all x, as vectors and each alone in a lane of its own; of two operands the second is x from
// behind.
template <class T>
void expect_same_bits(const std::vector<T>& numbers, const std::vector<ScalarOp>& ops,
                      const native::Processor& processor) {
  std::vector<T> x = numbers;
  const auto count = static_cast<std::int64_t>(x.size());
  for (const ScalarOp op : ops) {
    const auto make = [&](bool alone) {
      kernel_testing::KernelMaker maker(
          std::string(ir::name_of(op)), {count},
          alone ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{},
          alone ? VectorAxis::inner : VectorAxis::outer, alone ? 1 : 1024);
      const int from = maker.read(dtype_of<T>);
      const int to = maker.write(dtype_of<T>);
      maker.point();
      const ValueId own = maker.load(from, {.outer = {1}, .inner = {}});
      const ValueId other = maker.load(from, {.offset = count - 1, .outer = {-1}, .inner = {}});
      const ValueId result =
          ir::operand_count(op) == 2 ? maker.op(op, own, other) : maker.op(op, own);
      maker.store(to, {.outer = {1}, .inner = {}}, result);
      return maker.kernel();
    };
    const Kernel vectors = make(false);
    const Kernel scalars = make(true);
    const Kernel* const kernels[] = {&vectors, &scalars};
    const auto codes = native::compile(kernels, processor);
    std::vector<T> y(x.size());
    std::vector<T> z(x.size());
    void* const of_vectors[] = {x.data(), y.data()};
    void* const of_scalars[] = {x.data(), z.data()};
    codes[0]->run(of_vectors, 0, vectors.tiles());
    codes[1]->run(of_scalars, 0, scalars.tiles());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(y[i]) && std::isnan(z[i])) continue;
      ASSERT_TRUE(y[i] == z[i] && std::signbit(y[i]) == std::signbit(z[i]))
          << ir::name_of(op) << " of " << x[i] << ": " << y[i] << " and " << z[i];
    }
  }
}

// A value that is the same for a row is computed alone, in a lane of its own.
TEST_P(InlineMath, GivesAScalarTheBitsOfAVectorsElement) {
  std::vector<float> x(std::begin(kCorners), std::end(kCorners));
  for (int i = -3000; i < 3000; ++i) x.push_back(static_cast<float>(i) * 0.0371F);
  for (int i = -150; i < 150; ++i) x.push_back(std::ldexp(-1.37F, i));
  std::vector<ScalarOp> ops = {ScalarOp::maximum, ScalarOp::minimum};
  for (const Function& function : kFunctions) ops.push_back(function.op);
  for (const BinaryFunction& function : kBinaryFunctions) ops.push_back(function.op);
  expect_same_bits(x, ops, processor_named(GetParam()));

  std::vector<double> wide(x.begin(), x.end());
  for (int i = -1080; i < 1020; ++i) wide.push_back(std::ldexp(-1.37, i));
  std::vector<ScalarOp> wide_ops;
  for (const WideFunction& function : kWideFunctions) wide_ops.push_back(function.op);
  expect_same_bits(wide, wide_ops, processor_named(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Processors, InlineMath, testing::Values("host", "haswell", "nehalem"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace tutti::codegen::llvm_math_test

#endif
