#include <tutti/ir/builder.h>

#include <algorithm>

#include "tests/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using Tensors = std::span<const Tensor>;
using List = std::vector<std::int64_t>;
constexpr auto kYes = HasGradient::yes;
constexpr OperandSpec kSmall = {.low = -2, .high = 2};

// The members of a rank's group.
List members_of(std::size_t rank, const Attributes& attributes) {
  return attributes.group("group")->members_with(static_cast<std::int64_t>(rank));
}

const Plain& operand(const RankPlains& x, std::int64_t rank) {
  return x[static_cast<std::size_t>(rank)][0];
}

double combined(const std::string& op, double a, double b) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  if (op == "product") return a * b;
  if (op == "min") return std::min(a, b);
  if (op == "max") return std::max(a, b);
  if (op == "and") return static_cast<double>(whole(a) & whole(b));
  if (op == "or") return static_cast<double>(whole(a) | whole(b));
  if (op == "xor") return static_cast<double>(whole(a) ^ whole(b));
  return a + b;
}

std::vector<Plain> all_reduce_oracle(const RankPlains& x, const Attributes& attributes) {
  const std::string& op = attributes.text("op");
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    const List members = members_of(rank, attributes);
    Plain total = operand(x, members[0]);
    for (std::int64_t i = 0; i < total.shape.elements(); ++i) {
      for (std::size_t m = 1; m < members.size(); ++m) {
        total[i] = combined(op, total[i], operand(x, members[m])[i]);
      }
      if (op == "mean") total[i] /= static_cast<double>(members.size());
    }
    out.push_back(std::move(total));
  }
  return out;
}

std::vector<Plain> all_gather_oracle(const RankPlains& x, const Attributes& attributes) {
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    Plains parts;
    for (const std::int64_t member : members_of(rank, attributes)) {
      parts.push_back(operand(x, member));
    }
    out.push_back(concat_oracle(parts, attributes));
  }
  return out;
}

std::vector<Plain> reduce_scatter_oracle(const RankPlains& x, const Attributes& attributes) {
  const std::vector<Plain> totals = all_reduce_oracle(x, attributes);
  const auto axis = static_cast<std::size_t>(attributes.integer("axis"));
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    const List members = members_of(rank, attributes);
    const auto own = std::find(members.begin(), members.end(), rank) - members.begin();
    List sizes(totals[rank].shape.begin(), totals[rank].shape.end());
    sizes[axis] /= std::ssize(members);
    out.push_back(filled(Shape(sizes), [&](std::span<const std::int64_t> index) {
      List from(index.begin(), index.end());
      from[axis] += own * sizes[axis];
      return totals[rank].at(from);
    }));
  }
  return out;
}

std::vector<Plain> broadcast_oracle(const RankPlains& x, const Attributes& attributes) {
  const auto root = static_cast<std::size_t>(attributes.integer("root"));
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    out.push_back(operand(x, members_of(rank, attributes)[root]));
  }
  return out;
}

Group group_of(const ir::Group& data) {
  std::vector<List> partition;
  for (std::size_t i = 0; i < data.ranks.size(); i += static_cast<std::size_t>(data.stride)) {
    partition.emplace_back(data.ranks.begin() + static_cast<std::ptrdiff_t>(i),
                           data.ranks.begin() + static_cast<std::ptrdiff_t>(i) + data.stride);
  }
  return {partition, data.tag};
}

Group group_of(const Attributes& attributes) { return group_of(*attributes.group("group")); }

Reduce reduce_of(const std::string& op) {
  static const std::map<std::string, Reduce> names = {
      {"sum", Reduce::sum},   {"mean", Reduce::mean},  {"product", Reduce::product},
      {"min", Reduce::min},   {"max", Reduce::max},    {"and", Reduce::bit_and},
      {"or", Reduce::bit_or}, {"xor", Reduce::bit_xor}};
  return names.at(op);
}

// Two groups that are not a product of mesh dimensions, out of order, and the whole world.
const ir::GroupPtr kPairs = std::make_shared<const ir::Group>(
    ir::Group{.tag = "pairs", .ranks = {3, 0, 1, 2}, .stride = 2});
const ir::GroupPtr kWorld = std::make_shared<const ir::Group>(
    ir::Group{.tag = "world", .ranks = {0, 1, 2, 3}, .stride = 4});

// The sum over all ranks, element by element, and then `finish(sum, own element)`.
template <class F>
std::vector<Plain> over_world(const RankPlains& x, F&& finish) {
  std::vector<Plain> out;
  for (const Plains& own : x) {
    out.push_back(own[0]);
    for (std::int64_t i = 0; i < own[0].shape.elements(); ++i) {
      double total = 0;
      for (const Plains& other : x) total += other[0][i];
      out.back()[i] = finish(total, own[0][i]);
    }
  }
  return out;
}

ir::Value total_over_world(ir::Builder& builder, ir::Value x) {
  const std::vector<ir::Attribute> attributes = {std::string("sum"), kWorld};
  return builder.add(Op::wait, {builder.add(Op::all_reduce, {x}, attributes)});
}

}  // namespace

std::vector<OpRow> collective_rows() {
  const auto sum_of = [](std::string op, ir::GroupPtr group) {
    return std::vector<ir::Attribute>{std::move(op), std::move(group)};
  };
  const auto scatter = [](std::int64_t axis, ir::GroupPtr group) {
    return std::vector<ir::Attribute>{std::string("sum"), axis, std::move(group)};
  };
  const auto along = [](std::int64_t number, ir::GroupPtr group) {
    return std::vector<ir::Attribute>{number, std::move(group)};
  };
  return {
      {.op = Op::all_reduce,
       .dtypes = {DType::f32, DType::bf16, DType::f64, DType::i32, DType::u8, DType::f16},
       .operands = {kSmall},
       .cases = {{{{7, 5}}, sum_of("sum", kWorld)},
                 {{{3, 17, 2}}, sum_of("max", kPairs)},
                 {{{3, 17, 2}}, sum_of("mean", kWorld)},
                 {{{}}, sum_of("min", kWorld)},
                 {{{0}}, sum_of("sum", kPairs)},
                 {{{9}}, sum_of("mean", kPairs)},
                 {{{2, 20000}}, sum_of("sum", kWorld)}},
       .call = [](Tensors x, const Attributes& a) -> Tensor {
         return all_reduce(x[0], group_of(a), reduce_of(a.text("op")));
       },
       .collective_oracle = all_reduce_oracle,
       .gradient = kYes},
      {.op = Op::all_reduce,
       .dtypes = {DType::i32, DType::u8, DType::i64},
       .operands = {{.low = 0, .high = 7}},
       .cases = {{{{7, 5}}, sum_of("xor", kWorld)},
                 {{{3}}, sum_of("and", kPairs)},
                 {{{3}}, sum_of("or", kWorld)},
                 {{{3}}, sum_of("product", kPairs)}},
       .call = [](Tensors x, const Attributes& a) -> Tensor {
         return all_reduce(x[0], group_of(a), reduce_of(a.text("op")));
       },
       .collective_oracle = all_reduce_oracle},
      {.op = Op::all_gather,
       .dtypes = kAnything,
       .operands = {kSmall},
       .cases = {{{{7, 5}}, along(0, kWorld)},
                 {{{3, 17, 2}}, along(1, kPairs)},
                 {{{7, 5}}, along(1, kWorld)},
                 {{{0, 3}}, along(0, kWorld)},
                 {{{1}}, along(0, kPairs)}},
       .call = [](Tensors x, const Attributes& a) -> Tensor {
         return all_gather(x[0], group_of(a), a.integer("axis"));
       },
       .collective_oracle = all_gather_oracle,
       .gradient = kYes},
      {.op = Op::reduce_scatter,
       .dtypes = {DType::f32, DType::bf16, DType::f64, DType::i32},
       .operands = {kSmall},
       .cases = {{{{8, 5}}, scatter(0, kWorld)},
                 {{{3, 16, 2}}, scatter(1, kPairs)},
                 {{{3, 16, 2}}, scatter(1, kWorld)},
                 {{{0, 3}}, scatter(0, kWorld)},
                 {{{2}}, scatter(0, kPairs)}},
       .call = [](Tensors x, const Attributes& a) -> Tensor {
         return reduce_scatter(x[0], group_of(a), reduce_of(a.text("op")), a.integer("axis"));
       },
       .collective_oracle = reduce_scatter_oracle,
       .gradient = kYes},
      {.op = Op::broadcast,
       .dtypes = kAnything,
       .operands = {kSmall},
       .cases = {{{{7, 5}}, along(2, kWorld)},
                 {{{3, 17, 2}}, along(1, kPairs)},
                 {{{}}, along(0, kWorld)},
                 {{{0}}, along(3, kWorld)}},
       .call = [](Tensors x, const Attributes& a) -> Tensor {
         return broadcast(x[0], group_of(a), a.integer("root"));
       },
       .collective_oracle = broadcast_oracle,
       .gradient = kYes},
      {.op = Op::barrier,
       .dtypes = {DType::f32},
       .operands = {kSmall},
       .cases = {{{{3}}, {kWorld}}},
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
           [](ir::Builder& builder, std::span<const ir::Value> x) {
             builder.node(Op::barrier, std::span<const ir::Value>(), {kWorld});
             return builder.add(Op::add, {x[0], x[0]});
           }},
      {.op = Op::wait,
       .dtypes = {DType::f32},
       .operands = {kSmall},
       .cases = {{{{7, 5}}}},
       .call =
           [](Tensors x, const Attributes&) {
             const AsyncTensor total = all_reduce(x[0], group_of(*kWorld));
             return total.wait() + total.wait();
           },
       .collective_oracle =
           [](const RankPlains& x, const Attributes&) {
             return over_world(x, [](double total, double) { return 2 * total; });
           },
       .gradient = kYes,
       .build =
           [](ir::Builder& builder, std::span<const ir::Value> x) {
             const ir::Value total = total_over_world(builder, x[0]);
             return builder.add(Op::add, {total, total});
           }},
      // Inserted where what is replicated meets what varies.
      {.op = Op::vary,
       .dtypes = {DType::f32},
       .operands = {kSmall},
       .cases = {{{{7, 5}}, {std::string("world")}}},
       .call = [](Tensors x,
                  const Attributes&) { return all_reduce(x[0], group_of(*kWorld)) * x[0]; },
       .collective_oracle =
           [](const RankPlains& x, const Attributes&) {
             return over_world(x, [](double total, double own) { return total * own; });
           },
       .gradient = kYes,
       .build =
           [](ir::Builder& builder, std::span<const ir::Value> x) {
             return builder.add(Op::mul, {total_over_world(builder, x[0]), x[0]});
           }},
      {.op = Op::rank_index,
       .dtypes = {DType::i64},
       .operands = {},
       .cases = {{{}, {kWorld}}, {{}, {kPairs}}},
       .call = [](Tensors, const Attributes& a) { return rank_index(group_of(a)); },
       .collective_oracle =
           [](const RankPlains& x, const Attributes& a) {
             std::vector<Plain> out;
             for (std::size_t rank = 0; rank < x.size(); ++rank) {
               const List members = members_of(rank, a);
               Plain position({});
               position[0] = static_cast<double>(std::find(members.begin(), members.end(), rank) -
                                                 members.begin());
               out.push_back(position);
             }
             return out;
           }},
  };
}

}  // namespace tutti::test
