#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/rules.h>
#include <tutti/ir/stablehlo/share.h>

#include <algorithm>

namespace tutti::ir::stablehlo {

namespace {

// What the groups of an operation with a channel hold; without one they hold replicas.
enum class WithChannel : std::uint8_t {
  devices,     // replicas and partitions, if use_global_device_ids says so
  partitions,  // always
};

// Refuses groups that do not hold this program's ranks.
void check_what_groups_hold(Step& step, WithChannel with_channel) {
  if (step.translator.ranks() == 1) return;
  const bool devices = with_channel == WithChannel::devices;
  const Attribute* const channel = step.find("channel_handle");
  const Attribute* const handle = channel == nullptr ? nullptr : channel->find("handle");
  const bool has_channel = handle != nullptr && handle->integer > 0;
  if (step.translator.ranks_are_replicas()) {
    if (devices || !has_channel) return;
    step.fail("with a channel its groups are of partitions, but the ranks are replicas");
  }
  if (has_channel && (!devices || step.flag("use_global_device_ids"))) return;
  step.fail("without " + std::string(has_channel ? "use_global_device_ids" : "a channel") +
            " its groups are of replicas, but the ranks are partitions");
}

// replica_groups = dense<[[0, 2], [1, 3]]>: one row a group, padded with -1 if they differ in size,
// which the IR's groups can't.
GroupPtr replica_group(Step& step, WithChannel with_channel) {
  check_what_groups_hold(step, with_channel);
  const Attribute* const groups = step.find("replica_groups");
  if (groups == nullptr || groups->kind != Attribute::Kind::array || groups->shape.rank() != 2) {
    step.fail("expected replica_groups = dense<[[0, 1], ...]>");
  }
  List ranks = step.integers_of(*groups);
  if (ranks.empty()) return step.translator.everyone();
  for (const std::int64_t rank : ranks) {
    if (rank == -1) step.fail("replica_groups of different sizes are not supported");
    if (rank < 0 || rank >= step.translator.ranks()) {
      step.fail("replica_groups name rank " + std::to_string(rank) + " of " +
                std::to_string(step.translator.ranks()));
    }
  }
  GroupPtr group = group_of(step.translator, std::move(ranks), groups->shape[1]);
  check_group(*group);
  return group;
}

std::string reduction_name(Step& step, DType dtype) {
  constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"add", "sum"},     {"multiply", "product"}, {"minimum", "min"},
      {"maximum", "max"}, {"and", "and"},          {"or", "or"},
      {"xor", "xor"},
  };
  constexpr std::pair<std::string_view, const char*> kTruths[] = {
      {"add", "or"}, {"maximum", "or"}, {"multiply", "and"}, {"minimum", "and"}};
  if (step.operation.regions.size() != 1) step.fail("expected a region");
  const std::string_view name = step.combination(0);
  if (dtype == DType::boolean) {
    for (const auto& [mlir, own] : kTruths) {
      if (mlir == name) return own;
    }
  }
  for (const auto& [mlir, own] : kNames) {
    if (mlir == name) return own;
  }
  step.fail("a region of another form than one add, multiply, minimum, maximum, and, or, xor");
}

// One collective for all operands of a dtype; results in their order.
void collective(Step& step, Op op, const std::vector<Term>& operands,
                const std::vector<ir::Attribute>& attributes) {
  for (const Term& operand : operands) {
    const Value started = step.builder().add(op, {operand.value()}, attributes);
    step.result(Term(&step.builder(), step.builder().add(Op::wait, {started})));
  }
}

void all_reduce(Step& step) {
  const std::vector<Term> operands = step.operands();
  if (operands.empty()) step.fail("expected operands");
  const std::string name = reduction_name(step, operands[0].dtype());
  collective(step, Op::all_reduce, operands, {name, replica_group(step, WithChannel::devices)});
}

void all_gather(Step& step) {
  collective(step, Op::all_gather, step.operands(),
             {step.integer("all_gather_dim"), replica_group(step, WithChannel::devices)});
}

void reduce_scatter(Step& step) {
  const std::string name = reduction_name(step, step.operand(0).dtype());
  collective(step, Op::reduce_scatter, step.operands(),
             {name, step.integer("scatter_dimension"), replica_group(step, WithChannel::devices)});
}

// Cut along one axis, put together along another.
void all_to_all(Step& step) {
  const GroupPtr group = replica_group(step, WithChannel::partitions);
  const std::int64_t split = step.integer("split_dimension");
  const std::int64_t joined = step.integer("concat_dimension");
  const std::int64_t count = step.integer("split_count");
  if (count != group->size()) step.fail("split_count must be the size of the groups");
  for (const Term& operand : step.operands()) {
    const int rank = operand.shape().rank();
    if (split < 0 || split >= rank || joined < 0 || joined >= rank) {
      step.fail("a dimension that the operand does not have");
    }
    const Value started = step.builder().add(Op::all_to_all, {operand.value()}, {split, group});
    Term out(&step.builder(), step.builder().add(Op::wait, {started}));
    if (split != joined) {
      // [..., count * part, ...] with the members' parts in front of the axis that they belong to.
      List sizes = sizes_of(out.shape());
      List apart = sizes;
      apart[static_cast<std::size_t>(split)] /= count;
      apart.insert(apart.begin() + split, count);
      List order;
      for (std::int64_t d = 0; d <= rank; ++d) {
        if (d == split) continue;
        const std::int64_t own = d > split ? d - 1 : d;  // its number in the operand
        if (own == joined) order.push_back(split);
        order.push_back(d);
      }
      sizes[static_cast<std::size_t>(split)] /= count;
      sizes[static_cast<std::size_t>(joined)] *= count;
      out = reshape(transposed(reshape(out, Shape(apart)), order), Shape(sizes));
    }
    step.result(out);
  }
}

// Pairs are of ranks, and all ranks are one group.
void collective_permute(Step& step) {
  check_what_groups_hold(step, WithChannel::partitions);
  const List pairs = step.integers("source_target_pairs");
  collective(step, Op::collective_permute, step.operands(), {pairs, step.translator.everyone()});
}

// The first of each group has what all get.
void collective_broadcast(Step& step) {
  collective(step, Op::broadcast, step.operands(),
             {std::int64_t{0}, replica_group(step, WithChannel::partitions)});
}

// The number of this rank among replicas or partitions; 0 where there is one.
void rank_number(Step& step, bool of_replicas) {
  if (step.translator.ranks() == 1 || of_replicas != step.translator.ranks_are_replicas()) {
    step.result(step.scalar(step.dtype(), 0));
    return;
  }
  const Value index =
      step.builder().add(Op::rank_index, std::span<const Value>(), {step.translator.everyone()});
  step.result(cast(Term(&step.builder(), index), step.dtype()));
}

constexpr Rule kCollectiveRules[] = {
    {"stablehlo.all_gather", all_gather},
    {"stablehlo.all_reduce", all_reduce},
    {"stablehlo.all_to_all", all_to_all},
    {"stablehlo.collective_broadcast", collective_broadcast},
    {"stablehlo.collective_permute", collective_permute},
    {"stablehlo.partition_id", [](Step& step) { rank_number(step, false); }},
    {"stablehlo.reduce_scatter", reduce_scatter},
    {"stablehlo.replica_id", [](Step& step) { rank_number(step, true); }},
};

}  // namespace

std::span<const Rule> collective_rules() { return kCollectiveRules; }

}  // namespace tutti::ir::stablehlo
