#include "tests/ops/table.h"

#include <tutti/ir/philox.h>

#include <cmath>
#include <limits>

namespace tutti::test {

namespace {

using ir::Op;
using List = std::vector<std::int64_t>;
using Tensors = std::span<const Tensor>;
using Make = OperandSpec::Make;
constexpr auto kYes = HasGradient::yes;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr OperandSpec kSmall = {.low = -2, .high = 2};
constexpr OperandSpec kDigits = {.low = 0, .high = 5};
constexpr OperandSpec kIndices = {.make = Make::indices, .low = -2, .high = 8};
constexpr OperandSpec kKey = {.make = Make::key};

List sizes(const Shape& shape) { return {shape.begin(), shape.end()}; }

// ---- Shape

std::vector<OpRow> shape_rows() {
  return {
      {.op = Op::reshape,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {List{35}}},
                 {{{3, 17, 2}}, {List{17, 6}}},
                 {{{}}, {List{1, 1}}},
                 {{{1, 1}}, {List{}}},
                 {{{2, 0, 3}}, {List{0}}},
                 {{{4, 6}}, {List{2, 2, 3, 2}}}},
       .call = [](Tensors x, const Attributes& a) { return reshape(x[0], a.integers("shape")); },
       .oracle = [](const Plains& x, const Attributes& a) {
         return reshape_oracle(x[0], Shape(a.integers("shape")));
       },
       .gradient = kYes},
      {.op = Op::transpose,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {List{1, 0}}},
                 {{{3, 17, 2}}, {List{2, 0, 1}}},
                 {{{3, 17, 2}}, {List{1, 2, 0}}},
                 {{{}}, {List{}}},
                 {{{2, 0, 3}}, {List{1, 0, 2}}},
                 {{{40, 70}}, {List{1, 0}}}},
       .call = [](Tensors x, const Attributes& a) { return transpose(x[0], a.integers("permutation")); },
       .oracle = transpose_oracle,
       .gradient = kYes},
      {.op = Op::broadcast_to,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{5}}, {List{7, 5}}},
                 {{{3, 1, 2}}, {List{3, 17, 2}}},
                 {{{}}, {List{2, 3}}},
                 {{{1}}, {List{0}}},
                 {{{2, 1}}, {List{3, 2, 4}}}},
       .call = [](Tensors x, const Attributes& a) { return broadcast_to(x[0], a.integers("shape")); },
       .oracle = broadcast_to_oracle,
       .gradient = kYes},
      {.op = Op::expand_dims,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {List{1}}}, {{{}}, {List{0, 1}}}, {{{3, 17}}, {List{0, 3}}}, {{{0}}, {List{1}}}},
       .call = [](Tensors x, const Attributes& a) { return expand_dims(x[0], a.integers("axes")); },
       .oracle = expand_dims_oracle,
       .gradient = kYes},
      {.op = Op::squeeze,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 1, 5}}, {List{1}}}, {{{1, 1}}, {List{0, 1}}}, {{{1, 3, 1}}, {List{2}}}, {{{1, 0}}, {List{0}}}},
       .call = [](Tensors x, const Attributes& a) { return squeeze(x[0], a.integers("axes")); },
       .oracle = squeeze_oracle,
       .gradient = kYes},
      {.op = Op::slice,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {List{1, 0}, List{6, 5}, List{2, 1}}},
                 {{{3, 17, 2}}, {List{0, 3, 1}, List{3, 17, 2}, List{1, 5, 1}}},
                 {{{}}, {List{}, List{}, List{}}},
                 {{{5}}, {List{2}, List{2}, List{1}}},
                 {{{9}}, {List{0}, List{9}, List{4}}},
                 {{{0, 4}}, {List{0, 1}, List{0, 3}, List{1, 1}}}},
       .call = [](Tensors x, const Attributes& a) {
         std::vector<Range> ranges;
         for (std::size_t d = 0; d < a.integers("start").size(); ++d) {
           ranges.push_back({a.integers("start")[d], a.integers("stop")[d], a.integers("step")[d]});
         }
         return slice(x[0], ranges);
       },
       .oracle = slice_oracle,
       .gradient = kYes},
      {.op = Op::reverse,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {List{0}}}, {{{3, 17, 2}}, {List{1, 2}}}, {{{3}}, {List{}}}, {{{2, 0}}, {List{0, 1}}}},
       .call = [](Tensors x, const Attributes& a) { return reverse(x[0], a.integers("axes")); },
       .oracle = reverse_oracle,
       .gradient = kYes},
      {.op = Op::identity,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}}, {{{3, 17, 2}}}, {{{}}}, {{{0}}}},
       .call = [](Tensors x, const Attributes&) { return detail::fresh_name(x[0], {}); },
       .oracle = [](const Plains& x, const Attributes&) { return x[0]; },
       .gradient = kYes},
      {.op = Op::pad,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}, {}}, {List{1, 0}, List{2, 3}, List{0, 0}}},
                 {{{3, 4, 2}, {}}, {List{0, 2, 1}, List{0, 0, 1}, List{0, 0, 0}}},
                 {{{}, {}}, {List{}, List{}, List{}}},
                 {{{0}, {}}, {List{2}, List{1}, List{0}}},
                 {{{2, 0}, {}}, {List{0, 1}, List{1, 1}, List{0, 0}}}},
       .call = [](Tensors x, const Attributes& a) {
         return pad(x[0], a.integers("low"), a.integers("high"), x[1]);
       },
       .oracle = pad_oracle,
       .gradient = kYes},
      {.op = Op::concat,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}, {7, 2}}, {std::int64_t{1}}},
                 {{{3, 4, 2}, {1, 4, 2}, {5, 4, 2}}, {std::int64_t{0}}},
                 {{{4}}, {std::int64_t{0}}},
                 {{{0}, {3}}, {std::int64_t{0}}},
                 {{{2, 1, 3}, {2, 0, 3}, {2, 4, 3}}, {std::int64_t{1}}}},
       .call = [](Tensors x, const Attributes& a) { return concat(x, a.integer("axis")); },
       .oracle = concat_oracle,
       .gradient = kYes},
  };
}

// ---- Reductions

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
// Reductions of nothing, and those that are divided into parts.
const std::vector<OpCase> kMore = {{{{0, 3}}, {List{0}}},       {{{2, 0}}, {List{1}, true}},
                                   {{{0}}, {List{0}}},          {{{2048, 33}}, {List{0}}},
                                   {{{64, 1000}}, {List{0, 1}}}, {{{3, 40000}}, {List{1}}}};

std::vector<OpCase> with(std::vector<OpCase> cases, const std::vector<OpCase>& more) {
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

using Reduce = Tensor (*)(const Operand&, Axes, bool);

OpRow reduction(Op op, Reduce call, std::vector<DType> dtypes, OperandSpec operand,
                std::vector<OpCase> cases, HasGradient gradient) {
  return {.op = op,
          .dtypes = std::move(dtypes),
          .operands = {operand},
          .cases = std::move(cases),
          .call = [=](Tensors x, const Attributes& a) {
            return call(x[0], a.integers("axes"), a.flag("keepdims"));
          },
          .gradient = gradient};
}

OpRow reduction(Op op, Reduce call, std::vector<DType> dtypes, OperandSpec operand,
                std::vector<OpCase> cases, HasGradient gradient, double start,
                double (*combine)(double, double)) {
  OpRow row = reduction(op, call, std::move(dtypes), operand, std::move(cases), gradient);
  row.oracle = [=](const Plains& x, const Attributes& a) { return reduce_oracle(x, a, start, combine); };
  return row;
}

OpRow arg_row(Op op, Tensor (*call)(const Operand&, std::int64_t, bool), double sign) {
  return {.op = op,
          .dtypes = kNumbers,
          .operands = {kDigits},
          .cases = {{{{7, 5}}, {std::int64_t{1}}},
                    {{{3, 17, 2}}, {std::int64_t{1}, true}},
                    {{{7, 5}}, {std::int64_t{0}}},
                    {{{1}}, {std::int64_t{0}}},
                    {{{0, 3}}, {std::int64_t{1}}},
                    {{{2, 300}}, {std::int64_t{1}}}},
          .call = [=](Tensors x, const Attributes& a) {
            return call(x[0], a.integer("axis"), a.flag("keepdims"));
          },
          .oracle = [=](const Plains& x, const Attributes& a) { return arg_oracle(x, a, sign); },
          .result = ResultDType::i64};
}

std::vector<OpRow> reduce_rows() {
  std::vector<OpRow> rows = {
      reduction(Op::sum, sum, kNumbers, kSmall, with(kReductions, kMore), kYes, 0,
                [](double a, double b) { return a + b; }),
      reduction(Op::prod, prod, kNumbers, {.low = 0.5, .high = 1.5}, kReductions,
                HasGradient::refused, 1, [](double a, double b) { return a * b; }),
      reduction(Op::max, max, kNumbers, {.low = -30, .high = 30}, kReductions, kYes, -kInfinity,
                [](double a, double b) { return std::max(a, b); }),
      reduction(Op::min, min, kNumbers, {.low = -30, .high = 30}, kReductions, kYes, kInfinity,
                [](double a, double b) { return std::min(a, b); }),
      reduction(Op::any, any, kBool, {}, with(kReductions, kMore), HasGradient::none, 0,
                [](double a, double b) { return std::max(a, b); }),
      reduction(Op::all, all, kBool, {}, with(kReductions, kMore), HasGradient::none, 1,
                [](double a, double b) { return a * b; }),
      arg_row(Op::argmax, argmax, 1),
      arg_row(Op::argmin, argmin, -1),
      reduction(Op::mean, mean, kFloats, kSmall, with(kReductions, kMore), kYes),
      reduction(Op::logsumexp, logsumexp, kFloats, kSmall, with(kReductions, {{{{0, 3}}, {List{0}}}}),
                kYes),
  };
  rows[8].oracle = mean_oracle;
  rows[9].oracle = logsumexp_oracle;
  return rows;
}

// ---- Linear algebra, indexing

std::vector<OpRow> indexing_rows() {
  const auto axis = [](std::int64_t number) { return std::vector<ir::Attribute>{number}; };
  return {
      {.op = Op::matmul,
       .dtypes = kNumbers,
       .operands = {{.low = -2, .high = 2}},
       .cases = {{{{7, 5}, {5, 3}}},
                 {{{3, 17, 2}, {2, 4}}},
                 {{{2, 3, 4}, {2, 4, 5}}},
                 {{{2, 1, 3, 4}, {5, 4, 2}}},
                 {{{1, 1}, {1, 1}}},
                 {{{0, 3}, {3, 2}}},
                 {{{2, 0}, {0, 3}}},
                 {{{4, 2, 3}, {3, 0}}},
                 {{{65, 70}, {70, 33}}}},
       .call = [](Tensors x, const Attributes&) { return matmul(x[0], x[1]); },
       .oracle = matmul_oracle,
       .gradient = kYes},
      {.op = Op::take,
       .dtypes = kAnything,
       .operands = {kDigits, kIndices},
       .cases = {{{{7, 5}, {4}}, axis(0)},
                 {{{3, 6, 2}, {2, 3}}, axis(1)},
                 {{{7}, {}}, axis(0)},
                 {{{7, 5}, {0}}, axis(1)},
                 {{{0, 5}, {2}}, axis(1)},
                 {{{1}, {3}}, axis(0)}},
       .call = [](Tensors x, const Attributes& a) { return take(x[0], x[1], a.integer("axis")); },
       .oracle = take_oracle,
       .gradient = kYes},
      {.op = Op::take_along_axis,
       .dtypes = kAnything,
       .operands = {kDigits, kIndices},
       .cases = {{{{7, 5}, {7, 1}}, axis(1)},
                 {{{3, 6, 2}, {3, 4, 2}}, axis(1)},
                 {{{7}, {9}}, axis(0)},
                 {{{2, 3}, {0, 3}}, axis(0)},
                 {{{0, 3}, {0, 1}}, axis(1)}},
       .call = [](Tensors x, const Attributes& a) {
         return take_along_axis(x[0], x[1], a.integer("axis"));
       },
       .oracle = take_along_axis_oracle,
       .gradient = kYes},
      {.op = Op::scatter_add,
       .dtypes = kNumbers,
       .operands = {kDigits, kIndices, kDigits},
       .cases = {{{{7, 5}, {4}, {4, 5}}, axis(0)},
                 {{{3, 6, 2}, {2, 3}, {3, 2, 3, 2}}, axis(1)},
                 {{{7}, {}, {}}, axis(0)},
                 {{{7, 5}, {0}, {7, 0}}, axis(1)},
                 {{{0, 2}, {3}, {3, 2}}, axis(0)},
                 {{{1}, {6}, {6}}, axis(0)}},
       .call = [](Tensors x, const Attributes& a) {
         return scatter_add(x[0], x[1], x[2], a.integer("axis"));
       },
       .oracle = scatter_add_oracle,
       .gradient = kYes},
  };
}

// ---- Composites

std::vector<OpRow> composite_rows() {
  const std::vector<OpCase> along = {{{{7, 5}}, {std::int64_t{1}}}, {{{3, 17, 2}}, {std::int64_t{1}}},
                                     {{{3, 17, 2}}, {std::int64_t{0}}}, {{{1}}, {std::int64_t{0}}},
                                     {{{0, 3}}, {std::int64_t{1}}}, {{{3, 0}}, {std::int64_t{1}}},
                                     {{{2, 300}}, {std::int64_t{1}}}};
  return {
      {.op = Op::softmax,
       .dtypes = kFloats,
       .operands = {{.low = -4, .high = 4}},
       .cases = along,
       .call = [](Tensors x, const Attributes& a) { return softmax(x[0], a.integer("axis")); },
       .oracle = softmax_oracle,
       .gradient = kYes},
      {.op = Op::log_softmax,
       .dtypes = kFloats,
       .operands = {{.low = -4, .high = 4}},
       .cases = along,
       .call = [](Tensors x, const Attributes& a) { return log_softmax(x[0], a.integer("axis")); },
       .oracle = log_softmax_oracle,
       .gradient = kYes},
      {.op = Op::layer_norm,
       .dtypes = kFloats,
       .operands = {kSmall},
       .cases = {{{{7, 5}, {5}, {5}}},
                 {{{3, 4, 17}, {17}, {17}}, {1e-3}},
                 {{{6}, {6}, {6}}},
                 {{{0, 3}, {3}, {3}}},
                 {{{2, 0}, {0}, {0}}},
                 {{{2, 300}, {300}, {300}}}},
       .call = [](Tensors x, const Attributes& a) {
         return layer_norm(x[0], x[1], x[2], a.number("epsilon"));
       },
       .oracle = layer_norm_oracle,
       .gradient = kYes},
      {.op = Op::gelu,
       .dtypes = kFloats,
       .operands = {{.low = -3, .high = 3}},
       .cases = {{{{7, 5}}}, {{{3, 17, 2}}, {std::string("tanh")}}, {{{}}}, {{{0}}, {std::string("tanh")}}},
       .call = [](Tensors x, const Attributes& a) {
         return gelu(x[0], a.text("approximate") == "tanh" ? Gelu::tanh : Gelu::none);
       },
       .oracle = gelu_oracle,
       .gradient = kYes},
      {.op = Op::one_hot,
       .dtypes = kIntegers,
       .operands = {{.low = -2, .high = 8}},
       .cases = {{{{7, 5}}, {std::int64_t{6}, DType::f32}},
                 {{{4}}, {std::int64_t{300}, DType::bf16}},
                 {{{}}, {std::int64_t{3}, DType::i32}},
                 {{{3}}, {std::int64_t{0}, DType::f32}},
                 {{{0}}, {std::int64_t{4}, DType::boolean}}},
       .call = [](Tensors x, const Attributes& a) {
         return one_hot(x[0], a.integer("depth"), a.dtype("dtype"));
       },
       .oracle = one_hot_oracle,
       .result = ResultDType::attribute},
  };
}

// ---- Values from nowhere, and random ones

constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15U;  // what make_operands gives as key

template <class F>
std::function<Plain(const Plains&, const Attributes&)> numbered(F element) {
  return [=](const Plains&, const Attributes& a) {
    Plain out(Shape(a.integers("shape")));
    for (std::int64_t i = 0; i < out.shape.elements(); ++i) out[i] = element(static_cast<std::uint64_t>(i));
    return out;
  };
}

std::vector<OpRow> making_rows() {
  const ir::ArrayPtr value = std::make_shared<const Array>(
      Array::from(std::span<const float>(std::array{1.5F, -2.F, 0.25F}), {3, 1}));
  const auto random_cases = [](std::vector<ir::Attribute> dtype) {
    std::vector<OpCase> cases;
    for (const Shape& shape : {Shape{7, 5}, Shape{3, 17, 2}, Shape{}, Shape{0, 2}}) {
      cases.push_back({{{}}, dtype});
      cases.back().attributes.push_back(sizes(shape));
    }
    return cases;
  };
  return {
      {.op = Op::constant,
       .dtypes = {DType::f32},
       .operands = {},
       .cases = {{{}, {value}}},
       .call = [](Tensors, const Attributes& a) { return from(a.array("value")); },
       .oracle = [](const Plains&, const Attributes& a) { return plain(a.array("value")); }},
      {.op = Op::iota,
       .dtypes = {DType::i64},
       .operands = {},
       .cases = {{{}, {DType::i64, List{7, 5}, std::int64_t{1}}},
                 {{}, {DType::f32, List{3, 17, 2}, std::int64_t{1}}},
                 {{}, {DType::bf16, List{3, 17, 2}, std::int64_t{0}}},
                 {{}, {DType::u8, List{300}, std::int64_t{0}}},
                 {{}, {DType::i32, List{0}, std::int64_t{0}}}},
       .call = [](Tensors, const Attributes& a) {
         return iota(Shape(a.integers("shape")), a.integer("axis"), a.dtype("dtype"));
       },
       .oracle = [](const Plains&, const Attributes& a) {
         return filled(Shape(a.integers("shape")), [&](auto index) {
           return static_cast<double>(index[static_cast<std::size_t>(a.integer("axis"))]);
         });
       },
       .result = ResultDType::attribute},
      {.op = Op::fold_in,
       .dtypes = {DType::u64},
       .operands = {kKey, kDigits},
       .cases = {{{{}, {}}}},
       .call = [](Tensors x, const Attributes&) { return fold_in(Key(x[0]), x[1]).value; },
       .oracle = [](const Plains& x, const Attributes&) {
         Plain out = x[1];
         for (double& folded : out.data) {
           folded = static_cast<double>(ir::fold_in(kSeed, static_cast<std::uint64_t>(folded)));
         }
         return out;
       },
       .result = ResultDType::u64},
      {.op = Op::random_bits,
       .dtypes = {DType::u64},
       .operands = {kKey},
       .cases = random_cases({}),
       .call = [](Tensors x, const Attributes& a) {
         return random_bits(Shape(a.integers("shape")), Key(x[0]));
       },
       .oracle = numbered([](std::uint64_t i) { return static_cast<double>(ir::random_bits(kSeed, i)); }),
       .result = ResultDType::u32},
      {.op = Op::uniform,
       .dtypes = {DType::u64},
       .operands = {kKey},
       .cases = random_cases({DType::f32}),
       .call = [](Tensors x, const Attributes& a) {
         return uniform(Shape(a.integers("shape")), Key(x[0]), a.dtype("dtype"));
       },
       .oracle = numbered([](std::uint64_t i) -> double { return ir::random_uniform<float>(kSeed, i); }),
       .result = ResultDType::attribute},
      {.op = Op::normal,
       .dtypes = {DType::u64},
       .operands = {kKey},
       .cases = random_cases({DType::f64}),
       .call = [](Tensors x, const Attributes& a) {
         return normal(Shape(a.integers("shape")), Key(x[0]), a.dtype("dtype"));
       },
       .oracle = numbered([](std::uint64_t i) { return ir::random_normal(kSeed, i); }),
       .result = ResultDType::attribute},
  };
}

}  // namespace

std::vector<OpRow> structured_rows() {
  std::vector<OpRow> out;
  for (auto rows : {shape_rows(), reduce_rows(), indexing_rows(), composite_rows(), making_rows()}) {
    for (OpRow& row : rows) out.push_back(std::move(row));
  }
  return out;
}

}  // namespace tutti::test
