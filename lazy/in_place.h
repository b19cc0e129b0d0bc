#pragma once

#include <tutti/lazy/collectives.h>

#include <cstdint>
#include <source_location>
#include <vector>

// Collectives as torch.distributed calls them: they change the tensor that they are given, or fill
// those that are to hold the results. They are the functional ones (collectives.h), followed by an
// assignment: the handle gets the result, other handles of the old value keep it, and none of them
// blocks; the tensor waits when it is used. docs/c10d.md has the two side by side.
//
// An output may be a Tensor without a value. One that has a value says what shape and dtype come: a
// TypeError if others do. Between the ends of a Coalesce (coalesce.h) calls are launched together.
// Differentiable like the functional ones.
namespace tutti {

void all_reduce_(Tensor& x, const Group& group, Reduce reduce = Reduce::sum,
                 std::source_location at = std::source_location::current());
void broadcast_(Tensor& x, const Group& group, std::int64_t root = 0,
                std::source_location at = std::source_location::current());
// Elsewhere than at the root x becomes zeros.
void reduce_(Tensor& x, const Group& group, std::int64_t root = 0, Reduce reduce = Reduce::sum,
             std::source_location at = std::source_location::current());

// The members' tensors one after another along the first dimension; a scalar's along a new one.
void all_gather_into_(Tensor& output, const Tensor& x, const Group& group,
                      std::source_location at = std::source_location::current());
// The member's tensors, one each. Outputs that all have values may differ in shape: member i's
// tensor has that of outputs[i]. An empty list gets as many as there are members.
void all_gather_(std::vector<Tensor>& outputs, const Tensor& x, const Group& group,
                 std::source_location at = std::source_location::current());
// The same at the root, for tensors of one shape; elsewhere `outputs` stays as it is.
void gather_(std::vector<Tensor>& outputs, const Tensor& x, const Group& group,
             std::int64_t root = 0, std::source_location at = std::source_location::current());

// This rank's part, along the first dimension, of the combination of all members' x.
void reduce_scatter_into_(Tensor& output, const Tensor& x, const Group& group,
                          Reduce reduce = Reduce::sum,
                          std::source_location at = std::source_location::current());
// The combination of the members' inputs[own position]. Inputs may differ in shape, in the same way
// on every rank.
void reduce_scatter_(Tensor& output, const std::vector<Tensor>& inputs, const Group& group,
                     Reduce reduce = Reduce::sum,
                     std::source_location at = std::source_location::current());

// The root's inputs[own position]; all of one shape. The others pass no inputs, and an output of
// that shape and dtype.
void scatter_(Tensor& output, const std::vector<Tensor>& inputs, const Group& group,
              std::int64_t root = 0, std::source_location at = std::source_location::current());

// Member i's inputs[own position] to outputs[i]. Where the inputs differ in shape, the outputs have
// values of the shapes that come.
void all_to_all_(std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                 const Group& group, std::source_location at = std::source_location::current());
// Equal parts along the first dimension, or those of the two lists.
void all_to_all_into_(Tensor& output, const Tensor& x, const Group& group,
                      const Sizes& receive_sizes = {}, const Sizes& send_sizes = {},
                      std::source_location at = std::source_location::current());

}  // namespace tutti
