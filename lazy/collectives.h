#pragma once

#include <tutti/lazy/axis.h>
#include <tutti/lazy/operand.h>
#include <tutti/lazy/tree.h>
#include <tutti/lazy/world.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Functional collectives: collective(tensor, group, ...) -> AsyncTensor. They are recorded like
// every op, change nothing, and are issued in the order of the program, on every rank the same.
// Results wait by themselves when used. Messages from rank to rank are in point_to_point.h.
//
// Every collective of a tensor has the same form for a tree (tree.h) of tensors: they are one
// launch for all its tensors of a dtype, and return a tree of tensors.
//
// All take any dtype and shape, except that reductions need numbers (and, or, xor: integers or
// bool), mean floating-point ones, and that an axis must exist; negative axes count from the end.
// Positions and roots are places among the group's members, whose order is that of combination and
// concatenation. A mistake is a TypeError with operand types and your line; ranks that do not agree
// get a CommError at the evaluation.
//
// Where `sizes` are given, parts along the axis are uneven: the members' sizes, in their order, the
// same list on every rank. The results of all_reduce, all_gather and broadcast are known to be the
// same on all ranks, which gradients make use of; all others vary. See docs/semantics.md.
namespace tutti {

enum class Reduce : std::uint8_t { sum, mean, product, min, max, bit_and, bit_or, bit_xor };

using Sizes = std::vector<std::int64_t>;
// Each the position of a source and that of its target.
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// The combination over the group's ranks, element by element, in rank order; the same bits on every
// rank. Gradient: of sum and mean; of min and max (ties share); none of the others.
AsyncTensor all_reduce(const Operand& x, const Group& group, Reduce reduce = Reduce::sum);

// Whose tensors a rank's result of scan_ranks combines: those of the group's members up to its own,
// or with `reverse` from its own on; with `exclusive` without its own.
struct ScanRange {
  bool exclusive = false;
  bool reverse = false;
};

// The running combination over the group's ranks, in rank order, as MPI_Scan and MPI_Exscan: where
// each rank's part of something begins is the exclusive sum of the parts' sizes. Where a rank's
// range is empty the result is what changes nothing: 0 of sums, 1 of products, all bits of
// `bit_and`, of min and max the end of the dtype's numbers (infinity, where it has one). No mean.
// Gradient, of sum: the scan from the other end.
AsyncTensor scan_ranks(const Operand& x, const Group& group, Reduce reduce = Reduce::sum,
                       ScanRange range = {});

// The combination at the root, zeros elsewhere. Gradients exist for what all_reduce has them for:
// that of sum is a broadcast.
AsyncTensor reduce(const Operand& x, const Group& group, Reduce reduce = Reduce::sum,
                   std::int64_t root = 0);

// The ranks' tensors one after another along `axis`; own sizes along it may differ where `sizes`
// says so. Gradient: the own part, or a reduce_scatter.
AsyncTensor all_gather(const Operand& x, const Group& group, Axis axis = 0,
                       const Sizes& sizes = {});

// The same at the root; zeros elsewhere. Gradient: scatter.
AsyncTensor gather(const Operand& x, const Group& group, std::int64_t root = 0, Axis axis = 0,
                   const Sizes& sizes = {});

// The combination over the ranks, of which each rank gets its part along `axis`: equal ones, so the
// group's size must divide it, or those of `sizes`. Gradient, of sum and mean: all_gather.
AsyncTensor reduce_scatter(const Operand& x, const Group& group, Reduce reduce = Reduce::sum,
                           Axis axis = 0, const Sizes& sizes = {});

// The root's tensor, of which each rank gets its part along `axis`, as in reduce_scatter. The
// others pass a tensor of the same shape, which is ignored. Gradient: gather.
AsyncTensor scatter(const Operand& x, const Group& group, std::int64_t root = 0, Axis axis = 0,
                    const Sizes& sizes = {});

// The tensor of the group's rank number `root` (its position in the group). Gradient: to the root.
AsyncTensor broadcast(const Operand& x, const Group& group, std::int64_t root = 0);

// Cuts the tensor along `split_axis` into one part for each member, equal ones, and gives the parts
// that come, one after another along `concat_axis` (without one: `split_axis`). Gradient: the
// all_to_all back.
AsyncTensor all_to_all(const Operand& x, const Group& group, Axis split_axis = 0,
                       std::optional<Axis> concat_axis = std::nullopt);

// The same with uneven parts of one axis: how much goes to each member, and how much comes from
// each. What one rank sends must be what the other receives.
AsyncTensor all_to_all(const Operand& x, const Group& group, const Sizes& send_sizes,
                       const Sizes& receive_sizes, Axis axis = 0);

// The tensor of the member that has this rank as its target in `pairs` (the same on every rank);
// zeros where there is none. No position is a source or a target twice. Gradient: the way back.
AsyncTensor collective_permute(const Operand& x, const Group& group, const Pairs& pairs);

// A reduction of your own: how two elements become one. f gets two tensors of one shape and may do
// elementwise ops only, on them and on C++ numbers; its result has their dtype. Elements are
// combined in the order of the members, f(f(x0, x1), x2), on every rank the same. The ranks must
// mean the same f. Throws TypeError, with the line of its use, for an f that does something else.
// The gradient is that of f.
class ReduceFunction {
 public:
  using Combine = std::function<Tensor(const Tensor&, const Tensor&)>;
  template <class F>
    requires std::is_invocable_r_v<Tensor, F, const Tensor&, const Tensor&>
  ReduceFunction(F f) : combine_(std::move(f)) {}  // NOLINT(google-explicit-constructor)
  const Combine& combine() const { return combine_; }

 private:
  Combine combine_;
};
// As those above; the members' tensors are gathered, and each rank combines what it needs.
AsyncTensor all_reduce(const Operand& x, const Group& group, const ReduceFunction& f);
AsyncTensor reduce(const Operand& x, const Group& group, const ReduceFunction& f,
                   std::int64_t root = 0);
AsyncTensor reduce_scatter(const Operand& x, const Group& group, const ReduceFunction& f,
                           Axis axis = 0);

// Returns when every rank of the group has come here; evaluates what was recorded before.
void barrier(const Group& group, std::source_location at = std::source_location::current());

// This rank's position in the group, as a value of the program (i64 scalar).
Tensor rank_index(const Group& group, std::source_location at = std::source_location::current());

namespace detail {

using Tensors = std::vector<Tensor>;
using AsyncTensors = std::vector<AsyncTensor>;

AsyncTensors all_reduce(const Tensors& x, const Group& group, Reduce reduce, Location where);
AsyncTensors scan_ranks(const Tensors& x, const Group& group, Reduce reduce, ScanRange range,
                        Location where);
AsyncTensors reduce(const Tensors& x, const Group& group, Reduce reduce, std::int64_t root,
                    Location where);
AsyncTensors all_gather(const Tensors& x, const Group& group, Axis axis, const Sizes& sizes,
                        Location where);
AsyncTensors gather(const Tensors& x, const Group& group, std::int64_t root, Axis axis,
                    const Sizes& sizes, Location where);
AsyncTensors reduce_scatter(const Tensors& x, const Group& group, Reduce reduce, Axis axis,
                            const Sizes& sizes, Location where);
AsyncTensors scatter(const Tensors& x, const Group& group, std::int64_t root, Axis axis,
                     const Sizes& sizes, Location where);
AsyncTensors broadcast(const Tensors& x, const Group& group, std::int64_t root, Location where);
AsyncTensors all_to_all(const Tensors& x, const Group& group, Axis split_axis,
                        std::optional<Axis> concat_axis, Location where);
AsyncTensors all_to_all(const Tensors& x, const Group& group, const Sizes& send_sizes,
                        const Sizes& receive_sizes, Axis axis, Location where);
AsyncTensors collective_permute(const Tensors& x, const Group& group, const Pairs& pairs,
                                Location where);
// Throws UsageError that names the first leaf that differs, and two ranks.
Tensors mark_replicated(TreeRef tree, const Group& group, Location where);

template <class T>
concept TensorTree = !std::convertible_to<const T&, Operand>;

// The tree with f(its tensors) for its tensors; where it holds Tensors, they wait.
template <class T, class F>
T map_list(const T& tree, std::source_location at, F&& f) {
  const AsyncTensors results = f(waited_tensors_of(tree_ref(tree), at));
  T out = tree;
  set_tensors(tree_ref(out), results, at);
  return out;
}

}  // namespace detail

template <detail::TensorTree T>
T all_reduce(const T& tree, const Group& group, Reduce reduce = Reduce::sum,
             std::source_location at = std::source_location::current()) {
  return detail::map_list(tree, at,
                          [&](const auto& x) { return detail::all_reduce(x, group, reduce, at); });
}

template <detail::TensorTree T>
T scan_ranks(const T& tree, const Group& group, Reduce reduce = Reduce::sum, ScanRange range = {},
             std::source_location at = std::source_location::current()) {
  return detail::map_list(
      tree, at, [&](const auto& x) { return detail::scan_ranks(x, group, reduce, range, at); });
}

template <detail::TensorTree T>
T reduce(const T& tree, const Group& group, Reduce reduce = Reduce::sum, std::int64_t root = 0,
         std::source_location at = std::source_location::current()) {
  return detail::map_list(
      tree, at, [&](const auto& x) { return detail::reduce(x, group, reduce, root, at); });
}

template <detail::TensorTree T>
T all_gather(const T& tree, const Group& group, Axis axis = 0, const Sizes& sizes = {},
             std::source_location at = std::source_location::current()) {
  return detail::map_list(
      tree, at, [&](const auto& x) { return detail::all_gather(x, group, axis, sizes, at); });
}

template <detail::TensorTree T>
T gather(const T& tree, const Group& group, std::int64_t root = 0, Axis axis = 0,
         const Sizes& sizes = {}, std::source_location at = std::source_location::current()) {
  return detail::map_list(
      tree, at, [&](const auto& x) { return detail::gather(x, group, root, axis, sizes, at); });
}

template <detail::TensorTree T>
T reduce_scatter(const T& tree, const Group& group, Reduce reduce = Reduce::sum, Axis axis = 0,
                 const Sizes& sizes = {},
                 std::source_location at = std::source_location::current()) {
  return detail::map_list(tree, at, [&](const auto& x) {
    return detail::reduce_scatter(x, group, reduce, axis, sizes, at);
  });
}

template <detail::TensorTree T>
T scatter(const T& tree, const Group& group, std::int64_t root = 0, Axis axis = 0,
          const Sizes& sizes = {}, std::source_location at = std::source_location::current()) {
  return detail::map_list(
      tree, at, [&](const auto& x) { return detail::scatter(x, group, root, axis, sizes, at); });
}

template <detail::TensorTree T>
T broadcast(const T& tree, const Group& group, std::int64_t root = 0,
            std::source_location at = std::source_location::current()) {
  return detail::map_list(tree, at,
                          [&](const auto& x) { return detail::broadcast(x, group, root, at); });
}

template <detail::TensorTree T>
T all_to_all(const T& tree, const Group& group, Axis split_axis = 0,
             std::optional<Axis> concat_axis = std::nullopt,
             std::source_location at = std::source_location::current()) {
  return detail::map_list(tree, at, [&](const auto& x) {
    return detail::all_to_all(x, group, split_axis, concat_axis, at);
  });
}

template <detail::TensorTree T>
T all_to_all(const T& tree, const Group& group, const Sizes& send_sizes, const Sizes& receive_sizes,
             Axis axis = 0, std::source_location at = std::source_location::current()) {
  return detail::map_list(tree, at, [&](const auto& x) {
    return detail::all_to_all(x, group, send_sizes, receive_sizes, axis, at);
  });
}

template <detail::TensorTree T>
T collective_permute(const T& tree, const Group& group, const Pairs& pairs,
                     std::source_location at = std::source_location::current()) {
  return detail::map_list(
      tree, at, [&](const auto& x) { return detail::collective_permute(x, group, pairs, at); });
}

// The tree, marked as holding the same values on every rank of the group (the World, or dimensions
// of the program's mesh), which is checked once (by hash, together on all its ranks): gradients
// with respect to it are then summed over those ranks by themselves. What it is known to be
// replicated over already stays.
template <class T>
T replicated(const T& tree, const Group& group,
             std::source_location at = std::source_location::current()) {
  T out = tree;
  detail::set_tensors(detail::tree_ref(out),
                      detail::mark_replicated(detail::tree_ref(tree), group, at));
  return out;
}

}  // namespace tutti
