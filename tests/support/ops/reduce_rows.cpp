#include <limits>

#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using List = std::vector<std::int64_t>;
using Tensors = std::span<const Tensor>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::vector<OpCase> kReductions = {
    {{{7, 5}}, {List{1}}},
    {{{7, 5}}, {List{0}, true}},
    {{{3, 17, 2}}, {List{1}}},
    {{{3, 17, 2}}, {List{0, 2}, true}},
    {{{3, 17, 2}}, {List{1, 2}}},
    {{{3, 17, 2}}, {List{0, 1, 2}}},
    {{{}}, {List{}}},
    {{{4}}, {List{}, true}},
    {{{1, 1}}, {List{0}}},
    {{{5, 1}}, {List{1}, true}},
    {{{0, 3}}, {List{1}}},
    {{{2, 33}}, {List{1}}},
};
// Those that are divided into parts.
const std::vector<OpCase> kDivided = {
    {{{2048, 33}}, {List{0}}}, {{{64, 1000}}, {List{0, 1}}}, {{{3, 40000}}, {List{1}}}};
const std::vector<OpCase> kOfNothing = {
    {{{0, 3}}, {List{0}}}, {{{2, 0}}, {List{1}, true}}, {{{0}}, {List{0}}}};

std::vector<OpCase> joined(std::vector<OpCase> cases, const std::vector<OpCase>& more) {
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

std::vector<OpCase> all_cases() { return joined(joined(kReductions, kOfNothing), kDivided); }

using Reduce = Tensor (*)(const Operand&, Axes, bool);

OpRow reduction(Op op, Reduce call, std::vector<DType> dtypes, OperandSpec operand,
                std::vector<OpCase> cases, HasGradient gradient) {
  return {.op = op,
          .dtypes = std::move(dtypes),
          .operands = {operand},
          .cases = std::move(cases),
          .call =
              [=](Tensors x, const Attributes& a) {
                return call(x[0], a.integers("axes"), a.flag("keepdims"));
              },
          .gradient = gradient};
}

OpRow reduction(Op op, Reduce call, std::vector<DType> dtypes, OperandSpec operand,
                std::vector<OpCase> cases, HasGradient gradient, double start,
                double (*combine)(double, double)) {
  OpRow row = reduction(op, call, std::move(dtypes), operand, std::move(cases), gradient);
  row.oracle = [=](const Plains& x, const Attributes& a) {
    return reduce_oracle(x, a, start, combine);
  };
  return row;
}

OpRow arg_row(Op op, Tensor (*call)(const Operand&, Axis, bool), double sign) {
  return {.op = op,
          .dtypes = kNumbers,
          .operands = {kDigits},
          .cases = {{{{7, 5}}, {std::int64_t{1}}},
                    {{{3, 17, 2}}, {std::int64_t{1}, true}},
                    {{{7, 5}}, {std::int64_t{0}}},
                    {{{1}}, {std::int64_t{0}}},
                    {{{0, 3}}, {std::int64_t{1}}},
                    {{{2, 300}}, {std::int64_t{1}}}},
          .call =
              [=](Tensors x, const Attributes& a) {
                return call(x[0], a.integer("axis"), a.flag("keepdims"));
              },
          .oracle = [=](const Plains& x, const Attributes& a) { return arg_oracle(x, a, sign); },
          .result = ResultDType::i64};
}

}  // namespace

std::vector<OpRow> reduce_rows() {
  std::vector<OpRow> rows = {
      reduction(Op::sum, sum, kNumbers, kSmall, all_cases(), kYes, 0,
                [](double a, double b) { return a + b; }),
      reduction(Op::prod, prod, kNumbers, {.low = 0.5, .high = 1.5},
                joined(kReductions, kOfNothing), kYes, 1, [](double a, double b) { return a * b; }),
      reduction(Op::max, max, kNumbers, {.low = -30, .high = 30}, joined(kReductions, kDivided),
                kYes, -kInfinity, [](double a, double b) { return std::max(a, b); }),
      reduction(Op::min, min, kNumbers, {.low = -30, .high = 30}, joined(kReductions, kDivided),
                kYes, kInfinity, [](double a, double b) { return std::min(a, b); }),
      reduction(Op::any, any, kBool, {}, all_cases(), HasGradient::none, 0,
                [](double a, double b) { return std::max(a, b); }),
      reduction(Op::all, all, kBool, {}, all_cases(), HasGradient::none, 1,
                [](double a, double b) { return a * b; }),
      arg_row(Op::argmax, argmax, 1),
      arg_row(Op::argmin, argmin, -1),
      reduction(Op::mean, mean, kFloats, kSmall, all_cases(), kYes),
      reduction(Op::logsumexp, logsumexp, kFloats, kSmall,
                joined(kReductions, {{{{0, 3}}, {List{0}}}}), kYes),
      // Of many factors, which stay in range.
      reduction(Op::prod, prod, {DType::f32, DType::f64}, {.low = 0.99, .high = 1.01}, kDivided,
                kYes, 1, [](double a, double b) { return a * b; }),
  };
  rows[0].slack = 5;  // the long ones cancel
  rows[8].oracle = mean_oracle;
  rows[9].oracle = logsumexp_oracle;
  rows[10].slack = 10;  // a rounding for each factor
  return rows;
}

}  // namespace tutti::test
