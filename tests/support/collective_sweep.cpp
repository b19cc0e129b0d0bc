#include "tests/support/collective_sweep.h"

#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/lazy/context.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tutti::test {

namespace {

// All that a rank starts with, for groups of `members`.
std::vector<Array> operands(DType dtype, int members, int rank) {
  return {sweep_operand(dtype, {}, rank, 0), sweep_operand(dtype, {2 * members, 3}, rank, 1),
          sweep_operand(dtype, {rank % 3, 2}, rank, 2), sweep_operand(dtype, {0, 4}, rank, 3)};
}

std::vector<Reduce> reductions_of(DType dtype) {
  if (dtype == DType::boolean) return {Reduce::bit_and, Reduce::bit_or, Reduce::bit_xor};
  std::vector<Reduce> out = {Reduce::sum, Reduce::product, Reduce::min, Reduce::max};
  if (is_floating(dtype)) {
    out.push_back(Reduce::mean);
  } else {
    out.insert(out.end(), {Reduce::bit_and, Reduce::bit_or, Reduce::bit_xor});
  }
  return out;
}

// ---- The program

struct Operands {
  Tensor scalar, table, uneven, nothing;
  TUTTI_FIELDS(scalar, table, uneven, nothing)
};

// Every collective over the group; none of its results is waited for here.
struct Program {
  Group group;

  std::vector<AsyncTensor> operator()(const Operands& x) const {
    std::vector<AsyncTensor> out;
    const std::int64_t position = group.position();
    if (position < 0) return out;  // a rank outside has a program without collectives
    const std::int64_t members = group.size();
    const std::int64_t root = members / 2;
    for (const Reduce reduction : reductions_of(x.table.dtype())) {
      out.push_back(all_reduce(x.table, group, reduction));
      out.push_back(all_reduce(x.scalar, group, reduction));
      out.push_back(reduce(x.table, group, reduction, root));
      out.push_back(reduce_scatter(x.table, group, reduction));
      if (reduction == Reduce::mean) continue;
      out.push_back(scan_ranks(x.table, group, reduction));
      out.push_back(scan_ranks(x.scalar, group, reduction, {.exclusive = true}));
      out.push_back(scan_ranks(x.scalar, group, reduction, {.reverse = true}));
    }
    const std::vector<Tensor> list = all_reduce(std::vector<Tensor>{x.table, x.scalar, x.nothing},
                                                group, reductions_of(x.table.dtype())[0]);
    out.push_back(broadcast(list[0], group, root));
    out.push_back(all_gather(x.table, group));
    out.push_back(all_gather(x.table, group, 1));
    out.push_back(all_gather(x.nothing, group));
    Sizes sizes;
    for (const std::int64_t rank : group.ranks()) sizes.push_back(rank % 3);
    out.push_back(all_gather(x.uneven, group, 0, sizes));
    out.push_back(gather(x.table, group, root));
    out.push_back(gather(x.uneven, group, root, 0, sizes));
    out.push_back(broadcast(x.table, group, root));
    out.push_back(broadcast(x.nothing, group));
    out.push_back(scatter(x.table, group, root));
    out.push_back(all_to_all(x.table, group));
    out.push_back(all_to_all(x.table, group, 0, 1));
    Sizes sent(static_cast<std::size_t>(members), 1);
    Sizes received(static_cast<std::size_t>(members), 1);
    // Everybody sends what is left to the root.
    sent[static_cast<std::size_t>(root)] += members;
    if (position == root) received.assign(received.size(), 1 + members);
    out.push_back(all_to_all(x.table, group, sent, received));
    Pairs ring;
    for (std::int64_t i = 0; i < members; ++i) ring.emplace_back(i, (i + 1) % members);
    out.push_back(collective_permute(x.table, group, ring));
    if (members > 1) {
      out.push_back(collective_permute(x.scalar, group, {{0, members - 1}}));
      const std::int64_t next = (position + 1) % members;
      const std::int64_t before = (position + members - 1) % members;
      send(x.table, group, next);
      out.push_back(recv(x.table.shape(), x.table.dtype(), group, before));
      for (const AsyncTensor& arrived :
           batch_send_recv({{x.scalar, before}}, {{{}, x.scalar.dtype(), next}}, group)) {
        out.push_back(arrived);
      }
    }
    return out;
  }
};

Operands operands_on(DType dtype, const Group& group, int rank) {
  const std::vector<Array> arrays = operands(dtype, static_cast<int>(group.size()), rank);
  return {from(arrays[0]), from(arrays[1]), from(arrays[2]), from(arrays[3])};
}

}  // namespace

const char* name_of(RunMode mode) {
  constexpr const char* kNames[] = {"lazy", "eager", "compiled"};
  return kNames[static_cast<int>(mode)];
}

const char* name_of(GroupForm form) {
  constexpr const char* kNames[] = {"world", "list",           "part_of_ranks",   "partition",
                                    "mesh",  "mesh_dimension", "inner_dimension", "split"};
  return kNames[static_cast<int>(form)];
}

bool suits(GroupForm form, int ranks) {
  const bool in_twos = form == GroupForm::partition || form == GroupForm::mesh_dimension ||
                       form == GroupForm::inner_dimension;
  return !in_twos || ranks % 2 == 0;
}

Group sweep_group(GroupForm form, int own, int ranks) {
  std::vector<std::int64_t> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  switch (form) {
    case GroupForm::world:
      return {all, "world"};
    case GroupForm::list:
      std::ranges::rotate(all, all.begin() + 1);
      return all;
    case GroupForm::part_of_ranks:
      if (ranks > 1) all.erase(all.begin());
      return Group(std::move(all), "part");
    case GroupForm::partition: {
      std::vector<std::vector<std::int64_t>> twos;
      for (int rank = 0; rank < ranks; rank += 2) twos.push_back({rank + 1, rank});
      return twos;
    }
    case GroupForm::mesh:
      return DeviceMesh({{"line", ranks}});
    case GroupForm::mesh_dimension:
      return {DeviceMesh({{"outer", 2}, {"inner", ranks / 2}}), "outer"};
    case GroupForm::inner_dimension:
      return DeviceMesh({{"outer", 2}, {"inner", ranks / 2}})["inner"];
    case GroupForm::split:
      std::erase_if(all, [&](std::int64_t rank) { return (rank - own) % 2 != 0; });
      std::ranges::reverse(all);
      return {all, "split"};
  }
  return all;
}

Group sweep_group(World& world, GroupForm form) {
  if (form == GroupForm::world) return world;
  if (form == GroupForm::split) return world.split(world.rank() % 2, -world.rank());
  return sweep_group(form, world.rank(), world.size());
}

Array sweep_operand(DType dtype, const Shape& shape, int rank, int salt) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    Array out(dtype, shape);
    auto elements = out.data<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto number = static_cast<int>(
          (7 * i + 5 * static_cast<std::size_t>(rank) + 3 * static_cast<std::size_t>(salt)) % 11);
      if constexpr (std::is_same_v<T, bool>) {
        elements[i] = number % 2 == 1;
      } else if constexpr (std::is_unsigned_v<T>) {
        elements[i] = static_cast<T>(number);
      } else if constexpr (std::is_integral_v<T>) {
        elements[i] = static_cast<T>(number - 5);
      } else {
        elements[i] = T(static_cast<float>(number) * 0.37F - 1.5F);  // sums round
      }
    }
    return out;
  });
}

SweepResults run_sweep(World& world, DType dtype, GroupForm form, RunMode mode) {
  const Program program{sweep_group(world, form)};
  const Operands x = operands_on(dtype, program.group, world.rank());
  std::vector<AsyncTensor> results;
  world.set_eager(mode == RunMode::eager);
  if (mode == RunMode::compiled) {
    auto compiled = compile(program);
    compiled(x);  // another function runs the second time
    results = compiled(x);
  } else {
    results = program(x);
  }
  // From the last on: the order of waiting is the reader's own affair.
  SweepResults out(results.size());
  for (std::size_t i = results.size(); i-- > 0;) out[i] = results[i].wait().array();
  world.set_eager(false);
  return out;
}

std::vector<SweepResults> interpreted_sweep(int ranks, DType dtype, GroupForm form) {
  std::vector<ir::Graph> graphs;
  std::vector<std::vector<Array>> inputs;
  for (int rank = 0; rank < ranks; ++rank) {
    const Group group = sweep_group(form, rank, ranks);
    inputs.push_back(operands(dtype, static_cast<int>(group.size()), rank));
    std::vector<Tensor> shapes;
    for (const Array& array : inputs.back()) {
      shapes.push_back(abstract(array.shape(), array.dtype()));
    }
    const Lowered lowered = compile(Program{group})
                                .lower({.world = ranks, .rank = rank},
                                       Operands{shapes[0], shapes[1], shapes[2], shapes[3]});
    graphs.push_back(ir::parse(lowered.ir()).functions.at(0));
  }
  std::vector<const ir::Graph*> programs;
  for (const ir::Graph& graph : graphs) programs.push_back(&graph);
  return ir::interpret(programs, inputs);
}

std::string difference(const SweepResults& actual, const SweepResults& expected) {
  if (actual.size() != expected.size()) {
    return std::to_string(actual.size()) + " results instead of " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    std::ostringstream out;
    out << "result " << i << " is " << from(actual[i]) << ", not " << from(expected[i]);
    return out.str();
  }
  return {};
}

}  // namespace tutti::test
