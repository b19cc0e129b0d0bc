#pragma once

#include <tutti/runtime/comm/collective.h>
#include <tutti/runtime/comm/transport.h>

#include <memory>
#include <optional>

namespace tutti::runtime {

class GroupAgreement;
class GroupCommunicator;

// Whether NCCL carries out a call between so many members, as Tutti means it: collectives but
// scans, with parts that lie in one piece, and sums, products and the extremes of integers in the
// types that NCCL has. (Its extremes of floats are not said to keep NaN; a mean is not its
// average.)
bool nccl_serves(const CollectiveCall& call, int members);

// Whether NCCL carries it out by messages between members: sends and receives. Of these it wants to
// find all places in a group's memory, or none.
bool are_messages(const CollectiveCall& call);

// NCCL's numbers of a dtype that it adds, and of a reduction; nothing for others.
std::optional<int> nccl_number(DType dtype);
std::optional<int> nccl_number(Reduction reduction);

// Over NCCL, between the GPUs of the members (runtime/cuda/nccl_transport.h); in builds with CUDA.
std::unique_ptr<Transport> make_nccl_transport(GroupAgreement& agreement,
                                               std::shared_ptr<GroupCommunicator> setup);

}  // namespace tutti::runtime
