#pragma once

#include <tutti/lazy/operand.h>
#include <tutti/lazy/tree.h>
#include <tutti/lazy/world.h>

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

// Functional collectives: collective(tensor, ..., group) -> AsyncTensor. They are recorded like
// every op, change nothing, and are issued in the order of the program, on every rank the same.
// Results wait by themselves when used. Given a tree, they are one launch for all its tensors and
// return a tree.
//
// A collective's result is known to be the same on all ranks (all_reduce, all_gather, broadcast),
// which gradients make use of; see docs/semantics.md.
namespace tutti {

enum class Reduce : std::uint8_t { sum, mean, product, min, max, bit_and, bit_or, bit_xor };

// The combination over the group's ranks, element by element, in rank order; the same bits on every
// rank. Gradient: of sum and mean; of min and max (ties share); none of the others.
AsyncTensor all_reduce(const Operand& x, const Group& group, Reduce reduce = Reduce::sum);

// The ranks' tensors one after another along `axis`.
AsyncTensor all_gather(const Operand& x, const Group& group, std::int64_t axis = 0);

// The combination over the ranks, of which each rank gets its part along `axis`; the group's size
// must divide it.
AsyncTensor reduce_scatter(const Operand& x, const Group& group, Reduce reduce = Reduce::sum,
                           std::int64_t axis = 0);

// The tensor of the group's rank number `root` (its position in the group).
AsyncTensor broadcast(const Operand& x, const Group& group, std::int64_t root = 0);

// Returns when every rank of the group has come here; evaluates what was recorded before.
void barrier(const Group& group, std::source_location at = std::source_location::current());

namespace detail {
std::vector<Tensor> all_reduce_list(const std::vector<Tensor>& tensors, const Group& group,
                                    Reduce reduce, Location where);
std::vector<Tensor> mark_replicated(const std::vector<Tensor>& tensors, const World& world,
                                    Location where);
}  // namespace detail

// All tensors of a tree; those of one dtype share a launch.
template <class T>
  requires(!std::convertible_to<const T&, Operand>)
T all_reduce(const T& tree, const Group& group, Reduce reduce = Reduce::sum,
             std::source_location at = std::source_location::current()) {
  std::vector<Tensor> tensors;
  for_each_leaf(tree, [&](const auto& leaf) { tensors.push_back(leaf); });
  tensors = detail::all_reduce_list(tensors, group, reduce, at);
  T out = tree;
  std::size_t next = 0;
  for_each_leaf(out, [&](auto& leaf) { leaf = tensors[next++]; });
  return out;
}

// The tree, marked as holding the same values on every rank, which is checked once (by hash,
// together on all ranks): gradients with respect to it are then summed over the ranks by
// themselves.
template <class T>
T replicated(const T& tree, const World& world,
             std::source_location at = std::source_location::current()) {
  std::vector<Tensor> tensors;
  for_each_leaf(tree, [&](const auto& leaf) { tensors.push_back(leaf); });
  tensors = detail::mark_replicated(tensors, world, at);
  T out = tree;
  std::size_t next = 0;
  for_each_leaf(out, [&](auto& leaf) { leaf = tensors[next++]; });
  return out;
}

// This rank's position in the group, as a value of the program (i64 scalar).
Tensor rank_index(const Group& group, std::source_location at = std::source_location::current());

}  // namespace tutti
