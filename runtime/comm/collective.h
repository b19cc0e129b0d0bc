#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/support/location.h>
#include <tutti/kernels/host/collective_kinds.h>
#include <tutti/kernels/host/collective_run.h>
#include <tutti/runtime/comm/placement.h>
#include <tutti/runtime/comm/program_calls.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

using kernels::CollectiveKind;
using kernels::Reduction;

// One tensor of a collective: row-major, contiguous. `elements` counts this rank's operand's. Where
// a dimension takes part (the axis) the operand is [outer, axis_size, inner], and of n members
//   all_gather, gather       give [outer, sum of the members' axis sizes, inner], the members'
//                            parts in their order (gather to the root; zeros elsewhere);
//   reduce_scatter, scatter  give [outer, the member's own size, inner], the member's part of the
//                            combination, or of the root's operand;
//   all_to_all               cuts each operand along the axis into a part for each member and gives
//                            [outer, sum of what comes, inner], in the members' order.
// The others give a result like the operand: reduce to the root, zeros elsewhere;
// collective_permute zeros where nothing arrives; scan_ranks the combination of a range of members.
// What a rank does not have (an operand where gives() is false, the result of send_recv's sender)
// may be null; `elements` and the dimensions are given all the same.
//
// `result` may be `operand` itself (in place); any other overlap with operands costs a copy.
// Results do not overlap each other.
struct TensorPart {
  const void* operand = nullptr;
  void* result = nullptr;
  std::int64_t elements = 0;
  std::int64_t outer = 1;
  std::int64_t axis_size = 1;
  std::int64_t inner = 1;
  // Uneven parts: how much of the axis each member gives (all_gather, gather) or gets
  // (reduce_scatter, scatter), the same list on every rank; of all_to_all, how much this rank gives
  // to each member and gets from each, compared with the members' own lists pair by pair. Empty:
  // equal parts.
  std::vector<std::int64_t> sizes = {};
  std::vector<std::int64_t> receive_sizes = {};  // of all_to_all; `sizes` is what it sends
};

// A collective as one rank calls it. `parts` holds the tensors of a list (coalesced: one arrival
// for all); it is empty for a barrier.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::barrier;
  Reduction reduction = Reduction::sum;  // where reduces(kind)
  kernels::ScanRange scan = {};          // of scan_ranks
  DType dtype = DType::f32;
  int root = 0;  // where has_root(kind): a position among the group's members
  // Of collective_permute: from the first to the second position. No position sends twice or
  // receives twice.
  std::vector<std::pair<int, int>> pairs = {};
  std::vector<TensorPart> parts = {};
  // For messages: "all_reduce sum f32[4]", and the line of the user's program.
  std::string description = {};
  Location location = {};
  // Whatever else must be the same on every rank (a plan's hash); part of the fingerprint.
  std::uint64_t agreement = 0;
  // Where the program calls it (site.h), compared where `programs_differ` does not say that ranks
  // run programs of their own, which is part of the fingerprint. 0: not known, not compared.
  std::uint32_t site = 0;
  bool programs_differ = false;
  // What the compiled program that it is of calls in this group; compared like the site.
  ProgramCalls program = {};
  // Where it puts the group's operands.
  Placement placement = {};
  // Up to how many bytes of operands, on the members' average, each rank computes its own result
  // (algorithms.h). All ranks say the same: it is part of the fingerprint.
  std::int64_t one_shot_up_to = kernels::kOneShotBytes;
  // How long waiting for this collective may take; zero: what the group says.
  std::chrono::milliseconds timeout{0};
};

// The number of elements of a part's result on the member at `position`; 0 on the sender of
// send_recv.
std::int64_t result_elements(const CollectiveCall& call, const TensorPart& part, int members,
                             int position);

// Whether others may read the operands of the member at `position`. (Of an exclusive scan nobody
// reads those of the last one.)
bool gives(const CollectiveCall& call, int position);

// Whether each member computes its own result, as far as that is known beforehand: an uneven
// all_to_all says no.
bool is_one_shot(const CollectiveCall& call, int members);

// Whether the members have one result in common, which lies once: a large one of those that are the
// same for all.
bool common_result(const CollectiveCall& call, int members);

// What all ranks of a group must agree on: kind, dtype, reduction, root and range (where they
// count), pairs, number and shape of the parts, `agreement`, `programs_differ`, `one_shot_up_to`.
// Addresses, descriptions and lines do not enter, nor does what may differ: where parts are uneven,
// a member's own share, and all_to_all's lists.
std::uint64_t fingerprint(const CollectiveCall& call);

// call.description, or what stands for it where the caller gave none: "all_reduce sum f32[4]".
std::string describe(const CollectiveCall& call);

// Throws TypeError, naming the call, where the member at `position` of a group of `members` ranks
// could not carry it out: a reduction the dtype does not have, an axis that the members do not
// divide, a root outside, sizes that do not add up, more elements than can be counted. Addresses
// are not looked at.
void check_call(const CollectiveCall& call, int members, int position);

}  // namespace tutti::runtime
