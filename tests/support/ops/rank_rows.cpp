#include <tutti/ir/builder.h>
#include <tutti/lazy/context.h>

#include "tests/support/ops/collective_cases.h"
#include "tests/support/ops/collective_oracle.h"

namespace tutti::test {

namespace {

using ir::Op;
using Tensors = std::span<const Tensor>;

}  // namespace

// Around the ring of all ranks, each with a program of its own.
void add_message_rows(std::vector<OpRow>& rows, const RankGroups& ranks) {
  if (ranks.count == 1) return;
  const Group world(ranks.world->ranks, "world");
  const auto neighbours = [count = ranks.count](std::int64_t rank) {
    return std::pair((rank + 1) % count, (rank + count - 1) % count);
  };
  const auto own_neighbours = [neighbours] {
    return neighbours(detail::RankContext::current().runtime().rank());
  };
  OpRow row{.op = Op::send,
            .dtypes = kAnything,
            .operands = {kSmall},
            .cases = {{{{7, 5}}, {std::int64_t{0}, ranks.world}},
                      {{{}}, {std::int64_t{0}, ranks.world}},
                      {{{0, 2}}, {std::int64_t{0}, ranks.world}}},
            .call = [=](Tensors x, const Attributes&) -> Tensor {
              const auto [next, previous] = own_neighbours();
              send(x[0], world, next);
              return recv(x[0].shape(), x[0].dtype(), world, previous);
            },
            .collective_oracle = ring_oracle,
            .gradient = kYes,
            .build =
                [=, group = ranks.world](ir::Builder& builder, std::span<const ir::Value> x,
                                         std::int64_t rank) {
                  const auto [next, previous] = neighbours(rank);
                  const ir::Type type = builder.type(x[0]);
                  const SizeList shape(type.shape.begin(), type.shape.end());
                  builder.node(Op::send, {x[0]}, {next, group});
                  const ir::Value got = builder.add(Op::recv, std::span<const ir::Value>(),
                                                    {type.dtype, shape, previous, group});
                  return builder.add(Op::wait, {got});
                }};
  rows.push_back(row);
  row.op = Op::recv;
  row.cases = {{{{3}}, {DType::f32, SizeList{3}, std::int64_t{0}, ranks.world}}};
  rows.push_back(row);
  row.op = Op::batch_send_recv;
  const std::vector<ir::Attribute> none = {SizeList{}, SizeList{}, std::vector<ir::Type>{},
                                           ranks.world};
  row.cases = {{{{7, 5}}, none}, {{{}}, none}};
  row.call = [=](Tensors x, const Attributes&) -> Tensor {
    const auto [next, previous] = own_neighbours();
    return batch_send_recv({{x[0], next}}, {{x[0].shape(), x[0].dtype(), previous}}, world)[0];
  };
  row.build = [=, group = ranks.world](ir::Builder& builder, std::span<const ir::Value> x,
                                       std::int64_t rank) {
    const auto [next, previous] = neighbours(rank);
    const ir::Type type{.dtype = builder.type(x[0]).dtype, .shape = builder.type(x[0]).shape};
    const ir::Value got =
        builder.add(Op::batch_send_recv, {x[0]},
                    {SizeList{next}, SizeList{previous}, std::vector<ir::Type>{type}, group});
    return builder.add(Op::wait, {got});
  };
  rows.push_back(row);
}

// Barriers, and the local ops about ranks.
void add_rank_rows(std::vector<OpRow>& rows, const RankGroups& ranks) {
  const ir::GroupPtr world = ranks.world;
  const Group all(world->ranks, "world");
  const auto total_over_world = [world](ir::Builder& builder, ir::Value x) {
    return builder.add(Op::wait, {builder.add(Op::all_reduce, {x}, {std::string("sum"), world})});
  };
  rows.push_back({.op = Op::barrier,
                  .dtypes = {DType::f32},
                  .operands = {kSmall},
                  .cases = {{{{3}}, {world}}},
                  .call =
                      [](Tensors x, const Attributes& a) {
                        barrier(group_of(a));
                        return x[0] + x[0];
                      },
                  .collective_oracle =
                      [](const RankPlains& x, const Attributes&) {
                        return over_world(x, [](double, double own) { return own + own; });
                      },
                  .build =
                      [world](ir::Builder& builder, std::span<const ir::Value> x, std::int64_t) {
                        builder.node(Op::barrier, std::span<const ir::Value>(), {world});
                        return builder.add(Op::add, {x[0], x[0]});
                      }});
  rows.push_back({.op = Op::wait,
                  .dtypes = {DType::f32},
                  .operands = {kSmall},
                  .cases = {{{{7, 5}}}},
                  .call =
                      [all](Tensors x, const Attributes&) {
                        const AsyncTensor total = all_reduce(x[0], all);
                        return total.wait() + total.wait();
                      },
                  .collective_oracle =
                      [](const RankPlains& x, const Attributes&) {
                        return over_world(x, [](double total, double) { return 2 * total; });
                      },
                  .gradient = HasGradient::yes,
                  .build =
                      [=](ir::Builder& builder, std::span<const ir::Value> x, std::int64_t) {
                        const ir::Value total = total_over_world(builder, x[0]);
                        return builder.add(Op::add, {total, total});
                      }});
  // Inserted where what is replicated meets what varies.
  rows.push_back(
      {.op = Op::vary,
       .dtypes = {DType::f32},
       .operands = {kSmall},
       .cases = {{{{7, 5}}, {std::string("world")}}},
       .call = [all](Tensors x, const Attributes&) { return all_reduce(x[0], all) * x[0]; },
       .collective_oracle =
           [](const RankPlains& x, const Attributes&) {
             return over_world(x, [](double total, double own) { return total * own; });
           },
       .gradient = HasGradient::yes,
       .build =
           [=](ir::Builder& builder, std::span<const ir::Value> x, std::int64_t) {
             return builder.add(Op::mul, {total_over_world(builder, x[0]), x[0]});
           }});
  rows.push_back({.op = Op::rank_index,
                  .dtypes = {DType::i64},
                  .operands = {},
                  .cases = {{{}, {world}}, {{}, {ranks.turned}}},
                  .call = [](Tensors, const Attributes& a) { return rank_index(group_of(a)); },
                  .collective_oracle = rank_index_oracle});
}

}  // namespace tutti::test
