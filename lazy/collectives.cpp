#include <tutti/lazy/axes.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/joined_axes.h>
#include <tutti/lazy/record_collective.h>

#include <atomic>
#include <cstring>
#include <iostream>
#include <map>

namespace tutti {

namespace {

using detail::AsyncTensors;
using detail::RankContext;
using detail::reduce_name;
using detail::StatePtr;
using detail::Tensors;
using ir::Op;

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

std::int64_t axis_of(Op op, const Tensor& x, Axis axis, Location where) {
  return detail::normal_axis(name_of(op), axis, x, where);
}

// Records a launch for the tensors of each key. `key` gives, beside dtype and device, what tensors
// of one launch must have in common (the axis, counted from the front), and `attributes(key)` the
// node's.
template <class Key, class Make>
AsyncTensors record_lists(Op op, const Tensors& x, Location where, Key&& key, Make&& attributes) {
  std::map<std::tuple<DType, std::int64_t, std::size_t>, std::vector<std::size_t>> launches;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t device = std::hash<Device>()(x[i].device());
    launches[{x[i].dtype(), key(x[i]), device}].push_back(i);
  }
  AsyncTensors out(x.size());
  for (const auto& [common, places] : launches) {
    std::vector<StatePtr> operands;
    for (const std::size_t i : places) operands.push_back(x[i].state());
    const std::vector<StatePtr> results =
        detail::record_collective(op, operands, attributes(std::get<1>(common)), where);
    for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = AsyncTensor(results[i]);
  }
  return out;
}

// The same for ops without an axis.
AsyncTensors record_lists(Op op, const Tensors& x, Location where,
                          const std::vector<ir::Attribute>& attributes) {
  return record_lists(
      op, x, where, [](const Tensor&) { return std::int64_t{0}; },
      [&](std::int64_t) { return attributes; });
}

// And for those with one; `attributes(axis)`.
template <class Make>
AsyncTensors record_along(Op op, const Tensors& x, Axis axis, Location where, Make&& attributes) {
  return record_lists(
      op, x, where, [&](const Tensor& tensor) { return axis_of(op, tensor, axis, where); },
      attributes);
}

// This rank's own of the members' sizes; -1 where there are none, or where record() will complain.
std::int64_t own_part(const Sizes& sizes, const Group& group) {
  const std::int64_t position = group.data()->position_of(RankContext::current().runtime().rank());
  if (position < 0 || position >= std::ssize(sizes)) return -1;
  return sizes[static_cast<std::size_t>(position)];
}

// Moves the parts that an all_to_all has put one after another along `split` to `concat`.
Tensor move_parts(const Tensor& x, std::int64_t members, std::int64_t split, std::int64_t concat,
                  Location where) {
  const Shape& shape = x.shape();
  std::vector<std::int64_t> parts(shape.begin(), shape.end());
  parts[static_cast<std::size_t>(split)] /= members;
  std::vector<std::int64_t> sizes = parts;
  sizes[static_cast<std::size_t>(concat)] *= members;
  if (detail::has_most_axes(x)) {
    const detail::JoinedAxes narrow(x, {split, concat}, where);
    const Tensor moved =
        move_parts(narrow.tensor, members, narrow.axis(split), narrow.axis(concat), where);
    return Tensor(detail::record(Op::reshape, {moved.state()}, {sizes}, where));
  }
  parts.insert(parts.begin() + split, members);
  std::vector<std::int64_t> permutation;
  for (std::int64_t d = 0; d < std::ssize(parts); ++d) {
    const std::int64_t axis = d < split ? d : d - 1;  // of x; d == split is the members' own
    if (d == split) continue;
    if (axis == concat) permutation.push_back(split);
    permutation.push_back(d);
  }
  StatePtr state = detail::record(Op::reshape, {x.state()}, {parts}, where);
  state = detail::record(Op::transpose, {state}, {permutation}, where);
  return Tensor(detail::record(Op::reshape, {state}, {sizes}, where));
}

std::uint64_t hash_data(const StatePtr& state, std::uint64_t before) {
  Hasher hasher;
  ir::hash_type(hasher, {.dtype = state->type.dtype, .shape = state->type.shape});
  std::vector<std::byte> copy;
  const std::byte* bytes = state->buffer->data();
  if (!state->type.device.is_cpu()) {
    copy.resize(static_cast<std::size_t>(state->type.bytes()));
    RankContext::current().read(*state, copy);
    bytes = copy.data();
  }
  hasher.add(before).add(std::string_view(reinterpret_cast<const char*>(bytes),
                                          static_cast<std::size_t>(state->type.bytes())));
  return hasher.finish().low;
}

}  // namespace

namespace detail {

AsyncTensors all_reduce(const Tensors& x, const Group& group, Reduce reduce, Location where) {
  for (const Tensor& tensor : x) warn_if_replicated(tensor.state(), group, where);
  return record_lists(Op::all_reduce, x, where, {reduce_name(reduce, where), group.data()});
}

AsyncTensors scan_ranks(const Tensors& x, const Group& group, Reduce reduce, ScanRange range,
                        Location where) {
  return record_lists(Op::scan_ranks, x, where,
                      {reduce_name(reduce, where), group.data(), range.exclusive, range.reverse});
}

AsyncTensors reduce(const Tensors& x, const Group& group, Reduce reduce, std::int64_t root,
                    Location where) {
  return record_lists(Op::reduce, x, where, {reduce_name(reduce, where), root, group.data()});
}

AsyncTensors all_gather(const Tensors& x, const Group& group, Axis axis, const Sizes& sizes,
                        Location where) {
  return record_along(Op::all_gather, x, axis, where, [&](std::int64_t along) {
    return std::vector<ir::Attribute>{along, group.data(), sizes};
  });
}

AsyncTensors gather(const Tensors& x, const Group& group, std::int64_t root, Axis axis,
                    const Sizes& sizes, Location where) {
  return record_along(Op::gather, x, axis, where, [&](std::int64_t along) {
    return std::vector<ir::Attribute>{along, root, group.data(), sizes};
  });
}

AsyncTensors reduce_scatter(const Tensors& x, const Group& group, Reduce reduce, Axis axis,
                            const Sizes& sizes, Location where) {
  const std::int64_t part = own_part(sizes, group);
  return record_along(Op::reduce_scatter, x, axis, where, [&](std::int64_t along) {
    return std::vector<ir::Attribute>{reduce_name(reduce, where), along, group.data(), sizes, part};
  });
}

AsyncTensors scatter(const Tensors& x, const Group& group, std::int64_t root, Axis axis,
                     const Sizes& sizes, Location where) {
  const std::int64_t part = own_part(sizes, group);
  return record_along(Op::scatter, x, axis, where, [&](std::int64_t along) {
    return std::vector<ir::Attribute>{along, root, group.data(), sizes, part};
  });
}

AsyncTensors broadcast(const Tensors& x, const Group& group, std::int64_t root, Location where) {
  return record_lists(Op::broadcast, x, where, {root, group.data()});
}

AsyncTensors all_to_all(const Tensors& x, const Group& group, Axis split_axis,
                        std::optional<Axis> concat_axis, Location where) {
  std::vector<std::int64_t> concat;  // checked before anything is recorded
  for (const Tensor& tensor : x) {
    concat.push_back(axis_of(Op::all_to_all, tensor, concat_axis.value_or(split_axis), where));
  }
  AsyncTensors out = record_along(Op::all_to_all, x, split_axis, where, [&](std::int64_t along) {
    return std::vector<ir::Attribute>{along, group.data()};
  });
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t split = axis_of(Op::all_to_all, x[i], split_axis, where);
    if (concat[i] == split) continue;
    out[i] = out[i].then(
        [=, members = group.size(), target = concat[i]](const Tensor& tensor) {
          return move_parts(tensor, members, split, target, where);
        },
        where);
  }
  return out;
}

AsyncTensors all_to_all(const Tensors& x, const Group& group, const Sizes& send_sizes,
                        const Sizes& receive_sizes, Axis axis, Location where) {
  return record_along(Op::all_to_all, x, axis, where, [&](std::int64_t along) {
    return std::vector<ir::Attribute>{along, group.data(), send_sizes, receive_sizes};
  });
}

AsyncTensors collective_permute(const Tensors& x, const Group& group, const Pairs& pairs,
                                Location where) {
  std::vector<std::int64_t> flat;
  for (const auto& [source, target] : pairs) {
    flat.push_back(source);
    flat.push_back(target);
  }
  return record_lists(Op::collective_permute, x, where, {flat, group.data()});
}

namespace {

// The numbers of each of the group's ranks, in their order; equally many on all.
std::vector<std::uint64_t> of_all_ranks(std::span<const std::uint64_t> own, const Group& group,
                                        Location where) {
  const Array row = Array::from(own, {std::ssize(own)});
  const Tensor numbers(RankContext::current().data(row, Device::cpu(), where));
  return Tensor(all_gather(Tensors{numbers}, group, 0, {}, where)[0]).to_vector<std::uint64_t>();
}

// The first member whose i-th number is not that of the first one; 0: all are.
std::size_t other_member(std::span<const std::uint64_t> numbers, std::size_t each, std::size_t i) {
  for (std::size_t member = 1; member * each < numbers.size(); ++member) {
    if (numbers[member * each + i] != numbers[i]) return member;
  }
  return 0;
}

// Says which leaf differs first and where; all ranks of the group do it together.
[[noreturn]] void refuse_different(TreeRef tree, const Group& group, Location where) {
  const auto leaves = named_tensors_of(tree);
  const std::vector<std::int64_t> ranks = group.ranks();
  const auto between = [&](std::size_t member) {
    return "rank " + std::to_string(ranks[0]) + " and on rank " + std::to_string(ranks[member]);
  };
  const std::uint64_t count = leaves.size();
  const std::vector<std::uint64_t> counts = of_all_ranks(std::span(&count, 1), group, where);
  if (const std::size_t member = other_member(counts, 1, 0); member != 0) {
    throw UsageError("replicated(): the trees on " + between(member) + " hold " +
                         std::to_string(counts[0]) + " and " + std::to_string(counts[member]) +
                         " tensors",
                     where);
  }
  std::vector<std::uint64_t> own;
  for (const auto& [name, tensor] : leaves) own.push_back(hash_data(tensor.state(), 0));
  const std::vector<std::uint64_t> hashes = of_all_ranks(own, group, where);
  std::string first;
  std::size_t more = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::size_t member = other_member(hashes, leaves.size(), i);
    if (member == 0) continue;
    if (!first.empty()) {
      ++more;
      continue;
    }
    const auto& [name, tensor] = leaves[i];
    first = (name.empty() ? "the tensor" : "'" + name + "'") + ", " + tensor.state()->type.text() +
            ", differs on " + between(member);
  }
  if (more > 0) first += ", and " + std::to_string(more) + " more leaves do";
  throw UsageError("replicated(): the ranks hold different values: " + first +
                       "; make them the same first, from one key or with broadcast",
                   where);
}

}  // namespace

std::vector<Tensor> mark_replicated(TreeRef tree, const Group& group, Location where) {
  RankContext& context = RankContext::current();
  const std::vector<Tensor> tensors = tensors_of(tree, where);
  if (context.compiling()) {
    throw UsageError(
        "replicated() checks data, which there is none of while a function is being "
        "compiled; mark the tree outside",
        where);
  }
  const auto& mesh = context.mesh();
  const std::uint8_t dimensions =
      mesh == nullptr ? std::uint8_t{0} : ir::dimensions_of(group.data(), *mesh);
  if (dimensions == 0 && group.size() > 1) {
    throw UsageError("replicated(): group \"" + group.tag() +
                         "\" is not made of whole dimensions of the program's mesh; make a "
                         "DeviceMesh(world, ...) first and use its dimensions",
                     where);
  }
  for (const Tensor& tensor : tensors) {
    detail::check_readable(*tensor.state(where), where);
    context.check_owner(*tensor.state(), where);
  }
  eval(std::span<const Tensor>(tensors));
  // Alone a rank has nothing to compare, and need not read a mapped file.
  if (group.size() > 1 || dimensions == 0) {
    std::uint64_t hash = tensors.size();
    for (const Tensor& tensor : tensors) hash = hash_data(tensor.state(), hash);
    const Tensor own(context.data(Array::scalar(hash), Device::cpu(), where));
    const auto lowest = all_reduce(Operand(own, where), group, Reduce::min).item<std::uint64_t>();
    const auto highest = all_reduce(Operand(own, where), group, Reduce::max).item<std::uint64_t>();
    if (lowest != highest) refuse_different(tree, group, where);
  }
  std::vector<Tensor> out;
  for (const Tensor& tensor : tensors) {
    ir::Type type = tensor.state()->type;
    const std::uint8_t before =
        type.replication.literal ? std::uint8_t{0} : type.replication.dimensions;
    type.replication = {.dimensions = static_cast<std::uint8_t>(before | dimensions),
                        .literal = false};
    context.note_replication(type, where);
    out.emplace_back(context.leaf(type, tensor.state()->buffer, where));
  }
  return out;
}

}  // namespace detail

AsyncTensor all_reduce(const Operand& x, const Group& group, Reduce reduce) {
  return detail::all_reduce({x.tensor()}, group, reduce, x.where())[0];
}

AsyncTensor scan_ranks(const Operand& x, const Group& group, Reduce reduce, ScanRange range) {
  return detail::scan_ranks({x.tensor()}, group, reduce, range, x.where())[0];
}

AsyncTensor reduce(const Operand& x, const Group& group, Reduce reduce, std::int64_t root) {
  return detail::reduce({x.tensor()}, group, reduce, root, x.where())[0];
}

AsyncTensor all_gather(const Operand& x, const Group& group, Axis axis, const Sizes& sizes) {
  return detail::all_gather({x.tensor()}, group, axis, sizes, x.where())[0];
}

AsyncTensor gather(const Operand& x, const Group& group, std::int64_t root, Axis axis,
                   const Sizes& sizes) {
  return detail::gather({x.tensor()}, group, root, axis, sizes, x.where())[0];
}

AsyncTensor reduce_scatter(const Operand& x, const Group& group, Reduce reduce, Axis axis,
                           const Sizes& sizes) {
  return detail::reduce_scatter({x.tensor()}, group, reduce, axis, sizes, x.where())[0];
}

AsyncTensor scatter(const Operand& x, const Group& group, std::int64_t root, Axis axis,
                    const Sizes& sizes) {
  return detail::scatter({x.tensor()}, group, root, axis, sizes, x.where())[0];
}

AsyncTensor broadcast(const Operand& x, const Group& group, std::int64_t root) {
  return detail::broadcast({x.tensor()}, group, root, x.where())[0];
}

AsyncTensor all_to_all(const Operand& x, const Group& group, Axis split_axis,
                       std::optional<Axis> concat_axis) {
  return detail::all_to_all({x.tensor()}, group, split_axis, concat_axis, x.where())[0];
}

AsyncTensor all_to_all(const Operand& x, const Group& group, const Sizes& send_sizes,
                       const Sizes& receive_sizes, Axis axis) {
  return detail::all_to_all({x.tensor()}, group, send_sizes, receive_sizes, axis, x.where())[0];
}

AsyncTensor collective_permute(const Operand& x, const Group& group, const Pairs& pairs) {
  return detail::collective_permute({x.tensor()}, group, pairs, x.where())[0];
}

void barrier(const Group& group, std::source_location at) {
  RankContext& context = RankContext::current();
  context.record(Op::barrier, {}, {group.data()}, at);
  if (!context.compiling()) context.flush();
}

Tensor rank_index(const Group& group, std::source_location at) {
  return Tensor(detail::record(Op::rank_index, {}, {group.data()}, at));
}

}  // namespace tutti
