#include "tests/support/ops/collective_cases.h"
#include "tests/support/ops/collective_oracle.h"

namespace tutti::test {

namespace {

using ir::Op;
using Tensors = std::span<const Tensor>;
using AttributeList = std::vector<ir::Attribute>;

Reduce reduce_of(const Attributes& attributes) {
  static const std::map<std::string, Reduce> names = {
      {"sum", Reduce::sum},   {"mean", Reduce::mean},  {"product", Reduce::product},
      {"min", Reduce::min},   {"max", Reduce::max},    {"and", Reduce::bit_and},
      {"or", Reduce::bit_or}, {"xor", Reduce::bit_xor}};
  return names.at(attributes.text("op"));
}

// A reducing op with every reduction and every dtype that has it; `attributes(reduction, group)`.
std::vector<OpRow> reduction_rows(
    const RankGroups& ranks, OpRow row, const Shape& shape,
    const std::function<AttributeList(std::string, ir::GroupPtr)>& attributes) {
  const auto with = [&](const std::vector<DType>& dtypes, double low, std::string first,
                        std::string second, HasGradient gradient) {
    OpRow out = row;
    out.dtypes = dtypes;
    out.operands = {{.low = low, .high = low < 0 ? 2.0 : 7.0}};
    out.cases = {{{shape}, attributes(std::move(first), ranks.world)},
                 {{shape}, attributes(std::move(second), ranks.turned)}};
    out.gradient = gradient;
    return out;
  };
  std::vector<DType> bits = kIntegers;
  bits.push_back(DType::boolean);
  const bool scans = row.op == Op::scan_ranks;  // has no mean, and gradients of sums alone
  const auto others = scans ? HasGradient::refused : kYes;
  const std::string mean = scans ? "product" : "mean";
  return {with(kNumbers, -2, "sum", "sum", kYes),
          with(kFloats, -2, mean, mean, others),
          with(kNumbers, -2, "max", "min", others),
          with(kNumbers, -2, "min", "max", others),
          with(kNumbers, 0, "product", "product", others),
          with(bits, 0, "and", "or", HasGradient::none),
          with(bits, 0, "xor", "and", HasGradient::none)};
}

void append(std::vector<OpRow>& rows, std::vector<OpRow> more) {
  for (OpRow& row : more) rows.push_back(std::move(row));
}

void add_reductions(std::vector<OpRow>& rows, const RankGroups& ranks) {
  const auto& [count, world, turned] = ranks;
  const auto over = [](std::string op, ir::GroupPtr group) {
    return AttributeList{std::move(op), std::move(group)};
  };
  OpRow row{.op = Op::all_reduce,
            .dtypes = {DType::f32},
            .operands = {kSmall},
            .cases = {{{{3, 17, 2}}, over("mean", world)},
                      {{{}}, over("min", world)},
                      {{{0}}, over("sum", turned)},
                      {{{2, 20000}}, over("sum", world)}},
            .call = [](Tensors x, const Attributes& a) -> Tensor {
              return all_reduce(x[0], group_of(a), reduce_of(a));
            },
            .collective_oracle = all_reduce_oracle,
            .gradient = kYes};
  rows.push_back(row);
  append(rows, reduction_rows(ranks, row, {7, 5}, over));

  const auto range = [](ir::GroupPtr group, bool exclusive, bool reverse) {
    return AttributeList{std::string("sum"), std::move(group), exclusive, reverse};
  };
  row.op = Op::scan_ranks;
  row.cases = {{{{3, 17, 2}}, range(world, false, false)},
               {{{}}, range(turned, true, false)},
               {{{0}}, range(world, true, true)},
               {{{5, 2}}, range(turned, false, true)},
               {{{2, 20000}}, range(world, true, true)}};
  row.call = [](Tensors x, const Attributes& a) -> Tensor {
    return scan_ranks(x[0], group_of(a), reduce_of(a), {a.flag("exclusive"), a.flag("reverse")});
  };
  row.collective_oracle = scan_ranks_oracle;
  rows.push_back(row);
  append(rows, reduction_rows(ranks, row, {7, 5}, over));

  const auto at_root = [&](std::string op, ir::GroupPtr group) {
    const std::int64_t root = group == world ? 0 : ranks.last(group);
    return AttributeList{std::move(op), root, std::move(group)};
  };
  row.op = Op::reduce;
  row.cases = {{{{3, 17, 2}}, at_root("mean", world)},
               {{{}}, at_root("sum", turned)},
               {{{0}}, at_root("sum", world)},
               {{{2, 20000}}, at_root("sum", turned)}};
  row.call = [](Tensors x, const Attributes& a) -> Tensor {
    return reduce(x[0], group_of(a), reduce_of(a), a.integer("root"));
  };
  row.collective_oracle = rooted_reduce_oracle;
  rows.push_back(row);
  append(rows, reduction_rows(ranks, row, {7, 5}, at_root));

  const auto along = [](std::int64_t axis, ir::GroupPtr group, SizeList sizes = {}) {
    return AttributeList{std::string("mean"), axis, std::move(group), std::move(sizes)};
  };
  row.op = Op::reduce_scatter;
  row.dtypes = {DType::f32, DType::f64};
  row.cases = {{{{3, ranks.even(4), 2}}, along(1, turned)},
               {{{total(uneven_sizes(world)), 3}}, along(0, world, uneven_sizes(world))},
               {{{2, total(uneven_sizes(turned))}}, along(1, turned, uneven_sizes(turned))},
               {{{0, 3}}, along(0, world)},
               {{{ranks.even(5000), 2}}, along(0, world)}};
  row.call = [](Tensors x, const Attributes& a) -> Tensor {
    return reduce_scatter(x[0], group_of(a), reduce_of(a), a.integer("axis"), a.integers("sizes"));
  };
  row.collective_oracle = reduce_scatter_oracle;
  rows.push_back(row);
  append(rows,
         reduction_rows(ranks, row, {3, ranks.even(2)}, [](std::string op, ir::GroupPtr group) {
           return AttributeList{std::move(op), std::int64_t{1}, std::move(group)};
         }));
}

void add_movements(std::vector<OpRow>& rows, const RankGroups& ranks) {
  const auto& [count, world, turned] = ranks;
  const auto along = [](std::int64_t axis, ir::GroupPtr group, SizeList sizes = {}) {
    return AttributeList{axis, std::move(group), std::move(sizes)};
  };
  const auto rooted = [&](std::int64_t axis, ir::GroupPtr group, SizeList sizes = {}) {
    const std::int64_t root = ranks.last(group);
    return AttributeList{axis, root, std::move(group), std::move(sizes)};
  };
  const SizeList uneven = uneven_sizes(world);
  const SizeList uneven_turned = uneven_sizes(turned);
  rows.push_back({.op = Op::all_gather,
                  .dtypes = kAnything,
                  .operands = {kSmall},
                  .cases = {{{{7, 5}}, along(0, world)},
                            {{{3, 17, 2}}, along(1, turned)},
                            {{{1, 5}}, along(0, world, uneven)},
                            {{{2, 1, 3}}, along(1, turned, uneven_turned)},
                            {{{7, 5}}, along(1, world)},
                            {{{0, 3}}, along(0, world)},
                            {{{1}}, along(0, turned)}},
                  .call = [](Tensors x, const Attributes& a) -> Tensor {
                    return all_gather(x[0], group_of(a), a.integer("axis"), a.integers("sizes"));
                  },
                  .collective_oracle = all_gather_oracle,
                  .gradient = kYes});
  rows.push_back({.op = Op::gather,
                  .dtypes = kAnything,
                  .operands = {kSmall},
                  .cases = {{{{7, 5}}, rooted(0, world)},
                            {{{3, 17, 2}}, rooted(1, turned)},
                            {{{1, 5}}, rooted(0, world, uneven)},
                            {{{2, 1, 3}}, rooted(1, turned, uneven_turned)},
                            {{{0, 3}}, rooted(0, world)}},
                  .call = [](Tensors x, const Attributes& a) -> Tensor {
                    return gather(x[0], group_of(a), a.integer("root"), a.integer("axis"),
                                  a.integers("sizes"));
                  },
                  .collective_oracle = gather_oracle,
                  .gradient = kYes});
  rows.push_back({.op = Op::scatter,
                  .dtypes = kAnything,
                  .operands = {kSmall},
                  .cases = {{{{ranks.even(2), 5}}, rooted(0, world)},
                            {{{3, ranks.even(3), 2}}, rooted(1, turned)},
                            {{{total(uneven), 5}}, rooted(0, world, uneven)},
                            {{{2, total(uneven_turned)}}, rooted(1, turned, uneven_turned)},
                            {{{0, 3}}, rooted(0, world)}},
                  .call = [](Tensors x, const Attributes& a) -> Tensor {
                    return scatter(x[0], group_of(a), a.integer("root"), a.integer("axis"),
                                   a.integers("sizes"));
                  },
                  .collective_oracle = scatter_oracle,
                  .gradient = kYes});
  const auto from = [](std::int64_t root, ir::GroupPtr group) {
    return AttributeList{root, std::move(group)};
  };
  rows.push_back({.op = Op::broadcast,
                  .dtypes = kAnything,
                  .operands = {kSmall},
                  .cases = {{{{7, 5}}, from(ranks.last(world) / 2, world)},
                            {{{3, 17, 2}}, from(ranks.last(turned), turned)},
                            {{{}}, from(0, world)},
                            {{{0}}, from(ranks.last(world), world)}},
                  .call = [](Tensors x, const Attributes& a) -> Tensor {
                    return broadcast(x[0], group_of(a), a.integer("root"));
                  },
                  .collective_oracle = broadcast_oracle,
                  .gradient = kYes});
  rows.push_back({.op = Op::all_to_all,
                  .dtypes = kAnything,
                  .operands = {kSmall},
                  .cases = {{{{ranks.even(2), 3}}, along(0, world)},
                            {{{3, ranks.even(3), 2}}, along(1, turned)},
                            {{{1, 3}}, along(0, world, exchange_matrix(world))},
                            {{{3, 1, 2}}, along(1, turned, exchange_matrix(turned))},
                            {{{0, 3}}, along(0, world)}},
                  .call = [](Tensors x, const Attributes& a) -> Tensor {
                    const SizeList& sent = a.integers("send_sizes");
                    if (sent.empty()) return all_to_all(x[0], group_of(a), a.integer("axis"));
                    return all_to_all(x[0], group_of(a), sent, a.integers("receive_sizes"),
                                      a.integer("axis"));
                  },
                  .collective_oracle = all_to_all_oracle,
                  .gradient = kYes});
  const auto moved = [](SizeList pairs, ir::GroupPtr group) {
    return AttributeList{std::move(pairs), std::move(group)};
  };
  rows.push_back({.op = Op::collective_permute,
                  .dtypes = kAnything,
                  .operands = {kSmall},
                  .cases = {{{{7, 5}}, moved(ring_pairs(world), world)},
                            {{{3, 17, 2}}, moved(shift_pairs(turned), turned)},
                            {{{}}, moved(shift_pairs(world), world)},
                            {{{3}}, moved({}, turned)},
                            {{{0}}, moved(ring_pairs(turned), turned)}},
                  .call = [](Tensors x, const Attributes& a) -> Tensor {
                    Pairs pairs;
                    const SizeList& flat = a.integers("pairs");
                    for (std::size_t i = 0; i < flat.size(); i += 2) {
                      pairs.emplace_back(flat[i], flat[i + 1]);
                    }
                    return collective_permute(x[0], group_of(a), pairs);
                  },
                  .collective_oracle = collective_permute_oracle,
                  .gradient = kYes});
}

}  // namespace

std::vector<OpRow> collective_rows(std::int64_t count) {
  const RankGroups ranks(count);
  std::vector<OpRow> rows;
  add_reductions(rows, ranks);
  add_movements(rows, ranks);
  add_message_rows(rows, ranks);
  add_rank_rows(rows, ranks);
  return rows;
}

}  // namespace tutti::test
