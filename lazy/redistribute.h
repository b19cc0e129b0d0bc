#pragma once

#include <tutti/lazy/distributed_layout.h>
#include <tutti/lazy/tensor.h>

#include <cstdint>
#include <source_location>

// How a distributed tensor changes its placements; see DistributedTensor::redistribute.
namespace tutti::detail {

// The tensor, no longer known to be the same over dimensions of the program's mesh. A literal is
// from now on known to be the same over all others.
Tensor vary(const Tensor& x, std::uint8_t dimensions, Location where);

// Whether types may not say what is the same, as in the function of a loop or branch. It is
// recorded again with such that do, but for a gradient, which wants all replicated alike.
bool may_be_hidden();

// A change of the placement along some dimensions of the mesh (several only of Partial to
// Replicate): one collective, or a local op.
struct Step {
  std::vector<std::size_t> dimensions;
  Placement to;
};

// The steps from some placements to others, the cheapest first: own parts, then reduce_scatter,
// all_to_all and all_reduce, then all_gather. Between two steps the tensor is always placed in a
// way that Layout describes.
std::vector<Step> steps_between(Placements from, const Placements& to);

// The local tensor after a step from the given layout: what a collective gives, or a tensor.
struct Stepped {
  Tensor tensor;
  AsyncTensor async;  // if defined
};
Stepped take_step(const Tensor& local, const Layout& from, const Step& step,
                  std::source_location at);

}  // namespace tutti::detail
