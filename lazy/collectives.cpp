#include <tutti/kernels/host/collective_kinds.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/trace.h>

#include <atomic>
#include <cstring>
#include <iostream>
#include <map>

namespace tutti {

namespace {

using detail::RankContext;
using detail::StatePtr;
using ir::Op;

std::string reduce_name(Reduce reduce) {
  return std::string(name_of(static_cast<kernels::Reduction>(reduce)));
}
static_assert(static_cast<int>(Reduce::bit_xor) == static_cast<int>(kernels::Reduction::bit_xor));

// Summing what every rank already has in common is usually a mistake: said once.
void warn_if_replicated(const StatePtr& state, const Group& group, Location where) {
  static std::atomic<bool> warned = false;
  const auto& mesh = RankContext::current().mesh();
  if (mesh == nullptr || mesh->ranks() == 1 || warned) return;
  const std::uint8_t spanned = ir::dimensions_of(*group.data(), *mesh);
  const ir::Replication replication = state->type.replication;
  if (spanned == 0 || replication.literal || (replication.dimensions & spanned) != spanned) return;
  if (warned.exchange(true)) return;
  std::cerr << "tutti: warning: " << where.text()
            << ": all_reduce of a tensor that is already the same on all ranks (made at "
            << state->where.text() << "); each rank's copy counts\n";
}

AsyncTensor collective(Op op, const Operand& x, std::vector<ir::Attribute> attributes) {
  return AsyncTensor(detail::record(op, {x.tensor().state()}, std::move(attributes), x.where()));
}

std::int64_t normal_axis(std::string_view op, const Tensor& x, std::int64_t axis, Location where) {
  const std::int64_t out = axis < 0 ? axis + x.rank() : axis;
  if (out < 0 || out >= x.rank()) {
    throw TypeError(std::string(op) + ": axis " + std::to_string(axis) + " of a tensor of rank " +
                        std::to_string(x.rank()),
                    where);
  }
  return out;
}

std::uint64_t hash_data(const StatePtr& state, std::uint64_t before) {
  Hasher hasher;
  ir::hash_type(hasher, {.dtype = state->type.dtype, .shape = state->type.shape});
  hasher.add(before).add(std::string_view(reinterpret_cast<const char*>(state->buffer->data()),
                                          static_cast<std::size_t>(state->type.bytes())));
  return hasher.finish().low;
}

}  // namespace

AsyncTensor all_reduce(const Operand& x, const Group& group, Reduce reduce) {
  const Tensor t = x.tensor();
  warn_if_replicated(t.state(), group, x.where());
  return AsyncTensor(
      detail::record(Op::all_reduce, {t.state()}, {reduce_name(reduce), group.data()}, x.where()));
}

AsyncTensor all_gather(const Operand& x, const Group& group, std::int64_t axis) {
  const Tensor t = x.tensor();
  return collective(Op::all_gather, Operand(t, x.where()),
                    {normal_axis("all_gather", t, axis, x.where()), group.data()});
}

AsyncTensor reduce_scatter(const Operand& x, const Group& group, Reduce reduce, std::int64_t axis) {
  const Tensor t = x.tensor();
  return collective(
      Op::reduce_scatter, Operand(t, x.where()),
      {reduce_name(reduce), normal_axis("reduce_scatter", t, axis, x.where()), group.data()});
}

AsyncTensor broadcast(const Operand& x, const Group& group, std::int64_t root) {
  return collective(Op::broadcast, x, {root, group.data()});
}

void barrier(const Group& group, std::source_location at) {
  RankContext& context = RankContext::current();
  context.record(Op::barrier, {}, {group.data()}, at);
  if (!context.compiling()) context.flush();
}

Tensor rank_index(const Group& group, std::source_location at) {
  return Tensor(detail::record(Op::rank_index, {}, {group.data()}, at));
}

namespace detail {

std::vector<Tensor> all_reduce_list(const std::vector<Tensor>& tensors, const Group& group,
                                    Reduce reduce, Location where) {
  std::map<DType, std::vector<std::size_t>> by_dtype;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    warn_if_replicated(tensors[i].state(), group, where);
    by_dtype[tensors[i].dtype()].push_back(i);
  }
  std::vector<Tensor> out(tensors.size());
  for (const auto& [dtype, positions] : by_dtype) {
    std::vector<StatePtr> operands;
    for (const std::size_t i : positions) operands.push_back(tensors[i].state());
    const std::vector<StatePtr> results = RankContext::current().record(
        Op::all_reduce, operands, {reduce_name(reduce), group.data()}, where);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      out[positions[i]] = AsyncTensor(results[i]).wait();
    }
  }
  return out;
}

std::vector<Tensor> mark_replicated(const std::vector<Tensor>& tensors, const World& world,
                                    Location where) {
  RankContext& context = *world.context();
  if (&context != &RankContext::current()) {
    throw UsageError("replicated(): this thread does not record for the given World", where);
  }
  if (context.compiling()) {
    throw UsageError(
        "replicated() checks data, which there is none of while a function is being "
        "compiled; mark the tree outside",
        where);
  }
  for (const Tensor& tensor : tensors) context.check_owner(*tensor.state(), where);
  eval(std::span<const Tensor>(tensors));
  std::uint64_t hash = tensors.size();
  for (const Tensor& tensor : tensors) hash = hash_data(tensor.state(), hash);
  const Group group(world);
  const Tensor own = from(Array::scalar(hash));
  const auto lowest = all_reduce(Operand(own, where), group, Reduce::min).item<std::uint64_t>();
  const auto highest = all_reduce(Operand(own, where), group, Reduce::max).item<std::uint64_t>();
  if (lowest != highest) {
    throw UsageError(
        "replicated(): the ranks hold different values; make them the same first, from one "
        "key or with broadcast",
        where);
  }
  std::vector<Tensor> out;
  for (const Tensor& tensor : tensors) {
    ir::Type type = tensor.state()->type;
    type.replication = {.dimensions = ir::dimensions_of(*group.data(), *context.mesh()),
                        .literal = false};
    out.push_back(Tensor(context.leaf(type, tensor.state()->buffer, where)));
  }
  return out;
}

}  // namespace detail

}  // namespace tutti
