#include <array>

#include "tests/support/ops/product_oracle.h"
#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using List = std::vector<std::int64_t>;
using Tensors = std::span<const Tensor>;
using Make = OperandSpec::Make;
constexpr OperandSpec kMask = {.make = Make::truth};

std::vector<ir::Attribute> dot(List contract_x, List contract_y, List batch_x = {},
                               List batch_y = {}) {
  return {std::move(contract_x), std::move(contract_y), std::move(batch_x), std::move(batch_y)};
}

Tensor call_conv(Tensors x, const Attributes& a) {
  ConvOptions options{.stride = a.integers("stride"),
                      .padding = {},
                      .dilation = a.integers("dilation"),
                      .groups = a.integer("groups")};
  for (std::size_t d = 0; d < options.stride.size(); ++d) {
    options.padding.emplace_back(a.integers("low")[d], a.integers("high")[d]);
  }
  return conv(x[0], x[1], options);
}

Tensor call_attention(Tensors x, const Attributes& a) {
  const AttentionOptions options{.causal = a.flag("causal"), .scale = a.number("scale")};
  return x.size() == 4 ? attention(x[0], x[1], x[2], x[3], options)
                       : attention(x[0], x[1], x[2], options);
}

// There is no function for the gradient's op: it comes of a gradient.
Tensor call_attention_gradient(Tensors x, const Attributes& a) {
  const std::vector<Tensor> inputs(x.begin(), x.begin() + 3);
  const std::vector<Tensor> cotangents = grad([&](const std::vector<Tensor>& wrt) {
    std::vector<Tensor> operands = wrt;
    if (x.size() == 5) operands.push_back(x[3]);
    return sum(call_attention(operands, a) * x.back());
  })(inputs);
  std::vector<Tensor> flat;
  for (const Tensor& cotangent : cotangents) flat.push_back(reshape(cotangent, {-1}));
  return concat(flat);
}

OpRow dot_general_row() {
  return {.op = Op::dot_general,
          .dtypes = kNumbers,
          .operands = {kSmall},
          .cases = {{{{7, 5}, {5, 3}}, dot({1}, {0})},
                    {{{3, 4, 5}, {3, 6, 5}}, dot({2}, {2}, {0}, {0})},
                    {{{4, 3, 5, 2}, {2, 6, 3, 4}}, dot({0, 3}, {3, 0}, {1}, {2})},
                    {{{2, 3}, {4, 5}}, dot({}, {})},
                    {{{6}, {6}}, dot({0}, {0})},
                    {{{6}, {6}}, dot({}, {}, {0}, {0})},
                    {{{}, {3, 2}}, dot({}, {})},
                    {{{2, 3, 4}, {4, 2, 3}}, dot({2, 0}, {0, 1}, {1}, {2})},
                    {{{3, 5}, {5, 4, 3, 2}}, dot({1}, {0}, {0}, {2})},
                    {{{4, 3, 2, 5}, {5, 4}}, dot({0, 3}, {1, 0})},
                    {{{0, 3}, {3, 2}}, dot({1}, {0})},
                    {{{3, 0}, {2, 0}}, dot({1}, {1})},
                    {{{0, 3, 2}, {0, 2}}, dot({2}, {1}, {0}, {0})},
                    {{{1, 2, 1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 1, 2}},
                     dot({7}, {7}, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5, 6})},
                    {{{65, 70}, {33, 70}}, dot({1}, {1})}},
          .call =
              [](Tensors x, const Attributes& a) {
                return dot_general(x[0], x[1],
                                   {.contract_x = a.integers("contract_x"),
                                    .contract_y = a.integers("contract_y"),
                                    .batch_x = a.integers("batch_x"),
                                    .batch_y = a.integers("batch_y")});
              },
          .oracle = dot_general_oracle,
          .gradient = kYes};
}

OpRow conv_row() {
  // stride, low, high, dilation, groups
  const auto window = [](List stride, List low, List high, List dilation, std::int64_t groups = 1) {
    return std::vector<ir::Attribute>{std::move(stride), std::move(low), std::move(high),
                                      std::move(dilation), groups};
  };
  return {.op = Op::conv,
          .dtypes = kNumbers,
          .operands = {kSmall},
          .cases = {{{{2, 3, 6, 5}, {4, 3, 3, 2}}, window({1, 1}, {1, 0}, {1, 1}, {1, 1})},
                    {{{1, 4, 9}, {6, 2, 3}}, window({2}, {1}, {2}, {2}, 2)},
                    {{{2, 3, 7, 6}, {2, 3, 3, 3}}, window({3, 2}, {0, 2}, {0, 1}, {1, 2})},
                    {{{1, 2, 4, 3, 5}, {2, 1, 2, 3, 2}},
                     window({1, 1, 2}, {1, 0, 1}, {0, 0, 1}, {1, 1, 2}, 2)},
                    {{{2, 3, 5}, {4, 3, 1}}, window({1}, {0}, {0}, {1})},
                    {{{2, 3, 5}, {4, 3, 1}}, window({2}, {2}, {1}, {1})},
                    {{{1, 4, 6, 6}, {4, 1, 2, 2}}, window({2, 2}, {0, 0}, {0, 0}, {1, 1}, 4)},
                    {{{2, 2, 3, 2}, {40, 2, 3, 2}}, window({1, 1}, {0, 0}, {0, 0}, {1, 1})},
                    {{{1, 1, 2}, {1, 1, 4}}, window({5}, {4}, {6}, {1})},
                    {{{0, 3, 4}, {2, 3, 2}}, window({1}, {0}, {0}, {1})},
                    {{{2, 0, 4}, {3, 0, 2}}, window({1}, {1}, {0}, {1})},
                    {{{2, 3, 4}, {0, 3, 2}}, window({1}, {0}, {0}, {1})},
                    {{{2, 2, 0}, {3, 2, 2}}, window({1}, {1}, {2}, {1})},
                    {{{3, 8, 12, 12}, {16, 8, 3, 3}}, window({1, 1}, {1, 1}, {1, 1}, {1, 1})}},
          .call = call_conv,
          .oracle = conv_oracle,
          .gradient = kYes,
          .slack = 2};
}

// Operands of attention: [leading..., t, d], [..., s, d], [..., s, e].
std::vector<Shape> shapes(const List& leading, std::int64_t t, std::int64_t s, std::int64_t d,
                          std::int64_t e) {
  std::vector<Shape> out;
  for (const auto& [rows, columns] : {std::pair{t, d}, {s, d}, {s, e}}) {
    List sizes = leading;
    sizes.insert(sizes.end(), {rows, columns});
    out.emplace_back(sizes);
  }
  return out;
}

// Cases with and without a mask, each with the shape of the result behind the operands if
// `gradient`.
std::vector<OpCase> attention_cases(bool masked, bool gradient) {
  const auto use = [&](const List& leading, std::array<std::int64_t, 4> sizes, const Shape& mask,
                       bool causal, double scale) {
    OpCase out{shapes(leading, sizes[0], sizes[1], sizes[2], sizes[3]), {causal, scale}};
    List result = leading;
    result.insert(result.end(), {sizes[0], sizes[3]});
    if (masked) out.shapes.push_back(mask);
    if (gradient) out.shapes.emplace_back(result);
    return out;
  };
  return {use({2}, {5, 7, 4, 3}, {5, 7}, false, 0.), use({}, {6, 6, 5, 5}, {6, 6}, true, 0.7),
          use({2, 3}, {4, 5, 2, 6}, {2, 1, 1, 5}, true, 0.), use({}, {3, 8, 2, 2}, {1}, true, 0.),
          use({}, {8, 3, 2, 2}, {8, 1}, true, 0.), use({1}, {1, 1, 1, 1}, {}, false, 0.),
          use({0}, {3, 4, 2, 2}, {3, 4}, false, 0.), use({2}, {0, 4, 2, 2}, {1, 4}, false, 0.),
          use({2}, {3, 0, 2, 2}, {3, 0}, true, 0.), use({2}, {3, 4, 0, 2}, {3, 4}, false, 0.),
          use({2}, {3, 4, 2, 0}, {3, 4}, false, 0.),
          // Large enough for the host's own kernels.
          use({2}, {70, 66, 5, 3}, {70, 66}, true, 0.),
          use({3}, {65, 130, 16, 17}, {3, 1, 130}, false, 0.3)};
}

OpRow attention_row(bool masked) {
  OpRow row{.op = Op::attention,
            .dtypes = kFloats,
            .operands = {kSmall, kSmall, kSmall},
            .cases = attention_cases(masked, false),
            .call = call_attention,
            .oracle = attention_oracle,
            .gradient = kYes,
            .slack = 4};
  if (masked) row.operands.push_back(kMask);
  return row;
}

OpRow attention_gradient_row(bool masked) {
  OpRow row{.op = Op::attention_gradient,
            .dtypes = kFloats,
            .operands = {kSmall, kSmall, kSmall},
            .cases = attention_cases(masked, true),
            .call = call_attention_gradient,
            .oracle = attention_gradient_oracle,
            .gradient = kYes,
            .slack = 8};
  if (masked) row.operands.push_back(kMask);
  row.operands.push_back(kSmall);
  return row;
}

}  // namespace

std::vector<OpRow> product_rows() {
  return {dot_general_row(),
          conv_row(),
          attention_row(false),
          attention_row(true),
          attention_gradient_row(false),
          attention_gradient_row(true)};
}

}  // namespace tutti::test
