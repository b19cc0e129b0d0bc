#include <algorithm>
#include <cmath>

#include "tests/support/ops/corners.h"

// NaN, infinities, signed zeros, ties and the ends of the range, for every floating-point dtype.
namespace tutti::test::float_corners_test {
namespace {

using ir::Op;

class FloatCorners : public testing::TestWithParam<DType> {
 protected:
  static DType dtype() { return GetParam(); }
  // Whether it can be an operand; of results that are none, NaN is wanted.
  static bool exists(double number) { return !std::isinf(number) || has_infinity(dtype()); }
  // Near the end of the range, or past all that functions tell apart.
  static double huge() {
    switch (dtype()) {
      case DType::f8_e4m3fn:
        return 448;
      case DType::f8_e5m2:
        return 40960;
      case DType::f16:
        return 60000;
      default:
        return 1e30;
    }
  }
  // The op on every number, one after another, and what it must give.
  static void expect_unary(Op op, const std::vector<std::pair<double, double>>& cases) {
    std::vector<double> x;
    std::vector<double> expected;
    for (const auto& [from, to] : cases) {
      if (!exists(from)) continue;
      x.push_back(from);
      expected.push_back(to);
    }
    expect_op(op, {numbers(x, dtype())}, numbers(expected, dtype()));
  }
  struct Pair {
    double x, y, expected;
  };
  static void expect_binary(Op op, const std::vector<Pair>& cases) {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> expected;
    for (const Pair& pair : cases) {
      if (!exists(pair.x) || !exists(pair.y)) continue;
      x.push_back(pair.x);
      y.push_back(pair.y);
      expected.push_back(pair.expected);
    }
    expect_op(op, {numbers(x, dtype()), numbers(y, dtype())}, numbers(expected, dtype()));
  }
  static void expect_truths(Op op, const std::vector<double>& x, const std::vector<double>& y,
                            const std::vector<double>& expected) {
    Array out(DType::boolean, {static_cast<std::int64_t>(expected.size())});
    for (std::size_t i = 0; i < expected.size(); ++i) out.data<bool>()[i] = expected[i] != 0;
    std::vector<Array> operands = {numbers(x, dtype())};
    if (!y.empty()) operands.push_back(numbers(y, dtype()));
    expect_op(op, operands, out);
  }
};

constexpr double kInf = kInfinity;

TEST_P(FloatCorners, SignsSurvive) {
  expect_unary(Op::neg, {{0.0, -0.0}, {-0.0, 0.0}, {kInf, -kInf}, {kNan, kNan}});
  expect_unary(Op::abs, {{-0.0, 0.0}, {-kInf, kInf}, {kNan, kNan}});
  expect_unary(Op::sign, {{0.0, 0.0}, {-0.0, -0.0}, {-kInf, -1}, {kInf, 1}, {kNan, kNan}});
  expect_unary(Op::sqrt, {{-0.0, -0.0}, {0, 0}, {-1, kNan}, {kInf, kInf}, {-kInf, kNan}});
  expect_unary(Op::cbrt, {{-0.0, -0.0}, {-8, -2}, {kInf, kInf}, {-kInf, -kInf}, {kNan, kNan}});
  expect_unary(Op::rsqrt, {{0.0, kInf}, {kInf, 0}, {-1, kNan}, {kNan, kNan}});
  expect_unary(Op::relu, {{-0.0, 0.0}, {-kInf, 0}, {kInf, kInf}, {kNan, kNan}});
}

TEST_P(FloatCorners, RoundingKeepsSignsAndTiesGoToEven) {
  expect_unary(Op::round, {{0.5, 0},
                           {1.5, 2},
                           {2.5, 2},
                           {-0.5, -0.0},
                           {-1.5, -2},
                           {-0.2, -0.0},
                           {kInf, kInf},
                           {kNan, kNan},
                           {-0.0, -0.0}});
  expect_unary(Op::floor, {{-0.5, -1}, {0.5, 0}, {-0.0, -0.0}, {-kInf, -kInf}, {kNan, kNan}});
  expect_unary(Op::ceil, {{-0.5, -0.0}, {0.5, 1}, {-0.0, -0.0}, {kInf, kInf}, {kNan, kNan}});
}

TEST_P(FloatCorners, ExponentialsAndLogarithmsHaveTheirLimits) {
  expect_unary(
      Op::exp,
      {{-kInf, 0}, {kInf, kInf}, {0, 1}, {-0.0, 1}, {huge(), kInf}, {-huge(), 0}, {kNan, kNan}});
  expect_unary(
      Op::exp2,
      {{-kInf, 0}, {kInf, kInf}, {0, 1}, {3, 8}, {huge(), kInf}, {-huge(), 0}, {kNan, kNan}});
  expect_unary(Op::expm1,
               {{-kInf, -1}, {kInf, kInf}, {0, 0}, {-0.0, -0.0}, {-huge(), -1}, {kNan, kNan}});
  expect_unary(Op::log,
               {{0, -kInf}, {-0.0, -kInf}, {1, 0}, {-1, kNan}, {kInf, kInf}, {kNan, kNan}});
  expect_unary(Op::log2, {{0, -kInf}, {8, 3}, {1, 0}, {-1, kNan}, {kInf, kInf}, {kNan, kNan}});
  expect_unary(Op::log1p,
               {{-1, -kInf}, {0, 0}, {-0.0, -0.0}, {-2, kNan}, {kInf, kInf}, {kNan, kNan}});
  expect_unary(Op::sin, {{0, 0}, {-0.0, -0.0}, {kInf, kNan}, {kNan, kNan}});
  expect_unary(Op::cos, {{0, 1}, {-0.0, 1}, {-kInf, kNan}, {kNan, kNan}});
  expect_unary(Op::tan, {{0, 0}, {-0.0, -0.0}, {kInf, kNan}, {kNan, kNan}});
  expect_unary(Op::tanh,
               {{kInf, 1}, {-kInf, -1}, {-0.0, -0.0}, {huge(), 1}, {-huge(), -1}, {kNan, kNan}});
  expect_unary(Op::erf,
               {{kInf, 1}, {-kInf, -1}, {-0.0, -0.0}, {huge(), 1}, {-huge(), -1}, {kNan, kNan}});
  expect_unary(Op::sigmoid,
               {{kInf, 1}, {-kInf, 0}, {0, 0.5}, {huge(), 1}, {-huge(), 0}, {kNan, kNan}});
  expect_unary(Op::softplus,
               {{kInf, kInf}, {-kInf, 0}, {huge(), huge()}, {-huge(), 0}, {kNan, kNan}});
  expect_unary(Op::silu, {{kInf, kInf}, {0, 0}, {-0.0, -0.0}, {huge(), huge()}, {kNan, kNan}});
}

TEST_P(FloatCorners, ArithmeticOfInfinitiesAndZeros) {
  expect_binary(Op::add,
                {{kInf, -kInf, kNan}, {-0.0, -0.0, -0.0}, {0.0, -0.0, 0.0}, {1, kNan, kNan}});
  expect_binary(Op::sub, {{kInf, kInf, kNan}, {0.0, 0.0, 0.0}, {-0.0, 0.0, -0.0}});
  expect_binary(Op::mul, {{0, kInf, kNan}, {-1, 0, -0.0}, {-kInf, 2, -kInf}});
  expect_binary(Op::div,
                {{1, 0, kInf}, {1, -0.0, -kInf}, {0, 0, kNan}, {1, kInf, 0}, {kInf, kInf, kNan}});
  expect_binary(Op::mod, {{5, 3, 2},
                          {-5, 3, -2},
                          {5, -3, 2},
                          {-0.0, 3, -0.0},
                          {5, 0, kNan},
                          {5, kInf, 5},
                          {kInf, 3, kNan},
                          {kNan, 1, kNan},
                          {-6, 3, -0.0}});
  expect_binary(Op::pow, {{0, 0, 1},
                          {kNan, 0, 1},
                          {1, kNan, 1},
                          {-8, 3, -512},
                          {-8, 0.5, kNan},
                          {0, -1, kInf},
                          {-0.0, -1, -kInf},
                          {2, kInf, kInf},
                          {0.5, kInf, 0},
                          {kInf, -1, 0},
                          {2, 10, 1024}});
  expect_binary(Op::atan2, {{0, 1, 0}, {-0.0, 1, -0.0}, {kNan, 1, kNan}, {1, kInf, 0}});
}

TEST_P(FloatCorners, ExtremesPropagateNanAndOrderZeros) {
  expect_binary(Op::maximum, {{kNan, 1, kNan},
                              {1, kNan, kNan},
                              {-0.0, 0.0, 0.0},
                              {0.0, -0.0, 0.0},
                              {-kInf, kInf, kInf},
                              {-0.0, -0.0, -0.0}});
  expect_binary(Op::minimum, {{kNan, 1, kNan},
                              {1, kNan, kNan},
                              {-0.0, 0.0, -0.0},
                              {0.0, -0.0, -0.0},
                              {-kInf, kInf, -kInf},
                              {0.0, 0.0, 0.0}});
  expect_op(Op::clamp,
            {numbers({kNan, 5, -5, 1, 1}, dtype()), numbers({0, 0, 0, kNan, 3}, dtype()),
             numbers({1, 1, 1, 2, 2}, dtype())},
            numbers({kNan, 1, 0, kNan, 2}, dtype()));
}

TEST_P(FloatCorners, ComparisonsWithNanAreFalse) {
  const double most = exists(kInf) ? kInf : huge();
  const std::vector<double> x = {kNan, kNan, 1, 0.0, most};
  const std::vector<double> y = {kNan, 1, kNan, -0.0, most};
  expect_truths(Op::eq, x, y, {0, 0, 0, 1, 1});
  expect_truths(Op::ne, x, y, {1, 1, 1, 0, 0});
  expect_truths(Op::lt, x, y, {0, 0, 0, 0, 0});
  expect_truths(Op::le, x, y, {0, 0, 0, 1, 1});
  expect_truths(Op::gt, x, y, {0, 0, 0, 0, 0});
  expect_truths(Op::ge, x, y, {0, 0, 0, 1, 1});
  expect_truths(Op::is_nan, {kNan, -kNan, most, 0, 1}, {}, {1, 1, 0, 0, 0});
  expect_truths(Op::is_finite, {kNan, kInf, -kInf, 0, 1}, {}, {0, 0, 0, 1, 1});
}

TEST_P(FloatCorners, SelectDoesNotMixItsOperands) {
  Array condition(DType::boolean, {4});
  condition.data<bool>()[0] = condition.data<bool>()[1] = true;
  expect_op(
      Op::select,
      {condition, numbers({-0.0, 1, kNan, kInf}, dtype()), numbers({kNan, kInf, -0.0, 2}, dtype())},
      numbers({-0.0, 1, -0.0, 2}, dtype()));
}

TEST_P(FloatCorners, Reductions) {
  const auto reduced = [&](Op op, const std::vector<double>& x, double expected) {
    const std::vector<std::int64_t> all = {0};
    Array scalar = numbers({expected}, dtype()).reshaped({});
    expect_op(op, {numbers(x, dtype())}, scalar, {all});
  };
  std::vector<double> long_row(50, 1);
  reduced(Op::sum, {}, 0.0);
  reduced(Op::prod, {}, 1);
  reduced(Op::sum, {kInf, -kInf}, kNan);
  reduced(Op::sum, {1, kNan, 2}, kNan);
  reduced(Op::max, {-kInf, -kInf}, -kInf);
  reduced(Op::min, {kInf}, kInf);
  reduced(Op::max, {-0.0, -0.0}, -0.0);
  for (const std::size_t place : {0, 7, 16, 33, 49}) {
    std::vector<double> row = long_row;
    row[place] = kNan;
    reduced(Op::max, row, kNan);
    reduced(Op::min, row, kNan);
    row[place] = 0.5;
    reduced(Op::min, row, 0.5);
    expect_op(Op::argmin, {numbers(row, dtype())}, Array::scalar(static_cast<std::int64_t>(place)),
              {std::int64_t{0}});
    row[49] = kNan;
    expect_op(Op::argmax, {numbers(row, dtype())}, Array::scalar(std::int64_t{49}),
              {std::int64_t{0}});
    row[place] = kNan;
    expect_op(Op::argmin, {numbers(row, dtype())}, Array::scalar(static_cast<std::int64_t>(place)),
              {std::int64_t{0}});
  }
  expect_op(Op::argmax, {numbers({-kInf, -kInf}, dtype())}, Array::scalar(std::int64_t{0}),
            {std::int64_t{0}});
}

std::string dtype_name(const testing::TestParamInfo<DType>& dtype) {
  return std::string(name_of(dtype.param));
}
INSTANTIATE_TEST_SUITE_P(, FloatCorners,
                         testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16,
                                         DType::f8_e4m3fn, DType::f8_e5m2),
                         dtype_name);

// ---- Rounding to the narrow dtypes, and bits.

TEST(FloatRounding, EveryResultIsRoundedToItsDtype) {
  // 2048 + 1 is a tie in f16: to even; twice more it would be 2050 if the sums were kept wide.
  expect_op(Op::add,
            {numbers({2048, 2050, 65504, 65504}, DType::f16), numbers({1, 1, 15, 16}, DType::f16)},
            numbers({2048, 2052, 65504, kInf}, DType::f16));
  expect_op(Op::add, {numbers({256, 258}, DType::bf16), numbers({1, 1}, DType::bf16)},
            numbers({256, 260}, DType::bf16));
  // 16 + 1 is a tie; what is too large is infinity in the one format, no number in the other.
  expect_op(
      Op::add,
      {numbers({16, 18, 448, 448}, DType::f8_e4m3fn), numbers({1, 1, 16, 18}, DType::f8_e4m3fn)},
      numbers({16, 20, 448, kNan}, DType::f8_e4m3fn));
  expect_op(Op::add,
            {numbers({8, 10, 57344}, DType::f8_e5m2), numbers({1, 1, 4096}, DType::f8_e5m2)},
            numbers({8, 12, kInf}, DType::f8_e5m2));
  expect_op(
      Op::mul,
      {numbers({0x1p-14, 0x1p-24, 0x1p-24}, DType::f16), numbers({0.5, 0.5, 0.75}, DType::f16)},
      numbers({0x1p-15, 0, 0x1p-24}, DType::f16));
}

TEST(FloatRounding, FusedNodesRoundOneByOne) {
  ir::Graph graph;
  ir::Builder builder(graph);
  const ir::Value x = graph.add_parameter("x", {.dtype = DType::f16, .shape = {3}});
  const ir::Value one = builder.scalar(DType::f16, 1);
  const ir::Value sum = builder.add(Op::add, {builder.add(Op::add, {x, one}), one});
  graph.set_results({builder.add(Op::sub, {sum, x})});
  const std::vector<Array> inputs = {numbers({2048, 2, 1024}, DType::f16)};
  for (const codegen::KernelMode mode : kernel_modes()) {
    EXPECT_TRUE(same_bits(run_compiled(graph, inputs, mode)[0], numbers({0, 2, 2}, DType::f16)));
  }
}

TEST(FloatRounding, FmaRoundsOnce) {
  const double tiny = 0x1p-52;
  const Array x = array_of<double>({1 + tiny});
  expect_op(Op::fma, {x, x, array_of<double>({-1 - 2 * tiny})}, array_of<double>({tiny * tiny}));
  const Array y = array_of<float>({1 + 0x1p-23F});
  expect_op(Op::fma, {y, y, array_of<float>({-1 - 0x1p-22F})}, array_of<float>({0x1p-46F}));
}

// All of them; of NaNs it is only promised that they stay NaN.
TEST(FloatRounding, NarrowDtypesGoThereAndBack) {
  std::vector<std::uint8_t> bytes;
  for (int bits = 0; bits < 256; ++bits) bytes.push_back(static_cast<std::uint8_t>(bits));
  for (const DType dtype : {DType::f8_e4m3fn, DType::f8_e5m2}) {
    const Array values = result_of(Op::bitcast, {array_of(bytes)}, {dtype});
    for (const DType wide : {DType::bf16, DType::f16, DType::f32, DType::f64}) {
      expect_op(Op::cast, {result_of(Op::cast, {values}, {wide})}, values, {dtype});
    }
  }
  const std::pair<DType, std::uint16_t> infinities[] = {{DType::f16, 0x7C00},
                                                        {DType::bf16, 0x7F80}};
  for (const auto& [dtype, infinity] : infinities) {
    std::vector<std::uint16_t> all;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      if ((bits & 0x7FFF) <= infinity) all.push_back(static_cast<std::uint16_t>(bits));
    }
    const Array bits = array_of(all);
    const Array values = result_of(Op::bitcast, {bits}, {dtype});
    EXPECT_TRUE(std::equal(bits.bytes().begin(), bits.bytes().end(), values.bytes().begin()));
    expect_op(Op::bitcast, {values}, bits, {DType::u16});
    for (const DType wide : {DType::f32, DType::f64}) {
      expect_op(Op::cast, {result_of(Op::cast, {values}, {wide})}, values, {dtype});
    }
    expect_op(Op::bitcast, {array_of<std::uint16_t>({0x7FFF, 0xFFFF})},
              numbers({kNan, kNan}, dtype), {dtype});
  }
}

// The signalling ones, too, in machine code.
TEST(FloatRounding, BitcastsKeepNaNsOfBf16) {
  const Array quiet = array_of<std::uint16_t>({0x7FC0, 0x7FC1, 0x7FFF, 0xFFC0, 0xFFD5});
  expect_op(Op::bitcast, {result_of(Op::bitcast, {quiet}, {DType::bf16})}, quiet, {DType::u16});
  const Array all = array_of<std::uint16_t>({0x7F81, 0x7FBF, 0xFF81, 0x7FC1, 0xFFFF});
  Array x(DType::bf16, all.shape());
  std::ranges::copy(all.bytes(), x.bytes().begin());
  ir::Graph graph;
  ir::Builder builder(graph);
  const ir::Value value = graph.add_parameter("x", {.dtype = DType::bf16, .shape = x.shape()});
  graph.set_results({builder.add(Op::bitcast, {value}, {DType::u16})});
  for (const codegen::KernelMode mode : kernel_modes()) {
    if (mode != codegen::KernelMode::llvm) continue;
    EXPECT_TRUE(same_bits(run_compiled(graph, std::vector<Array>{x}, mode)[0], all));
  }
}

TEST(FloatRounding, BitsOfWideDtypes) {
  expect_op(Op::bitcast, {array_of<float>({1, -0.0F, 1e-45F})},
            array_of<std::uint32_t>({0x3F800000U, 0x80000000U, 1}), {DType::u32});
  expect_op(Op::bitcast, {array_of<std::int64_t>({0x3FF0000000000000, INT64_MIN})},
            array_of<double>({1, -0.0}), {DType::f64});
  expect_op(Op::bitcast, {array_of<std::int8_t>({-1})}, array_of<std::uint8_t>({255}), {DType::u8});
}

TEST(FloatRounding, SubnormalsAreNotFlushed) {
  expect_op(Op::mul, {array_of<float>({1e-38F, 1e-45F}), array_of<float>({0.125F, 1})},
            array_of<float>({1e-38F * 0.125F, 1e-45F}));
  expect_op(Op::mul, {array_of<double>({1e-308}), array_of<double>({0.125})},
            array_of<double>({1e-308 * 0.125}));
}

}  // namespace
}  // namespace tutti::test::float_corners_test
