#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using Tensors = std::span<const Tensor>;

// Many that are equal, of integers and of the narrow floats.
constexpr OperandSpec kTies = {.low = -4, .high = 4};

const std::vector<Shape> kShapes = {{7, 5},    {3, 17, 2}, {1},      {0, 3},
                                    {3, 0, 2}, {2, 300},   {33, 70}, {2, 1, 3, 2, 1, 2, 2, 3}};

// Products of many stay in range.
constexpr OperandSpec kFactors = {.low = 0.8, .high = 1.2};

// Along the axis that is most interesting: the last one of two, else the middle one.
std::int64_t axis_of(const Shape& shape) { return shape.rank() == 2 ? 1 : shape.rank() / 2; }

// The kernels that give the values of every dtype give the indices as well.
std::vector<DType> dtypes_of(std::size_t result) {
  return result == 0 ? kNumbers : std::vector{DType::f32, DType::u8, DType::i64, DType::bf16};
}

// One row for the values, and one for the indices.
OpRow sort_row(std::size_t result) {
  std::vector<OpCase> cases;
  for (const Shape& shape : kShapes) {
    cases.push_back({{shape}, {axis_of(shape), cases.size() % 2 == 1}});
  }
  cases.push_back({{{33, 70}}, {std::int64_t{0}, false}});
  cases.push_back({{{2, 2500}}, {std::int64_t{1}, true}});
  cases.push_back({{{1100, 3}}, {std::int64_t{0}, false}});
  return {.op = Op::sort,
          .dtypes = dtypes_of(result),
          .operands = {kTies},
          .cases = std::move(cases),
          .call =
              [=](Tensors x, const Attributes& a) {
                const Sorted sorted = sort(x[0], a.integer("axis"), a.flag("descending"));
                return result == 0 ? sorted.values : sorted.indices;
              },
          .oracle =
              [=](const Plains& x, const Attributes& a) {
                const std::int64_t axis = a.integer("axis");
                return sort_oracle(x[0], axis, a.flag("descending"),
                                   x[0].shape[static_cast<int>(axis)], result == 1);
              },
          .gradient = result == 0 ? HasGradient::yes : HasGradient::none,
          .result = result == 0 ? ResultDType::main : ResultDType::i64,
          .result_number = result};
}

OpRow topk_row(std::size_t result) {
  std::vector<OpCase> cases;
  for (const Shape& shape : kShapes) {
    const std::int64_t axis = axis_of(shape);
    const std::int64_t k = (shape[static_cast<int>(axis)] + 1) / 2;
    cases.push_back({{shape}, {k, axis, cases.size() % 2 == 0}});
  }
  cases.push_back({{{4, 5}}, {std::int64_t{0}, std::int64_t{1}, true}});
  cases.push_back({{{4, 5}}, {std::int64_t{5}, std::int64_t{1}, false}});
  return {.op = Op::topk,
          .dtypes = dtypes_of(result),
          .operands = {kTies},
          .cases = std::move(cases),
          .call =
              [=](Tensors x, const Attributes& a) {
                const Sorted top = topk(x[0], a.integer("k"), a.integer("axis"), a.flag("largest"));
                return result == 0 ? top.values : top.indices;
              },
          .oracle =
              [=](const Plains& x, const Attributes& a) {
                return sort_oracle(x[0], a.integer("axis"), a.flag("largest"), a.integer("k"),
                                   result == 1);
              },
          .gradient = result == 0 ? HasGradient::yes : HasGradient::none,
          .result = result == 0 ? ResultDType::main : ResultDType::i64,
          .result_number = result};
}

OpRow cumulative_row(Op op, Tensor (*call)(const Operand&, Axis, bool),
                     double (*combine)(double, double), const OperandSpec& spec) {
  std::vector<OpCase> cases;
  for (const Shape& shape : kShapes) {
    cases.push_back({{shape}, {axis_of(shape), cases.size() % 2 == 1}});
  }
  cases.push_back({{{33, 70}}, {std::int64_t{0}, true}});
  cases.push_back({{{2, 2500}}, {std::int64_t{1}, false}});
  cases.push_back({{{2, 40, 130}}, {std::int64_t{1}, true}});
  return {
      .op = op,
      .dtypes = kNumbers,
      .operands = {spec},
      .cases = std::move(cases),
      .call = [=](Tensors x,
                  const Attributes& a) { return call(x[0], a.integer("axis"), a.flag("reverse")); },
      .oracle = [=](const Plains& x,
                    const Attributes& a) { return cumulative_oracle(x, a, combine); },
      .gradient = HasGradient::yes,
      .slack = 5};  // long sums cancel
}

}  // namespace

std::vector<OpRow> order_rows() {
  return {
      sort_row(0),
      sort_row(1),
      topk_row(0),
      topk_row(1),
      cumulative_row(
          Op::cumsum, cumsum, [](double a, double b) { return a + b; }, kSmall),
      cumulative_row(
          Op::cumprod, cumprod, [](double a, double b) { return a * b; }, kFactors),
      cumulative_row(
          Op::cummax, cummax, [](double a, double b) { return std::max(a, b); }, kTies),
      cumulative_row(Op::cummin, cummin, [](double a, double b) { return std::min(a, b); }, kTies)};
}

}  // namespace tutti::test
