#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/support/location.h>
#include <tutti/kernels/host/collective_kinds.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::runtime {

using kernels::CollectiveKind;
using kernels::Reduction;

// One tensor of a collective: row-major, contiguous. `elements` counts the operand's; where a
// dimension takes part (all_gather, reduce_scatter) the operand is [outer, axis_size, inner] and
//   all_gather      gives [outer, members * axis_size, inner], the members' parts in their order;
//   reduce_scatter  gives [outer, axis_size / members, inner], the member's own part of the sum.
// The others need `elements` alone. A broadcast reads no operand but the root's (others may be
// null).
//
// `result` may be `operand` itself (in place); any other overlap of the two costs a copy.
struct TensorPart {
  const void* operand = nullptr;
  void* result = nullptr;
  std::int64_t elements = 0;
  std::int64_t outer = 1;
  std::int64_t axis_size = 1;
  std::int64_t inner = 1;
};

// A collective as one rank calls it. `parts` holds the tensors of a list (coalesced: one arrival
// for all); it is empty for a barrier.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::barrier;
  Reduction reduction = Reduction::sum;  // all_reduce and reduce_scatter
  DType dtype = DType::f32;
  int root = 0;  // broadcast: a position among the group's members
  std::vector<TensorPart> parts = {};
  // For messages: "all_reduce sum f32[4]", and the line of the user's program.
  std::string description = {};
  Location location = {};
  // Whatever else must be the same on every rank (a plan's hash); part of the fingerprint.
  std::uint64_t agreement = 0;
  // How long waiting for this collective may take; zero: what the group says.
  std::chrono::milliseconds timeout{0};
};

// What all ranks of a group must agree on: kind, dtype, reduction (where it counts), root, number
// and shape of the parts, `agreement`. Addresses, descriptions and lines do not enter.
std::uint64_t fingerprint(const CollectiveCall& call);

// call.description, or what stands for it where the caller gave none: "all_reduce sum f32[4]".
std::string describe(const CollectiveCall& call);

// Throws TypeError, naming the call, where the group of `members` ranks could not carry it out: a
// reduction the dtype does not have, an axis that the members do not divide, a root outside.
void check_call(const CollectiveCall& call, int members);

}  // namespace tutti::runtime
