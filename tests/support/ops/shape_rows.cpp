#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using List = std::vector<std::int64_t>;
using Tensors = std::span<const Tensor>;

}  // namespace

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
       .oracle =
           [](const Plains& x, const Attributes& a) {
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
       .call = [](Tensors x,
                  const Attributes& a) { return transpose(x[0], a.integers("permutation")); },
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
       .call = [](Tensors x,
                  const Attributes& a) { return broadcast_to(x[0], a.integers("shape")); },
       .oracle = broadcast_to_oracle,
       .gradient = kYes},
      {.op = Op::expand_dims,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {List{1}}},
                 {{{}}, {List{0, 1}}},
                 {{{3, 17}}, {List{0, 3}}},
                 {{{0}}, {List{1}}}},
       .call = [](Tensors x, const Attributes& a) { return expand_dims(x[0], a.integers("axes")); },
       .oracle = expand_dims_oracle,
       .gradient = kYes},
      {.op = Op::squeeze,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 1, 5}}, {List{1}}},
                 {{{1, 1}}, {List{0, 1}}},
                 {{{1, 3, 1}}, {List{2}}},
                 {{{1, 0}}, {List{0}}}},
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
       .call =
           [](Tensors x, const Attributes& a) {
             std::vector<Range> ranges;
             for (std::size_t d = 0; d < a.integers("start").size(); ++d) {
               ranges.push_back(
                   {a.integers("start")[d], a.integers("stop")[d], a.integers("step")[d]});
             }
             return slice(x[0], ranges);
           },
       .oracle = slice_oracle,
       .gradient = kYes},
      {.op = Op::reverse,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {List{0}}},
                 {{{3, 17, 2}}, {List{1, 2}}},
                 {{{3}}, {List{}}},
                 {{{2, 0}}, {List{0, 1}}}},
       .call = [](Tensors x, const Attributes& a) { return reverse(x[0], a.integers("axes")); },
       .oracle = reverse_oracle,
       .gradient = kYes},
      {.op = Op::identity,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}}, {{{3, 17, 2}}}, {{{}}}, {{{0}}}},
       .call =
           [](Tensors x, const Attributes&) {
             Tensor renamed = x[0];
             return detail::rename_leaves(detail::tree_ref(renamed), {})[0];
           },
       .oracle = [](const Plains& x, const Attributes&) { return x[0]; },
       .gradient = kYes},
      // Its gradient is not that of its oracle: grad_test.cpp holds it.
      {.op = Op::stop_gradient,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}}, {{{3, 17, 2}}}, {{{}}}, {{{0}}}},
       .call = [](Tensors x, const Attributes&) { return stop_gradient(x[0]); },
       .oracle = [](const Plains& x, const Attributes&) { return x[0]; }},
      {.op = Op::optimization_barrier,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}, {3}}}, {{{3, 17, 2}, {}}}, {{{}, {2, 2}}}, {{{0}, {0}}}},
       .call = [](Tensors x, const Attributes&) { return optimization_barrier(x[0], x[1]); },
       .oracle = [](const Plains& x, const Attributes&) { return x[0]; },
       .gradient = kYes},
      {.op = Op::to_device,
       .dtypes = kAnything,
       .operands = {kDigits},
       .cases = {{{{7, 5}}, {std::string("cpu")}}, {{{0}}, {std::string("cpu")}}},
       .call = [](Tensors x, const Attributes&) { return to(x[0], Device::cpu()); },
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
       .call =
           [](Tensors x, const Attributes& a) {
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

}  // namespace tutti::test
