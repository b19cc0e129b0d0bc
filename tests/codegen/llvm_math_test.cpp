// The inline transcendental functions of generated code, over all floats, against the C library's
// functions of double.

#include <tutti/codegen/llvm/compile_kernels.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
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
    {ScalarOp::cos, std::cos},
};

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

// In units in the last place of f32, of the exact result before it is rounded.
double ulp_off(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : 1e9;
  const auto rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e9;
  if (exact == 0) return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : 1e9;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  return std::abs(static_cast<double>(got) - exact) /
         std::ldexp(1.0, std::max(exponent, -125) - 24);
}

// y[i] = f(x[i]) for `count` elements, not a multiple of kLanes so that masks are at work too.
Kernel map_kernel(ScalarOp op, std::int64_t count) {
  kernel_testing::KernelMaker maker(std::string(ir::name_of(op)), {count}, {}, VectorAxis::outer,
                                    1024);
  const int x = maker.read(DType::f32);
  const int y = maker.write(DType::f32);
  maker.point();
  const Affine address{.outer = {1}, .inner = {}};
  maker.store(y, address, maker.op(op, maker.load(x, address)));
  return maker.kernel();
}

class InlineMath : public testing::TestWithParam<std::string> {};

TEST_P(InlineMath, IsWithinTwoUlp) {
  // Every 4093rd bit pattern takes half a second; TUTTI_TEST_MATH_STRIDE=31 a minute.
  const char* asked = std::getenv("TUTTI_TEST_MATH_STRIDE");
  const std::uint64_t stride = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 4093;
  const native::Processor processor{.cpu = GetParam() == "host" ? "" : GetParam(), .features = ""};
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

// A value that is the same for a row is computed alone, in a lane of its own.
TEST_P(InlineMath, GivesAScalarTheBitsOfAVectorsElement) {
  const native::Processor processor{.cpu = GetParam() == "host" ? "" : GetParam(), .features = ""};
  std::vector<float> x(std::begin(kCorners), std::end(kCorners));
  for (int i = -3000; i < 3000; ++i) x.push_back(static_cast<float>(i) * 0.0371F);
  for (int i = -150; i < 150; ++i) x.push_back(std::ldexp(-1.37F, i));
  const auto count = static_cast<std::int64_t>(x.size());
  std::vector<ScalarOp> ops = {ScalarOp::maximum, ScalarOp::minimum};
  for (const Function& function : kFunctions) ops.push_back(function.op);
  for (const ScalarOp op : ops) {
    const auto make = [&](bool alone) {
      kernel_testing::KernelMaker maker(
          std::string(ir::name_of(op)), {count},
          alone ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{},
          alone ? VectorAxis::inner : VectorAxis::outer, alone ? 1 : 1024);
      const int from = maker.read(DType::f32);
      const int to = maker.write(DType::f32);
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
    std::vector<float> y(x.size());
    std::vector<float> z(x.size());
    void* const of_vectors[] = {x.data(), y.data()};
    void* const of_scalars[] = {x.data(), z.data()};
    codes[0]->run(of_vectors, 0, vectors.tiles());
    codes[1]->run(of_scalars, 0, scalars.tiles());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(y[i]) && std::isnan(z[i])) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(y[i]), std::bit_cast<std::uint32_t>(z[i]))
          << ir::name_of(op) << " of " << x[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, InlineMath, testing::Values("host", "haswell", "nehalem"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace tutti::codegen::llvm_math_test

#endif
