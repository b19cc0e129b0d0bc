#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/distributed_strategy.h>
#include <tutti/lazy/redistribute.h>

#include <algorithm>
#include <compare>

namespace tutti::detail {

namespace {

// Elements that a rank sends to place a tensor otherwise along one dimension, about.
double cost_of_moving(const DistributedTensor& x, std::size_t dimension, const Placement& to) {
  const Placement& from = x.placements()[dimension];
  if (from == to || from.is_replicate()) return 0;
  const auto ranks = static_cast<double>(x.layout().on->ranks(dimension));
  const double all = static_cast<double>(x.shape().elements()) * (ranks - 1) / ranks;
  if (from.is_partial()) return to.is_shard() ? all : 2 * all;
  return to.is_shard() ? all / ranks : all;
}

// Whether the strategy is for operands like these.
bool is_meant(const Strategy& strategy, const std::vector<DistributedTensor>& operands,
              std::size_t dimension) {
  bool shards = false;
  bool found = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Placement& wanted = strategy.operands[i];
    const bool same = operands[i].placements()[dimension] == wanted;
    if (wanted.is_partial() && !same) return false;
    shards = shards || wanted.is_shard();
    found = found || (wanted.is_shard() && same);
  }
  return found || !shards;
}

// What counts in turn: what is sent at all; how many operands change.
struct Price {
  double sent = 0;
  int changed = 0;
  friend auto operator<=>(const Price&, const Price&) = default;
};

Price price_of(const Strategy& strategy, const DistributedOp& op, std::size_t dimension) {
  Price price;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    price.sent += cost_of_moving(op.operands[i], dimension, strategy.operands[i]);
    price.changed += op.operands[i].placements()[dimension] == strategy.operands[i] ? 0 : 1;
  }
  // If something is moved anyway: a partial sum has to be added up later.
  if (price.sent > 0 && strategy.result.is_partial()) {
    price.sent += static_cast<double>(op.shape.elements());
  }
  return price;
}

}  // namespace

std::string DistributedOp::text() const {
  std::string out = std::string(name) + " of ";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    out += (i == 0 ? "" : " and ") + operands[i].text();
  }
  return out;
}

Placed place(const DistributedOp& op) {
  for (const DistributedTensor& operand : op.operands) {
    if (operand.mesh() == op.operands[0].mesh()) continue;
    throw TypeError(op.text() + ": the operands lie on different meshes", op.at);
  }
  const Strategy replicated = {.operands = std::vector<Placement>(op.operands.size(), Replicate()),
                               .result = Replicate()};
  std::vector<const Strategy*> chosen;
  for (std::size_t d = 0; d < op.operands[0].placements().size(); ++d) {
    const Strategy* best = &replicated;
    Price least = price_of(replicated, op, d);
    for (const Strategy& strategy : op.strategies) {
      if (!is_meant(strategy, op.operands, d)) continue;
      const Price price = price_of(strategy, op, d);
      if (price >= least) continue;
      best = &strategy;
      least = price;
    }
    chosen.push_back(best);
  }
  Placed out;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    Placements wanted;
    for (const Strategy* strategy : chosen) wanted.push_back(strategy->operands[i]);
    out.operands.push_back(op.operands[i].redistribute(wanted, op.at));
  }
  for (const Strategy* strategy : chosen) out.result.push_back(strategy->result);
  return out;
}

DistributedTensor finish(const DistributedOp& op, const Tensor& local, const Placements& placements,
                         const MeshGroupsPtr& on) {
  LayoutPtr layout = Layout::make(on, placements, op.shape, op.at);
  if (local.shape() != layout->local_shape()) {
    throw TypeError(op.text() + ": the part of this rank is " + local.state()->type.text() +
                        " and should have shape " + layout->local_shape().text(),
                    op.at);
  }
  std::uint8_t varying = 0;
  std::uint8_t same = 0;
  for (std::size_t d = 0; d < on->size(); ++d) {
    (placements[d].is_replicate() ? same : varying) |= on->spanned(d);
  }
  const Tensor typed = vary(local, varying, op.at);
  if ((same & ~typed.state()->type.replication.dimensions) != 0 && !may_be_hidden()) {
    throw TypeError(op.text() + ": the result is to be placed as " + text(placements) +
                        ", but the parts differ between ranks; the function uses something else "
                        "that does",
                    op.at);
  }
  return DistributedTensor(typed, std::move(layout), op.at);
}

DistributedTensor apply_op(const DistributedOp& op, const Compute& compute) {
  const Placed placed = place(op);
  std::vector<Tensor> locals;
  for (const DistributedTensor& operand : placed.operands) locals.push_back(operand.local(op.at));
  return finish(op, compute(locals), placed.result, op.operands[0].layout().on);
}

Shape broadcast_shape(const DistributedOp& op) {
  int rank = 0;
  for (const DistributedTensor& operand : op.operands) rank = std::max(rank, operand.rank(op.at));
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank), 1);
  for (const DistributedTensor& operand : op.operands) {
    const int missing = rank - operand.rank(op.at);
    for (int axis = 0; axis < operand.rank(op.at); ++axis) {
      std::int64_t& size = sizes[static_cast<std::size_t>(axis + missing)];
      const std::int64_t own = operand.shape()[axis];
      if (own == size || own == 1) continue;
      if (size != 1) throw TypeError(op.text() + ": the shapes do not broadcast", op.at);
      size = own;
    }
  }
  return Shape(sizes);
}

std::int64_t axis_in(const Shape& operand, const Shape& result, std::int64_t axis) {
  const std::int64_t own = axis - (result.rank() - operand.rank());
  if (own < 0) return -1;
  return operand[static_cast<int>(own)] == result[static_cast<int>(axis)] ? own : -1;
}

Placement shard_or_replicate(std::int64_t axis) {
  if (axis < 0) return Replicate();
  return Shard(axis);
}

}  // namespace tutti::detail
