#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using List = std::vector<std::int64_t>;
using Tensors = std::span<const Tensor>;
using Make = OperandSpec::Make;

constexpr OperandSpec kIndices = {.make = Make::indices, .low = -2, .high = 8};

}  // namespace

std::vector<OpRow> index_rows() {
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
                 {{{3, 4, 17}, {5}}, axis(1)},
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
                 {{{0, 3}, {0, 1}}, axis(1)},
                 {{{2, 1, 3, 2, 1, 2, 2, 3}, {2, 1, 3, 2, 1, 4, 2, 3}}, axis(5)}},
       .call = [](Tensors x,
                  const Attributes& a) { return take_along_axis(x[0], x[1], a.integer("axis")); },
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
       .call = [](Tensors x,
                  const Attributes& a) { return scatter_add(x[0], x[1], x[2], a.integer("axis")); },
       .oracle = scatter_add_oracle,
       .gradient = kYes},
      {.op = Op::dynamic_slice,
       .dtypes = kAnything,
       .operands = {kDigits, kIndices},
       .cases = {{{{7, 5}, {2}}, {List{3, 2}}},
                 {{{3, 6, 2}, {3}}, {List{1, 4, 2}}},
                 {{{}, {0}}, {List{}}},
                 {{{9}, {1}}, {List{9}}},
                 {{{7, 5}, {2}}, {List{0, 3}}},
                 {{{0, 3}, {2}}, {List{0, 2}}},
                 {{{4, 8, 16}, {3}}, {List{3, 4, 16}}},
                 {{{2, 1, 3, 2, 1, 2, 2, 3}, {8}}, {List{1, 1, 2, 2, 1, 1, 2, 2}}},
                 {{{70, 600}, {2}}, {List{50, 599}}}},
       .call = [](Tensors x,
                  const Attributes& a) { return dynamic_slice(x[0], x[1], a.integers("sizes")); },
       .oracle = dynamic_slice_oracle,
       .gradient = kYes},
      {.op = Op::dynamic_update_slice,
       .dtypes = kAnything,
       .operands = {kDigits, kDigits, kIndices},
       .cases = {{{{7, 5}, {3, 2}, {2}}},
                 {{{3, 6, 2}, {1, 4, 2}, {3}}},
                 {{{}, {}, {0}}},
                 {{{9}, {9}, {1}}},
                 {{{7, 5}, {0, 3}, {2}}},
                 {{{0, 3}, {0, 2}, {2}}},
                 {{{4, 8, 16}, {3, 4, 16}, {3}}},
                 {{{2, 1, 3, 2, 1, 2, 2, 3}, {1, 1, 2, 2, 1, 1, 2, 2}, {8}}},
                 {{{70, 600}, {50, 599}, {2}}}},
       .call = [](Tensors x, const Attributes&) { return dynamic_update_slice(x[0], x[1], x[2]); },
       .oracle = dynamic_update_slice_oracle,
       .gradient = kYes},
  };
}

}  // namespace tutti::test
