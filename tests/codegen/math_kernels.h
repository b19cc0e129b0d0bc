#pragma once

#include <tutti/codegen/llvm/compile_kernels.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/codegen/kernel_maker.h"
#include <gtest/gtest.h>

#if TUTTI_HAS_LLVM

// What the tests of inline transcendental functions share.
namespace tutti::codegen::math_testing {

// Arguments at which functions change their ways, beside those spread over all bit patterns.
inline constexpr float kMathCorners[] = {0.0F,
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
                                         127.99999F,
                                         128.6F,
                                         129.6F,
                                         -87.33654F,
                                         -87.33655F,
                                         -87.34F,
                                         -126.0F,
                                         -126.00001F,
                                         std::bit_cast<float>(0x7FC00001U),
                                         std::bit_cast<float>(0xFFC12345U),
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
  int exponent = Limits::min_exponent;
  if (rounded != 0) std::frexp(rounded, &exponent);
  return static_cast<double>(
      std::abs(static_cast<Wide>(got) - exact) /
      std::ldexp(Wide{1}, std::max(exponent, Limits::min_exponent) - Limits::digits));
}

// y[i] = f(x[i]) for `count` elements, not a multiple of kLanes so that masks are at work too; of
// two operands the second is another buffer.
inline Kernel map_kernel(ir::ScalarOp op, std::int64_t count, DType dtype = DType::f32) {
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

inline native::Processor processor_named(const std::string& name) {
  return {.cpu = name == "host" ? "" : name, .features = ""};
}

// A function of two operands, and the exact one in a wider type.
template <class Wide>
struct BinaryFunction {
  ir::ScalarOp op;
  Wide (*reference)(Wide, Wide);
};

// Of x[i] and y[i], at most so many units in the last place off.
template <class T, class Wide>
void expect_within(const BinaryFunction<Wide>& function, std::vector<T>& x, std::vector<T>& y,
                   double most, const native::Processor& processor) {
  std::vector<T> z(x.size());
  const Kernel kernel = map_kernel(function.op, static_cast<std::int64_t>(x.size()), dtype_of<T>);
  const Kernel* const kernels[] = {&kernel};
  const auto code = native::compile(kernels, processor).front();
  void* const buffers[] = {x.data(), y.data(), z.data()};
  code->run(buffers, 0, kernel.tiles());
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off =
        ulp_off(z[i], function.reference(static_cast<Wide>(x[i]), static_cast<Wide>(y[i])));
    if (off > worst) {
      worst = off;
      at = i;
    }
  }
  testing::Test::RecordProperty(std::string(ir::name_of(function.op)), std::to_string(worst));
  EXPECT_LE(worst, most) << ir::name_of(function.op) << " of " << x[at] << " and " << y[at];
}

// Of all x, as vectors and each alone in a lane of its own; of two operands the second is x from
// behind.
template <class T>
void expect_same_bits(const std::vector<T>& numbers, const std::vector<ir::ScalarOp>& ops,
                      const native::Processor& processor) {
  std::vector<T> x = numbers;
  const auto count = static_cast<std::int64_t>(x.size());
  for (const ir::ScalarOp op : ops) {
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

}  // namespace tutti::codegen::math_testing

#endif
