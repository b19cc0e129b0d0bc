#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using Tensors = std::span<const Tensor>;

}  // namespace

std::vector<OpRow> composite_rows() {
  const std::vector<OpCase> along = {
      {{{7, 5}}, {std::int64_t{1}}},     {{{3, 17, 2}}, {std::int64_t{1}}},
      {{{3, 17, 2}}, {std::int64_t{0}}}, {{{1}}, {std::int64_t{0}}},
      {{{0, 3}}, {std::int64_t{1}}},     {{{3, 0}}, {std::int64_t{1}}},
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
       .call =
           [](Tensors x, const Attributes& a) {
             return layer_norm(x[0], x[1], x[2], a.number("epsilon"));
           },
       .oracle = layer_norm_oracle,
       .gradient = kYes},
      {.op = Op::rms_norm,
       .dtypes = kFloats,
       .operands = {kSmall},
       .cases = {{{{7, 5}, {5}}},
                 {{{3, 4, 17}, {17}}, {1e-3}},
                 {{{6}, {6}}},
                 {{{0, 3}, {3}}},
                 {{{2, 0}, {0}}},
                 {{{1, 1, 2, 1, 2, 1, 1, 3}, {3}}},
                 {{{2, 300}, {300}}}},
       .call = [](Tensors x,
                  const Attributes& a) { return rms_norm(x[0], x[1], a.number("epsilon")); },
       .oracle = rms_norm_oracle,
       .gradient = kYes},
      {.op = Op::cross_entropy,
       .dtypes = kFloats,
       .operands = {{.low = -4, .high = 4}, {.make = OperandSpec::Make::indices, .high = 8}},
       .cases = {{{{7, 5}, {7}}},
                 {{{3, 4, 17}, {3, 4}}},
                 {{{6}, {}}},
                 {{{5, 1}, {5}}},
                 {{{0, 3}, {0}}},
                 {{{0, 0}, {0}}},
                 {{{2, 300}, {2}}}},
       .call = [](Tensors x, const Attributes&) { return cross_entropy(x[0], x[1]); },
       .oracle = cross_entropy_oracle,
       .gradient = kYes},
      {.op = Op::gelu,
       .dtypes = kFloats,
       .operands = {{.low = -3, .high = 3}},
       .cases = {{{{7, 5}}},
                 {{{3, 17, 2}}, {std::string("tanh")}},
                 {{{}}},
                 {{{0}}, {std::string("tanh")}}},
       .call =
           [](Tensors x, const Attributes& a) {
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
       .call =
           [](Tensors x, const Attributes& a) {
             return one_hot(x[0], a.integer("depth"), a.dtype("dtype"));
           },
       .oracle = one_hot_oracle,
       .result = ResultDType::attribute},
  };
}

}  // namespace tutti::test
