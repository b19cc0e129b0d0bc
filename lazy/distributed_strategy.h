#pragma once

#include <tutti/lazy/distributed_tensor.h>

#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

// How an op computes with parts: what it can take, and what it then gives.
namespace tutti::detail {

// One way along one dimension of a mesh: if each operand is placed like that, computing with the
// local tensors gives the result placed so.
struct Strategy {
  std::vector<Placement> operands;
  Placement result;
};

// An op on distributed tensors.
struct DistributedOp {
  std::string_view name;
  std::vector<DistributedTensor> operands;
  Shape shape;  // of the whole result
  // The ways there are; that all are replicated is added. One that shards an operand is taken only
  // where some operand is sharded like that, and one that takes partial sums where these are ones.
  std::vector<Strategy> strategies;
  std::source_location at;

  // "matmul of f32[4,8] as [Replicate] over tp=2 and ...": how messages begin.
  std::string text() const;
};

// The op's operands as they are to be computed with, and how the result then lies: along each
// dimension of the mesh a strategy that needs no communication before, the first of several, or
// else that which moves the least. It depends on whole shapes and placements alone, so that all
// ranks choose the same.
struct Placed {
  std::vector<DistributedTensor> operands;
  Placements result;
};
Placed place(const DistributedOp& op);

// The result of the op: `compute` of the local tensors.
using Compute = std::function<Tensor(const std::vector<Tensor>&)>;
DistributedTensor apply_op(const DistributedOp& op, const Compute& compute);

// A local result as a distributed tensor; throws TypeError if its shape or its replication is not
// that of the placements (a function of the user's that is not elementwise, for instance).
DistributedTensor finish(const DistributedOp& op, const Tensor& local, const Placements& placements,
                         const MeshGroupsPtr& on);

// The shape that operands broadcast to, as in NumPy; TypeError if they do not.
Shape broadcast_shape(const DistributedOp& op);

// The operand's axis that is `axis` of a result of so many dimensions; -1 if it lacks it, or has
// one element there that is repeated.
std::int64_t axis_in(const Shape& operand, const Shape& result, std::int64_t axis);

// The axis as a Shard, Replicate for -1.
Placement shard_or_replicate(std::int64_t axis);

}  // namespace tutti::detail
