#include <cmath>

#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using Make = OperandSpec::Make;
constexpr auto kZero = HasGradient::zero;
constexpr auto kNone = HasGradient::none;
constexpr auto kTruth = ResultDType::truth;

const std::vector<OpCase> kUnaryCases = {{{{7, 5}}}, {{{3, 17, 2}}}, {{{}}},        {{{1}}},
                                         {{{0}}},    {{{2, 0, 3}}},  {{{1, 1, 1}}}, {{{33}}}};
const std::vector<OpCase> kBinaryCases = {
    {{{7, 5}, {7, 5}}}, {{{3, 17, 2}, {17, 1}}},  {{{}, {7, 5}}}, {{{7, 1}, {1, 5}}},
    {{{0}, {1}}},       {{{2, 0, 3}, {1, 3}}},    {{{1}, {}}},    {{{5}, {3, 1, 5}}},
    {{{}, {}}},         {{{3, 17, 2}, {1, 1, 2}}}};
const std::vector<OpCase> kTernaryCases = {{{{7, 5}, {7, 5}, {7, 5}}}, {{{3, 17, 2}, {17, 1}, {}}},
                                           {{{}, {2, 1}, {5}}},        {{{0}, {1}, {}}},
                                           {{{4, 1}, {1, 3}, {4, 3}}}, {{{}, {}, {}}}};

OpRow unary(Op op, Tensor (*call)(const Operand&), std::vector<DType> dtypes, OperandSpec operand,
            double (*meaning)(double), HasGradient gradient,
            ResultDType result = ResultDType::main) {
  return {.op = op,
          .dtypes = std::move(dtypes),
          .operands = {operand},
          .cases = kUnaryCases,
          .call = [=](std::span<const Tensor> x, const Attributes&) { return call(x[0]); },
          .oracle =
              [=](const Plains& x, const Attributes&) {
                return elementwise_oracle(x, [=](const double* v) { return meaning(v[0]); });
              },
          .gradient = gradient,
          .result = result};
}

OpRow binary(Op op, Tensor (*call)(const Operand&, const Operand&), std::vector<DType> dtypes,
             OperandSpec x, OperandSpec y, double (*meaning)(double, double), HasGradient gradient,
             ResultDType result = ResultDType::main) {
  return {.op = op,
          .dtypes = std::move(dtypes),
          .operands = {x, y},
          .cases = kBinaryCases,
          .call = [=](std::span<const Tensor> t, const Attributes&) { return call(t[0], t[1]); },
          .oracle =
              [=](const Plains& operands, const Attributes&) {
                return elementwise_oracle(operands,
                                          [=](const double* v) { return meaning(v[0], v[1]); });
              },
          .gradient = gradient,
          .result = result};
}

OpRow ternary(Op op, Tensor (*call)(const Operand&, const Operand&, const Operand&),
              std::vector<DType> dtypes, std::vector<OperandSpec> operands,
              double (*meaning)(double, double, double)) {
  return {
      .op = op,
      .dtypes = std::move(dtypes),
      .operands = std::move(operands),
      .cases = kTernaryCases,
      .call = [=](std::span<const Tensor> t, const Attributes&) { return call(t[0], t[1], t[2]); },
      .oracle =
          [=](const Plains& x, const Attributes&) {
            return elementwise_oracle(x,
                                      [=](const double* v) { return meaning(v[0], v[1], v[2]); });
          },
      .gradient = kYes};
}

OpRow cast_row() {
  OpRow row{.op = Op::cast,
            .dtypes = kAnything,
            .operands = {{.low = 0, .high = 9}},
            .cases = {},
            .call = {}};
  for (const Shape& shape : {Shape{7, 5}, Shape{}, Shape{0, 2}})
    row.cases.push_back({{shape}, {DType::f64}});
  for (int to = 0; to < kDTypeCount; ++to) row.cases.push_back({{{3, 17, 2}}, {DType(to)}});
  row.call = [](std::span<const Tensor> x, const Attributes& a) {
    return cast(x[0], a.dtype("dtype"));
  };
  row.oracle = [](const Plains& x, const Attributes& a) {
    return elementwise_oracle(x, [&](const double* v) {
      const DType to = a.dtype("dtype");
      if (to == DType::boolean) return v[0] == 0 ? 0.0 : 1.0;
      return is_floating(to) ? v[0] : std::trunc(v[0]);
    });
  };
  row.gradient = kYes;
  row.result = ResultDType::attribute;
  return row;
}

// What is out of range and what bits mean is tested in corners_test.cpp.
OpRow bitcast_row() {
  OpRow row = unary(
      Op::bitcast, nullptr, {DType::i32}, {.low = 0, .high = 100}, [](double x) { return x; },
      kNone, ResultDType::attribute);
  for (OpCase& use : row.cases) use.attributes = {DType::u32};
  row.call = [](std::span<const Tensor> x, const Attributes& a) {
    return bitcast(x[0], a.dtype("dtype"));
  };
  return row;
}

std::int64_t whole(double x) { return static_cast<std::int64_t>(x); }
double as_double(std::int64_t x) { return static_cast<double>(x); }

}  // namespace

std::vector<OpRow> elementwise_rows() {
  constexpr OperandSpec kWide = {.low = -3, .high = 3};
  constexpr OperandSpec kPositive = {.low = 0.2, .high = 4};
  constexpr OperandSpec kCounts = {.low = -9, .high = 9};
  constexpr OperandSpec kBits = {.low = 0, .high = 100};
  constexpr OperandSpec kShifts = {.low = 0, .high = 7};
  constexpr OperandSpec kDivisors = {.low = 1, .high = 5};
  constexpr OperandSpec kTruths = {.make = Make::truth};
  return {
      unary(
          Op::neg, neg, kNumbers, kCounts, [](double x) { return -x; }, kYes),
      unary(
          Op::abs, abs, kNumbers, kCounts, [](double x) { return std::abs(x); }, kYes),
      unary(
          Op::sign, sign, kNumbers, kCounts, [](double x) { return double((x > 0) - (x < 0)); },
          kZero),
      unary(
          Op::exp, exp, kFloats, kWide, [](double x) { return std::exp(x); }, kYes),
      unary(
          Op::exp2, exp2, kFloats, kWide, [](double x) { return std::exp2(x); }, kYes),
      unary(
          Op::expm1, expm1, kFloats, kWide, [](double x) { return std::expm1(x); }, kYes),
      unary(
          Op::log, log, kFloats, kPositive, [](double x) { return std::log(x); }, kYes),
      unary(
          Op::log2, log2, kFloats, kPositive, [](double x) { return std::log2(x); }, kYes),
      unary(
          Op::log1p, log1p, kFloats, kPositive, [](double x) { return std::log1p(x); }, kYes),
      unary(
          Op::sqrt, sqrt, kFloats, kPositive, [](double x) { return std::sqrt(x); }, kYes),
      unary(
          Op::rsqrt, rsqrt, kFloats, kPositive, [](double x) { return 1 / std::sqrt(x); }, kYes),
      unary(
          Op::cbrt, cbrt, kFloats, kWide, [](double x) { return std::cbrt(x); }, kYes),
      unary(
          Op::sin, sin, kFloats, kWide, [](double x) { return std::sin(x); }, kYes),
      unary(
          Op::cos, cos, kFloats, kWide, [](double x) { return std::cos(x); }, kYes),
      unary(
          Op::tan, tan, kFloats, {.low = -1.2, .high = 1.2}, [](double x) { return std::tan(x); },
          kYes),
      unary(
          Op::tanh, tanh, kFloats, kWide, [](double x) { return std::tanh(x); }, kYes),
      unary(
          Op::sigmoid, sigmoid, kFloats, kWide, [](double x) { return 1 / (1 + std::exp(-x)); },
          kYes),
      unary(
          Op::erf, erf, kFloats, kWide, [](double x) { return std::erf(x); }, kYes),
      unary(
          Op::floor, floor, kFloats, kWide, [](double x) { return std::floor(x); }, kZero),
      unary(
          Op::ceil, ceil, kFloats, kWide, [](double x) { return std::ceil(x); }, kZero),
      unary(
          Op::round, round, kFloats, kWide, [](double x) { return std::nearbyint(x); }, kZero),
      unary(
          Op::logical_not, logical_not, kBool, {}, [](double x) { return 1 - x; }, kNone),
      unary(
          Op::bitwise_not, bitwise_not, kIntegers, kBits, [](double x) { return -x - 1; }, kNone),
      unary(
          Op::is_nan, is_nan, kFloats, {}, [](double) { return 0.0; }, kNone, kTruth),
      unary(
          Op::is_finite, is_finite, kFloats, {}, [](double) { return 1.0; }, kNone, kTruth),
      unary(
          Op::relu, relu, kNumbers, kCounts, [](double x) { return std::max(x, 0.0); }, kYes),
      unary(
          Op::silu, silu, kFloats, kWide, [](double x) { return x / (1 + std::exp(-x)); }, kYes),
      unary(
          Op::softplus, softplus, kFloats, kWide, [](double x) { return std::log1p(std::exp(x)); },
          kYes),
      unary(
          Op::zeros_like, zeros_like, kNumbers, kCounts, [](double) { return 0.0; }, kZero),
      unary(
          Op::ones_like, ones_like, kNumbers, kCounts, [](double) { return 1.0; }, kZero),

      binary(
          Op::add, add, kNumbers, kCounts, kCounts, [](double x, double y) { return x + y; }, kYes),
      binary(
          Op::sub, sub, kNumbers, kCounts, kCounts, [](double x, double y) { return x - y; }, kYes),
      binary(
          Op::mul, mul, kNumbers, kCounts, kCounts, [](double x, double y) { return x * y; }, kYes),
      binary(
          Op::div, div, kFloats, kCounts, kDivisors, [](double x, double y) { return x / y; },
          kYes),
      binary(
          Op::div, div, kIntegers, kCounts, kDivisors,
          [](double x, double y) { return std::trunc(x / y); }, kNone),
      binary(
          Op::mod, mod, kNumbers, kCounts, {.low = 2, .high = 4.5},
          [](double x, double y) { return std::fmod(x, y); }, kYes),
      binary(
          Op::pow, pow, kFloats, {.low = 0.3, .high = 2.5}, {},
          [](double x, double y) { return std::pow(x, y); }, kYes),
      binary(
          Op::maximum, maximum, kNumbers, kCounts, kCounts,
          [](double x, double y) { return std::max(x, y); }, kYes),
      binary(
          Op::minimum, minimum, kNumbers, kCounts, kCounts,
          [](double x, double y) { return std::min(x, y); }, kYes),
      binary(
          Op::atan2, atan2, kFloats, kWide, kWide,
          [](double x, double y) { return std::atan2(x, y); }, kYes),
      binary(
          Op::logical_and, logical_and, kBool, {}, {}, [](double x, double y) { return x * y; },
          kNone),
      binary(
          Op::logical_or, logical_or, kBool, {}, {},
          [](double x, double y) { return std::max(x, y); }, kNone),
      binary(
          Op::logical_xor, logical_xor, kBool, {}, {},
          [](double x, double y) { return double(x != y); }, kNone),
      binary(
          Op::bitwise_and, bitwise_and, kIntegers, kBits, kBits,
          [](double x, double y) { return as_double(whole(x) & whole(y)); }, kNone),
      binary(
          Op::bitwise_or, bitwise_or, kIntegers, kBits, kBits,
          [](double x, double y) { return as_double(whole(x) | whole(y)); }, kNone),
      binary(
          Op::bitwise_xor, bitwise_xor, kIntegers, kBits, kBits,
          [](double x, double y) { return as_double(whole(x) ^ whole(y)); }, kNone),
      binary(
          Op::shift_left, shift_left, kIntegers, kBits, kShifts,
          [](double x, double y) { return as_double(whole(x) << whole(y)); }, kNone),
      binary(
          Op::shift_right, shift_right, kIntegers, {.low = -100, .high = 100}, kShifts,
          [](double x, double y) { return as_double(whole(x) >> whole(y)); }, kNone),
      binary(
          Op::eq, eq, kAnything, kShifts, kShifts,
          [](double x, double y) { return double(x == y); }, kNone, kTruth),
      binary(
          Op::ne, ne, kAnything, kShifts, kShifts,
          [](double x, double y) { return double(x != y); }, kNone, kTruth),
      binary(
          Op::lt, lt, kNumbers, kShifts, kShifts, [](double x, double y) { return double(x < y); },
          kNone, kTruth),
      binary(
          Op::le, le, kNumbers, kShifts, kShifts, [](double x, double y) { return double(x <= y); },
          kNone, kTruth),
      binary(
          Op::gt, gt, kNumbers, kShifts, kShifts, [](double x, double y) { return double(x > y); },
          kNone, kTruth),
      binary(
          Op::ge, ge, kNumbers, kShifts, kShifts, [](double x, double y) { return double(x >= y); },
          kNone, kTruth),

      ternary(Op::select, select, kAnything, {kTruths, kCounts, kCounts},
              [](double x, double y, double z) { return x != 0 ? y : z; }),
      ternary(Op::clamp, clamp, kNumbers, {kCounts, {.low = -4, .high = -1}, {.low = 1, .high = 4}},
              [](double x, double y, double z) { return std::min(std::max(x, y), z); }),
      ternary(Op::fma, fma, kNumbers, {kCounts, kCounts, kCounts},
              [](double x, double y, double z) { return x * y + z; }),

      cast_row(),
      bitcast_row(),
  };
}

}  // namespace tutti::test
