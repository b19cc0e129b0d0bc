// Reductions from a user's expression: gather, then combine.

#include <tutti/ir/support/error.h>
#include <tutti/lazy/axes.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/joined_axes.h>
#include <tutti/lazy/ops.h>

namespace tutti {

namespace {

using detail::RankContext;
using Combine = ReduceFunction::Combine;

// Throws TypeError unless f makes a scalar of the dtype out of two, elementwise.
void check_elementwise(const Combine& f, DType dtype, Device device, Location where) {
  if (f == nullptr) throw UsageError("a reduction of no function", where);
  RankContext& context = RankContext::current();
  detail::Trace trial(detail::Trace::Kind::compiled, context.id(), context.mesh(),
                      context.default_device());
  const detail::Tracing tracing(context, trial);
  const ir::Type type{
      .dtype = dtype, .shape = {}, .replication = {}, .async = false, .device = device};
  const Tensor x(trial.handle(trial.add_formal("x", type, where), where));
  const Tensor y(trial.handle(trial.add_formal("y", type, where), where));
  const Tensor result = f(x, y);
  if (result.dtype() != dtype || result.rank() != 0) {
    throw TypeError("a reduction of " + std::string(name_of(dtype)) + " elements gives " +
                        result.state(where)->type.text(),
                    where);
  }
  const ir::Graph& graph = trial.graph();
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::Definition& entry = ir::definition(graph.node(id).op);
    const bool allowed =
        entry.kind == ir::OpClass::parameter || entry.kind == ir::OpClass::elementwise ||
        entry.kind == ir::OpClass::make || graph.node(id).op == ir::Op::cast ||
        graph.node(id).op == ir::Op::bitcast || graph.node(id).op == ir::Op::broadcast_to ||
        graph.node(id).op == ir::Op::to_device;
    if (allowed) continue;
    throw TypeError(
        "a reduction combines element by element; it can't use " + std::string(entry.name), where);
  }
}

// Part i along the first axis, without it.
Tensor part(const Tensor& x, std::int64_t i, Location where) {
  return squeeze(Operand(slice(Operand(x, where), {{.start = i, .stop = i + 1}}), where), 0);
}

// The parts along the first axis, combined in their order.
AsyncTensor combined(const AsyncTensor& parts, const Combine& f, std::int64_t members,
                     Location where) {
  return parts.then(
      [=](const Tensor& gathered) {
        Tensor out = part(gathered, 0, where);
        for (std::int64_t i = 1; i < members; ++i) out = f(out, part(gathered, i, where));
        return out;
      },
      where);
}

Operand with_new_axis(const Tensor& x, Location where) {
  return {expand_dims(Operand(x, where), {0}), where};
}

// What was computed of a tensor with joined axes.
AsyncTensor in_shape(const AsyncTensor& x, const Shape& shape, Location where) {
  return x.then([=](const Tensor& joined) { return reshape(Operand(joined, where), shape); },
                where);
}

}  // namespace

AsyncTensor all_reduce(const Operand& x, const Group& group, const ReduceFunction& f) {
  const Tensor t = x.tensor();
  if (detail::has_most_axes(t)) {
    const detail::JoinedAxes narrow(t, {}, x.where());
    return in_shape(all_reduce(Operand(narrow.tensor, x.where()), group, f), t.shape(), x.where());
  }
  check_elementwise(f.combine(), t.dtype(), t.device(), x.where());
  const AsyncTensor parts = all_gather(with_new_axis(t, x.where()), group);
  return combined(parts, f.combine(), group.size(), x.where());
}

AsyncTensor reduce(const Operand& x, const Group& group, const ReduceFunction& f,
                   std::int64_t root) {
  const Tensor t = x.tensor();
  if (detail::has_most_axes(t)) {
    const detail::JoinedAxes narrow(t, {}, x.where());
    return in_shape(reduce(Operand(narrow.tensor, x.where()), group, f, root), t.shape(),
                    x.where());
  }
  check_elementwise(f.combine(), t.dtype(), t.device(), x.where());
  const AsyncTensor parts = gather(with_new_axis(t, x.where()), group, root);
  if (group.position() == root) return combined(parts, f.combine(), group.size(), x.where());
  return parts.then([where = x.where()](const Tensor& zeros) { return part(zeros, 0, where); },
                    x.where());
}

AsyncTensor reduce_scatter(const Operand& x, const Group& group, const ReduceFunction& f,
                           Axis axis) {
  const Tensor t = x.tensor();
  const Location where = x.where();
  check_elementwise(f.combine(), t.dtype(), t.device(), where);
  const std::int64_t along = detail::normal_axis("reduce_scatter", axis, t, where);
  const std::int64_t members = group.size();
  const std::int64_t size = t.shape()[static_cast<int>(along)];
  if (size % members != 0) {
    throw TypeError("reduce_scatter: " + std::to_string(members) + " members do not divide axis " +
                        std::to_string(along) + " of " + t.state()->type.text(),
                    where);
  }
  std::vector<std::int64_t> cut(t.shape().begin(), t.shape().end());
  cut[static_cast<std::size_t>(along)] /= members;
  if (detail::has_most_axes(t)) {
    const detail::JoinedAxes narrow(t, {along}, where);
    return in_shape(reduce_scatter(Operand(narrow.tensor, where), group, f, narrow.axis(along)),
                    Shape(cut), where);
  }
  cut.insert(cut.begin() + along, members);
  std::vector<std::int64_t> order = {along};
  for (std::int64_t d = 0; d < std::ssize(cut); ++d) {
    if (d != along) order.push_back(d);
  }
  const Tensor apart = transpose(Operand(reshape(Operand(t, where), cut), where), order);
  return combined(all_to_all(Operand(apart, where), group), f.combine(), members, where);
}

}  // namespace tutti
